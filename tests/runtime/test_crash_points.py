"""The process ends before or after a commit: before, nothing happened; after, all of it (facts/durable.md 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from engine.store import Store
from tests.runtime.company import Company, Crash, CrashAt
from tests.runtime.files import HUMAN, PURCHASE


def _event(company: Company) -> None:
    company.receive("e1", "material.shortage", ref="R1", amount=5)


def _decide(company: Company) -> None:
    for task in company.runtime.tasks(company.manager).items:
        company.decide(task.task_id, approved=True)


def _read(company: Company) -> None:
    claimed = company.sweep_and_claim()
    if claimed is not None:
        company.record(claimed, company.done(value="6"))


def _write(company: Company) -> None:
    claimed = company.sweep_and_claim()
    if claimed is not None:
        company.record(claimed, company.done(number="PO-5"))


def _confirm(company: Company) -> None:
    company.receive("c1", "order.confirmed", number="PO-5")


#: Each move with its commit's name, in the order of a purchase that starts with an event.
MOVES: tuple[tuple[str, Callable[[Company], None]], ...] = (
    ("inbox", _event),
    ("result", _read),
    ("decision", _decide),
    ("result", _write),
    ("inbox", _confirm),
)


@pytest.fixture
def points() -> CrashAt:
    """The points that the store of ``crashing`` passes."""
    return CrashAt()


@pytest.fixture
def crashing(store_url: str, points: CrashAt) -> Iterator[Company]:
    """A company whose process a test can end; the test runs once per kind of database."""
    store = Store(store_url, crash_points=points)
    yield Company(store, HUMAN, PURCHASE)
    store.close()


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("number", range(len(MOVES)))
def test_a_move_that_crashed_is_made_again_once(crashing: Company, points: CrashAt, number: int, side: str) -> None:
    company = crashing
    for at, (what, move) in enumerate(MOVES):
        if at == number:
            points.point = f"{what}.commit:{side}"
            with pytest.raises(Crash):
                move(company)
            company.clear_leases()
        move(company)

    (instance,) = company.runtime.instances(company.operator).items
    view = company.runtime.instance(company.operator, instance.workflow_id)
    moved = [each.detail["after"] for each in view.timeline if each.event == "status"]
    assert moved == ["CREATED", "ANALYZING", "WAITING_APPROVAL", "EXECUTING", "SUCCEEDED"]
    assert [each.state for each in view.documents] == ["done"]
    assert view.waits == ()


@pytest.mark.parametrize(("point", "looks_up"), [("intent.commit:before", False), ("intent.commit:after", True)])
def test_a_crash_at_the_intent_is_told_by_the_rows(
    crashing: Company, points: CrashAt, point: str, looks_up: bool
) -> None:
    crashing.to_write()
    points.point = point
    with pytest.raises(Crash):
        crashing.work()
    crashing.clear_leases()

    claimed = crashing.sweep_and_claim()

    assert claimed is not None
    assert claimed.must_look_up is looks_up


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_timer_that_crashed_fires_once(crashing: Company, points: CrashAt, side: str) -> None:
    company, store = crashing, crashing.store
    answer = company.to_approval()
    store.move_clock(timedelta(hours=17))
    company.runtime.fire_due(company.worker, 10)
    store.move_clock(timedelta(days=6))
    points.point = f"timer.commit:{side}"
    with pytest.raises(Crash):
        company.runtime.fire_due(company.worker, 10)

    company.runtime.fire_due(company.worker, 10)

    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert [each.event for each in view.timeline].count("timer_fired") == 1
    assert view.business_status == "CANCELLED"


def test_every_move_passes_the_point_of_its_name(sqlite_url: str, points: CrashAt) -> None:
    company = Company(Store(sqlite_url, crash_points=points), HUMAN, PURCHASE)
    for _, move in MOVES:
        move(company)
    company.start("human", amount=5)

    names = {point.split(".commit")[0] for point in points.passed}
    assert {"deploy", "inbox", "claim", "intent", "result", "decision", "start"} <= names
