"""Events are signed, sent until taken, and never lost."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from standardwebhooks import Webhook

from sandbox import Company
from sandbox.events import Clerk
from tests.sandbox.visitor import DRAFT, PATIENCE, Receiver, ask, draft


def _create(company: Company, body: dict[str, str] = DRAFT) -> str:
    return ask(company, "POST", "/v1/requisitions", json=body, key="k1").json()["number"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (DRAFT, "erp.requisition.confirmed", "confirmed"),
        (draft("MAT-028", "35", "6.10"), "erp.requisition.refused", "refused"),
    ],
)
def test_a_settlement_is_told_by_a_signed_cloud_event(
    tmp_path: Path, receiver: Receiver, body: dict[str, str], kind: str, status: str
) -> None:
    with Company(tmp_path, events_url=receiver.url) as company:
        number = _create(company, body)
        arrived = receiver.events.get(timeout=PATIENCE)

        event = Webhook(company.events_secret).verify(arrived.body, dict(arrived.headers))

    assert arrived.headers["content-type"] == "application/cloudevents+json"
    assert event["specversion"] == "1.0"
    assert event["id"] == arrived.headers["webhook-id"]
    assert (event["type"], event["subject"]) == (kind, number)
    assert (event["data"]["status"], event["data"]["reference"]) == (status, body["reference"])


def test_an_event_is_sent_again_until_it_is_taken(tmp_path: Path, receiver: Receiver) -> None:
    receiver.answers = [503, 404]
    with Company(tmp_path, events_url=receiver.url) as company:
        _create(company)
        attempts = [receiver.events.get(timeout=PATIENCE) for _ in range(3)]

    assert len({each.headers["webhook-id"] for each in attempts}) == 1


def test_an_event_that_nobody_took_is_sent_after_a_restart(tmp_path: Path, receiver: Receiver) -> None:
    with Company(tmp_path, events_url="http://127.0.0.1:9/nobody", events_secret="c2VjcmV0") as company:
        number = _create(company)
        ask(company, "GET", f"/v1/requisitions/{number}")

    with Company(tmp_path, events_url=receiver.url, events_secret="c2VjcmV0"):
        arrived = receiver.events.get(timeout=PATIENCE)

    assert json.loads(arrived.body)["subject"] == number


def test_a_taken_event_can_be_repeated(tmp_path: Path, receiver: Receiver) -> None:
    with Company(tmp_path, events_url=receiver.url) as company:
        _create(company)
        first = receiver.events.get(timeout=PATIENCE)

        ask(company, "POST", f"/repeat/{first.headers['webhook-id']}", who="admin")
        second = receiver.events.get(timeout=PATIENCE)

    assert second.body == first.body


@pytest.mark.parametrize(("system", "kind"), [("wms", "stock.low"), ("mes", "material.shortage")])
def test_warehouse_and_production_report_shortages(tmp_path: Path, receiver: Receiver, system: str, kind: str) -> None:
    with Company(tmp_path, events_url=receiver.url) as company:
        ask(company, "POST", "/report/MAT-001", system=system, who="admin", json={"material_risk_id": "MR-7"})
        event = json.loads(receiver.events.get(timeout=PATIENCE).body)

    assert (event["type"], event["data"]["material_risk_id"], event["data"]["material_id"]) == (kind, "MR-7", "MAT-001")
    assert event["source"] == f"/sandbox/{system}"


def test_without_a_receiver_events_are_kept_and_shown(company: Company) -> None:
    ask(company, "POST", "/report/MAT-001", system="mes", who="admin", json={"material_risk_id": "MR-7"})

    events = ask(company, "GET", "/ledger", system="mes", who="admin").json()["events"]

    assert [(each["type"], each["state"]) for each in events] == [("material.shortage", "kept")]


class _StopJustBefore(threading.Event):
    """Is set by somebody else at the very moment before it is cleared: once, the first time."""

    def __init__(self, stop: threading.Thread) -> None:
        super().__init__()
        self._stop = stop

    def clear(self) -> None:
        if self._stop.ident is None:
            self._stop.start()
            self.wait(PATIENCE)
        super().clear()


def test_a_clerk_that_is_stopped_as_it_looks_around_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    clerk = Clerk("erp", [lambda: None])
    stop = threading.Thread(target=clerk.stop, daemon=True)
    monkeypatch.setattr(clerk, "_woken", _StopJustBefore(stop))
    clerk.start()
    while stop.ident is None:
        threading.Event().wait(0.001)
    stop.join(PATIENCE)
    assert not stop.is_alive()
