"""The company as a whole: its data, sign-in, pages, restarts, and the process of its own."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from sandbox import Company, StockChange
from sandbox.data import company_seed, material_seeds
from tests.sandbox.visitor import DRAFT, ask, look, requisitions


def test_there_are_enough_materials_and_suppliers_and_every_reference_resolves() -> None:
    company, materials = company_seed(), material_seeds()
    suppliers = {each.supplier_id for each in company.suppliers}
    centres = {each.cost_centre for each in company.cost_centres}

    assert len(materials) >= 40
    assert len(suppliers) >= 8
    assert {each.currency for each in company.suppliers} <= company.rates.keys()
    for material in materials:
        named = {offer.supplier_id for offer in material.offers} | {line.supplier_id for line in material.purchases}
        assert named <= suppliers, material.material_id
        assert material.cost_centre in centres
        assert sum(lot.quantity for lot in material.all_lots()) == max(0, material.stock.on_hand), material.material_id


def test_every_material_is_listed_with_what_it_shows() -> None:
    listed = (Path(__file__).parents[2] / "sandbox" / "README.md").read_text()

    for material in material_seeds():
        assert f"| {material.material_id} | {material.shows} |" in listed


def test_dates_are_counted_from_the_first_day(tmp_path: Path) -> None:
    with Company(tmp_path, today=date(2026, 12, 1)) as company:
        demand = ask(company, "GET", "/v1/demand/MAT-001", system="mes").json()
        documents = ask(company, "GET", "/v1/materials/MAT-001/open-documents").json()["items"]

    assert demand["lines"]["items"][0]["required_at"] == "2026-12-08"
    assert documents[0]["due"] == "2026-12-05"
    assert datetime.fromisoformat(demand["as_of"]).date() == date(2026, 12, 1)


def test_the_clock_moves_for_all_systems(company: Company) -> None:
    before = company.clock.now()

    ask(company, "POST", "/clock", who="admin", json={"seconds": 86_400})

    stock = ask(company, "GET", "/v1/stock/MAT-001", system="wms").json()
    assert datetime.fromisoformat(stock["as_of"]) >= before + timedelta(days=1)


@pytest.mark.parametrize("path", ["/v1/materials/MAT-001", "/ledger", "/faults"])
def test_nobody_is_let_in_without_a_token(company: Company, path: str) -> None:
    answer = httpx.get(company.reach["erp"].url + path, trust_env=False)

    assert (answer.status_code, answer.json()["code"]) == (401, "not_permitted")


def test_a_token_of_one_system_opens_no_other(company: Company) -> None:
    foreign = {"authorization": f"Bearer {company.reach['wms'].service}"}

    assert httpx.get(company.reach["erp"].url + "/v1/identity", headers=foreign, trust_env=False).status_code == 401


@pytest.mark.parametrize(
    ("who", "method", "path", "status"),
    [
        ("reader", "GET", "/v1/materials/MAT-001", 200),
        ("reader", "POST", "/v1/requisitions", 403),
        ("service", "GET", "/ledger", 403),
        ("service", "POST", "/budget/CC-100", 403),
        ("admin", "GET", "/ledger", 200),
    ],
)
def test_each_token_opens_what_it_is_for(company: Company, who: str, method: str, path: str, status: int) -> None:
    assert ask(company, method, path, who=who).status_code == status


def test_long_answers_come_in_pages(company: Company) -> None:
    seen: list[str] = []
    cursor: str | None = "0"
    while cursor is not None:
        page = ask(company, "GET", f"/v1/demand/MAT-040?cursor={cursor}", system="mes").json()["lines"]
        seen += [each["work_order"] for each in page["items"]]
        cursor = page["next"]

    assert len(seen) == len(set(seen)) == 130


def test_a_cursor_that_is_none_is_refused(company: Company) -> None:
    assert ask(company, "GET", "/v1/demand/MAT-040?cursor=x", system="mes").status_code == 400


@pytest.mark.parametrize(
    ("system", "path"), [("wms", "/v1/stock/MAT-999"), ("mes", "/v1/demand/MAT-999"), ("erp", "/v1/materials/MAT-999")]
)
def test_an_unknown_material_is_not_found(company: Company, system: str, path: str) -> None:
    assert ask(company, "GET", path, system=system).status_code == 404


def test_stock_can_be_topped_up(company: Company) -> None:
    answer = ask(company, "POST", "/stock/MAT-023", system="wms", who="admin", json={"receive": "100"}).json()
    company.wms.set_stock("MAT-006", StockChange(on_hand=Decimal(500)))

    stock = ask(company, "GET", "/v1/stock/MAT-023", system="wms").json()
    assert (answer["on_hand"], stock["on_hand"]) == ("150", "150")
    assert sorted(lot["quantity"] for lot in stock["lots"]["items"]) == ["100", "50"]
    assert ask(company, "GET", "/v1/stock/MAT-006", system="wms").json()["blocked"] == "40"


@pytest.mark.parametrize(("change", "left"), [({"left": "100.00"}, "100.00"), ({"total": "30500.00"}, "4500.00")])
def test_a_budget_can_be_changed(company: Company, change: dict[str, str], left: str) -> None:
    assert ask(company, "POST", "/budget/CC-160", who="admin", json=change).json()["left"] == left


def test_facts_of_suppliers_and_demand_can_be_changed(company: Company) -> None:
    ask(company, "POST", "/suppliers/S-101", who="admin", json={"is_blocked": True})
    ask(company, "POST", "/offers/MAT-001/S-101", who="admin", json={"price_breaks": [["1", "2.60"]]})
    ask(company, "POST", "/demand/WO-1001/MAT-001", system="mes", who="admin", json={"required": "620"})

    offer = ask(company, "GET", "/v1/materials/MAT-001").json()["offers"][0]
    demand = ask(company, "GET", "/v1/demand/MAT-001", system="mes").json()["lines"]["items"][0]
    assert offer["is_blocked"] is True
    assert offer["price_breaks"] == [{"from_quantity": "1", "price": "2.60"}]
    assert demand["required"] == "620"


def test_documents_and_tokens_survive_a_restart(tmp_path: Path) -> None:
    with Company(tmp_path) as company:
        ask(company, "POST", "/v1/requisitions", json=DRAFT, key="k1")
        before = company.reach["erp"].service, company.events_secret
    with Company(tmp_path) as company:
        assert (company.reach["erp"].service, company.events_secret) == before
        assert [each["reference"] for each in requisitions(company)] == ["MR-1 v1"]
        assert company.file.stat().st_mode & 0o777 == 0o600


def test_copies_for_measurements_have_a_budget_of_their_own(tmp_path: Path) -> None:
    with Company(tmp_path, copies=3) as company:
        copied = ask(company, "GET", "/v1/materials/MAT-001-0003").json()
        open_documents = ask(company, "GET", "/v1/materials/MAT-001-0003/open-documents").json()["items"]

    assert copied["cost_centre"] == "CC-900"
    assert [each["number"] for each in open_documents] == ["PO-4001-0003"]


@pytest.mark.parametrize("system", ["erp", "wms", "mes"])
def test_each_system_shows_its_documents_on_a_page(company: Company, system: str) -> None:
    number = ask(company, "POST", "/v1/requisitions", json={**DRAFT, "reference": "<b>MR</b>"}, key="k1").json()[
        "number"
    ]

    answer = look(company, system)

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "轴承座" in answer.text
    assert "<b>MR</b>" not in answer.text
    if system == "erp":
        assert number in answer.text
        assert "&lt;b&gt;MR&lt;/b&gt;" in answer.text
    assert "C8321E" not in answer.text.upper()  # vermilion is for people's decisions alone


def _luminance(colour: str) -> float:
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_on_the_pages_has_enough_contrast(company: Company) -> None:
    """WCAG 2.2, 1.4.3: 4.5:1 for text."""
    page = look(company, "erp").text
    light, dark = (dict(re.findall(r"--(\w+):(#[0-9A-F]{6})", block)) for block in re.findall(r":root\{[^}]+\}", page))

    for theme in (light, dark):
        for text in ("ink", "muted"):
            lighter, darker = sorted((_luminance(theme[text]), _luminance(theme["card"])), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def test_unknown_addresses_and_methods_are_said_to_be_unknown(company: Company) -> None:
    assert ask(company, "GET", "/nowhere").status_code == 404
    assert ask(company, "DELETE", "/v1/identity").status_code == 405


def test_a_body_that_is_too_large_is_refused(company: Company) -> None:
    answer = ask(company, "POST", "/v1/requisitions", json={"x": "y" * 1_100_000}, key="k1")

    assert answer.status_code == 413


def test_the_company_runs_as_a_process_and_ends_on_sigterm(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sandbox", "--folder", str(tmp_path), "--no-keys", "--latency", "0", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        company = json.loads(Path(ready["company_file"]).read_text())
        erp = company["systems"]["erp"]
        identity = httpx.get(
            erp["url"] + "/v1/identity", headers={"authorization": f"Bearer {erp['service']}"}, trust_env=False
        )
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=10)

    assert erp["url"] == ready["erp"]
    assert identity.json()["keeps_keys"] is False
    assert code == 0
    assert erp["service"] not in json.dumps(ready)


def test_a_taken_port_is_said_in_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "sandbox", "--folder", str(tmp_path), "--erp-port", port]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)

    assert ended.returncode == 2
    assert "Choose other ports" in ended.stderr
