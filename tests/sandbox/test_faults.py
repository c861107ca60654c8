"""Fault switches fail in the way they name, as often as they are told, and never otherwise."""

from __future__ import annotations

import json
import time

import httpx
import pytest

from sandbox import Company
from sandbox.faults import FaultName
from tests.sandbox.visitor import DRAFT, ask, requisitions


def _create(company: Company, key: str = "k1") -> httpx.Response:
    return ask(company, "POST", "/v1/requisitions", json=DRAFT, key=key)


@pytest.mark.parametrize(
    ("name", "document_count"),
    [
        ("cut_before", 0),  # closed instead of working
        ("cut_after", 1),  # worked, then closed
    ],
)
def test_a_cut_connection_has_done_the_work_or_not(company: Company, name: FaultName, document_count: int) -> None:
    company.set_fault("create_requisition", name)

    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        _create(company)

    assert len(requisitions(company)) == document_count


@pytest.mark.parametrize(("name", "status"), [("unavailable", 503), ("rate_limited", 429)])
def test_a_refusing_fault_answers_and_does_nothing(company: Company, name: FaultName, status: int) -> None:
    company.set_fault("create_requisition", name, retry_after=7)

    answer = _create(company)

    assert answer.status_code == status
    assert answer.headers.get("retry-after") == ("7" if status == 429 else None)
    assert answer.json()["in_doubt"] is False
    assert requisitions(company) == []


def test_wrong_json_is_broken_first_and_foreign_then(company: Company) -> None:
    company.set_fault("read_stock", "wrong_json", 2)

    broken = ask(company, "GET", "/v1/stock/MAT-001", system="wms")
    foreign = ask(company, "GET", "/v1/stock/MAT-001", system="wms")

    with pytest.raises(json.JSONDecodeError):
        broken.json()
    assert foreign.json() == {"unexpected": [1, 2, 3]}


def test_a_delayed_answer_comes_late_and_whole(company: Company) -> None:
    company.set_fault("read_demand", "delay", seconds=0.15)
    began = time.monotonic()

    answer = ask(company, "GET", "/v1/demand/MAT-001", system="mes")

    assert time.monotonic() - began >= 0.15
    assert answer.json()["lines"]["items"][0]["required"] == "500"


def test_a_switch_fires_as_often_as_told_and_counts(company: Company) -> None:
    set_to = {"operation": "erp.read_requisition", "name": "unavailable", "count": 2}
    ask(company, "POST", "/faults", who="admin", json=set_to)
    number = _create(company).json()["number"]

    statuses = [ask(company, "GET", f"/v1/requisitions/{number}").status_code for _ in range(3)]

    assert statuses == [503, 503, 200]
    assert ask(company, "GET", "/faults", who="admin").json() == {
        "faults": [{"operation": "read_requisition", "name": "unavailable", "remaining": 0, "fired": 2}]
    }


def test_cleared_switches_do_not_fire(company: Company) -> None:
    company.set_fault("read_supply", "unavailable", 5)

    ask(company, "DELETE", "/faults", who="admin")

    assert ask(company, "GET", "/v1/materials/MAT-001").status_code == 200
    assert ask(company, "GET", "/faults", who="admin").json() == {"faults": []}


def test_an_unknown_operation_is_refused_with_those_there_are(company: Company) -> None:
    answer = ask(company, "POST", "/faults", who="admin", json={"operation": "fly", "name": "delay"})

    assert answer.status_code == 400
    assert "create_requisition" in answer.json()["title"]
    with pytest.raises(LookupError, match=r"wms\.read_stock"):
        company.set_fault("fly", "delay")


def test_only_the_administrator_sets_switches(company: Company) -> None:
    answer = ask(company, "POST", "/faults", json={"operation": "read_supply", "name": "delay"})

    assert answer.status_code == 403


def test_a_cut_call_stands_in_the_ledger(company: Company) -> None:
    company.set_fault("create_requisition", "cut_after")
    with pytest.raises(httpx.HTTPError):
        _create(company, "k9")

    call = ask(company, "GET", "/ledger", who="admin").json()["calls"][-1]

    assert (call["operation"], call["status"], call["fault"], call["key"]) == (
        "create_requisition",
        None,
        "cut_after",
        "k9",
    )
