"""History has a time to live: what a finished case left is removed when its retention is over (P12)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from engine.contract.ids import WorkflowType
from engine.runtime.commands import RequestKey, StartRequest
from engine.runtime.errors import UnknownInstance
from engine.store import Query
from engine.store.tables import approval, audit, instance, step
from tests.runtime.company import Company

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


def test_a_request_s_key_stands_for_its_case_even_when_that_was_removed(company: Company) -> None:
    request = StartRequest(
        workflow_type=WorkflowType("human"),
        variables={"amount": 5},
        request_key=RequestKey(key="K1", fingerprint="0" * 64),
    )
    answer = company.runtime.start(company.operator, request)
    company.decide(company.task_of(answer.workflow_id), approved=True)
    company.store.move_clock(RETENTION)
    company.runtime.sweep(company.worker)

    with pytest.raises(UnknownInstance, match=answer.workflow_id):
        company.runtime.start(company.operator, request)
