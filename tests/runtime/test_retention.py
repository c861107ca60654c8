"""History has a time to live: what a finished case left is removed when its retention is over (P12)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from engine.contract.ids import WorkflowType
from engine.runtime.commands import EventFate, Failed, RepairRequest, RequestKey, StartRequest
from engine.runtime.errors import UnknownInstance
from engine.runtime.limits import EARLY_MESSAGE_PERIOD, REPEAT_PERIOD, SENT_PERIOD
from engine.store import Change, Query, Store, jobs, outbox
from engine.store.tables import api_request, approval, audit, early_message, inbox, instance, step
from engine.store.tables import outbox as outbox_table
from tests.runtime.company import TENANT, Company, keep_message
from tests.runtime.files import HUMAN

#: Longer than the ten years that a process keeps its history where it says nothing else.
RETENTION = timedelta(days=3651)


def rows_of(company: Company, workflow_id: str) -> list[int]:
    """Return how many rows of each kind an instance has."""
    counts = [
        Query(
            "test.count",
            "Rows of an instance.",
            select(func.count()).select_from(table).where(table.c.workflow_id == workflow_id),
            int,
        )
        for table in (instance, step, approval, audit)
    ]
    with company.store.reading() as session:
        return [session.one(each) or 0 for each in counts]


def kept(company: Company) -> dict[str, int]:
    """Return how many rows there are that no instance owns."""
    with company.store.reading() as session:
        return {
            table.name: session.one(Query("test.kept", "Rows.", select(func.count()).select_from(table), int)) or 0
            for table in (inbox, early_message, api_request, outbox_table)
        }


def withdraw_everything(company: Company, workflow_id: str) -> None:
    """Leave an instance with its incident and nothing else, as a process does whose last path failed."""
    with company.store.writing("test") as session:
        session.run(jobs.DELETE_OF_INSTANCE, {"tenant_id": TENANT, "workflow_id": workflow_id})
        without = Change(
            "test.without_state",
            "Test.",
            update(instance).where(instance.c.workflow_id == workflow_id).values(state=b""),
        )
        session.run(without)


def test_a_finished_case_is_removed_with_its_history_when_its_retention_is_over(everywhere: Company) -> None:
    answer = everywhere.start("human", amount=5)
    everywhere.decide(everywhere.task_of(answer.workflow_id), approved=True)
    assert all(rows_of(everywhere, answer.workflow_id))
    everywhere.store.move_clock(RETENTION - timedelta(days=2))
    assert everywhere.runtime.sweep(everywhere.worker).count == 0

    everywhere.store.move_clock(timedelta(days=2))

    assert everywhere.runtime.sweep(everywhere.worker).count == 1
    assert rows_of(everywhere, answer.workflow_id) == [0, 0, 0, 0]
    with pytest.raises(UnknownInstance):
        everywhere.runtime.instance(everywhere.operator, answer.workflow_id)


def test_a_case_that_still_waits_is_kept_however_old_it_is(company: Company) -> None:
    answer = company.start("human", amount=5)
    company.store.move_clock(RETENTION)

    assert company.runtime.sweep(company.worker).count == 0
    assert company.runtime.instance(company.operator, answer.workflow_id).execution_state == "waiting"


def test_a_case_that_an_operator_closed_is_removed_too(everywhere: Company) -> None:
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    everywhere.record(everywhere.work(), Failed(error_code="not_found", message="no such material"))
    withdraw_everything(everywhere, answer.workflow_id)

    closing = RepairRequest(workflow_id=answer.workflow_id, reason="nothing is left of it")
    assert everywhere.runtime.repair(everywhere.operator, closing).execution_state == "finished"

    everywhere.store.move_clock(RETENTION)
    everywhere.runtime.sweep(everywhere.worker)
    assert rows_of(everywhere, answer.workflow_id) == [0, 0, 0, 0]


def test_a_request_s_key_stands_for_its_case_even_when_that_was_removed(sqlite_store: Store) -> None:
    brief = HUMAN | {"process.yaml": HUMAN["process.yaml"] + b"retention_days: 30\n"}
    company = Company(sqlite_store, brief)
    request = StartRequest(
        workflow_type=WorkflowType("human"),
        variables={"amount": 5},
        request_key=RequestKey(key="K1", fingerprint="0" * 64),
    )
    answer = company.runtime.start(company.operator, request)
    company.decide(company.task_of(answer.workflow_id), approved=True)
    company.store.move_clock(timedelta(days=31))
    company.runtime.sweep(company.worker)

    with pytest.raises(UnknownInstance, match=answer.workflow_id):
        company.runtime.start(company.operator, request)


def test_what_no_case_owns_is_kept_for_its_period(everywhere: Company) -> None:
    told = everywhere.receive("c1", "order.confirmed", number="PO-9")
    assert told.fate is EventFate.KEPT
    everywhere.to_approval("R1")
    everywhere.runtime.remember(everywhere.operator, "K1", "0" * 64, status_code=201, answer=b"{}")
    with everywhere.store.writing("test") as session:
        rows = {"tenant_id": TENANT, "topic": "t", "payload": b"", "created_at": session.now(), "failure_count": 0}
        session.run(outbox.INSERT, [{**rows, "message_id": everywhere.ids(), "sent_at": session.now()}])
        session.run(outbox.INSERT, [{**rows, "message_id": everywhere.ids(), "next_at": session.now()}])

    everywhere.store.move_clock(SENT_PERIOD)
    everywhere.runtime.sweep(everywhere.worker)
    assert kept(everywhere) == {"inbox": 2, "early_message": 1, "api_request": 1, "outbox": 1}

    everywhere.store.move_clock(REPEAT_PERIOD - SENT_PERIOD)
    everywhere.runtime.sweep(everywhere.worker)
    assert kept(everywhere) == {"inbox": 0, "early_message": 0, "api_request": 0, "outbox": 1}
    repeated = everywhere.receive("shortage-R1", "material.shortage", ref="R1", amount=5)
    assert (repeated.fate, repeated.is_repeat) == (EventFate.EXISTING, False)


def test_old_rows_are_removed_in_batches(company: Company) -> None:
    for number in range(210):
        keep_message(company, "confirmed", f"PO-{number}", {})
    company.store.move_clock(EARLY_MESSAGE_PERIOD)

    company.runtime.sweep(company.worker)
    assert 0 < kept(company)["early_message"] <= 10
    company.runtime.sweep(company.worker)
    assert kept(company)["early_message"] == 0
