"""The job ledger: one winner, fenced by owner and attempt, on the database's clock."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.store import Store, attempts, due, jobs
from engine.store.jobs import JobRow
from tests.store.rows import TENANT, job, new_id

LEASE = timedelta(seconds=30)


@dataclass
class Ledger:
    """The statements of one job, with usual parameters."""

    store: Store

    def now(self) -> datetime:
        with self.store.reading() as session:
            return session.now()

    def add(self, **changes: Any) -> str:
        row = job(self.now(), **changes)
        with self.store.writing("start") as session:
            session.run(jobs.INSERT, row)
        return row["job_id"]

    def claim(self, job_id: str, by: str, *, lost_limit: int = 3) -> int:
        terms = {"job_id": job_id, "by": by, "lease": LEASE, "lost_limit": lost_limit}
        with self.store.writing("claim") as session:
            return session.run(jobs.CLAIM, terms)

    def run(self, change: Any, job_id: str, by: str | None = None, claim: int | None = None, **more: Any) -> int:
        given = {"job_id": job_id, "by": by, "claim": claim, **more}
        with self.store.writing("change") as session:
            return session.run(change, {name: value for name, value in given.items() if value is not None})

    def row(self, job_id: str) -> JobRow:
        with self.store.reading() as session:
            found = session.one(jobs.BY_ID, {"job_id": job_id})
        assert found is not None
        return found

    def due(self) -> list[str]:
        with self.store.reading() as session:
            return [found.job_id for found in session.all(jobs.DUE, {"lost_limit": 3, "limit": 10})]


@pytest.fixture
def ledger(store: Store) -> Ledger:
    return Ledger(store)


def test_of_sixteen_threads_one_wins_the_claim(ledger: Ledger) -> None:
    job_id = ledger.add()
    together = threading.Barrier(16)
    won: list[str] = []

    def race(by: str) -> None:
        together.wait()
        if ledger.claim(job_id, by):
            won.append(by)

    threads = [threading.Thread(target=race, args=(f"worker-{number}",)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = ledger.row(job_id)
    assert [found.owner] == won
    assert (found.status, found.attempt, found.lost_count) == ("running", 1, 0)


def test_the_lease_runs_on_the_databases_clock(ledger: Ledger) -> None:
    job_id = ledger.add()
    before = ledger.now()

    ledger.claim(job_id, "first")

    after, found = ledger.now(), ledger.row(job_id)
    assert found.lease_until is not None
    assert before <= found.lease_until - LEASE <= after


def test_a_running_job_is_nobody_elses_until_its_lease_is_over(ledger: Ledger) -> None:
    job_id = ledger.add()
    ledger.claim(job_id, "first")

    ledger.store.move_clock(LEASE - timedelta(seconds=5))
    assert ledger.claim(job_id, "second") == 0
    ledger.store.move_clock(timedelta(seconds=6))
    assert ledger.claim(job_id, "second") == 1

    found = ledger.row(job_id)
    assert (found.owner, found.attempt, found.lost_count) == ("second", 2, 1)


@pytest.mark.parametrize(
    ("change", "more"),
    [
        pytest.param(jobs.FINISH, {}, id="finish"),
        pytest.param(jobs.HEARTBEAT, {"lease": LEASE}, id="heartbeat"),
        pytest.param(jobs.RETRY, {"pause": LEASE, "failures": 1, "unknown": True}, id="retry"),
        pytest.param(jobs.PARK, {"unknown": True}, id="park"),
    ],
)
def test_who_lost_the_lease_changes_nothing(ledger: Ledger, change: Any, more: dict[str, Any]) -> None:
    job_id = ledger.add()
    ledger.claim(job_id, "first")
    ledger.store.move_clock(LEASE + timedelta(seconds=1))
    ledger.claim(job_id, "second")
    found = ledger.row(job_id)

    assert ledger.run(change, job_id, "first", 1, **more) == 0
    assert ledger.run(change, job_id, "second", 1, **more) == 0
    assert ledger.run(change, job_id, "first", 2, **more) == 0
    assert ledger.row(job_id) == found
    assert ledger.run(change, job_id, "second", 2, **more) == 1


def test_a_job_is_not_claimed_before_its_time(ledger: Ledger) -> None:
    job_id = ledger.add(not_before=ledger.now() + timedelta(hours=1))

    assert ledger.due() == []
    assert ledger.claim(job_id, "first") == 0

    ledger.store.move_clock(timedelta(hours=1, seconds=1))
    assert ledger.due() == [job_id]
    assert ledger.claim(job_id, "first") == 1


def test_a_job_that_kills_its_workers_is_claimed_no_more(ledger: Ledger) -> None:
    """It is lost twice by claims and once by the sweep, which parks it."""
    job_id = ledger.add()
    for number in range(3):
        assert ledger.claim(job_id, f"worker-{number}", lost_limit=3) == 1
        ledger.store.move_clock(LEASE + timedelta(seconds=1))

    with ledger.store.reading() as session:
        expired = session.all(jobs.EXPIRED, {"limit": 10})
    assert [(found.job_id, found.attempt, found.lost_count) for found in expired] == [(job_id, 3, 2)]
    assert ledger.run(jobs.PARK_LOST, job_id, claim=2, unknown=False) == 0
    assert ledger.run(jobs.PARK_LOST, job_id, claim=3, unknown=False) == 1

    found = ledger.row(job_id)
    assert (found.status, found.lost_count, found.owner, found.lease_until) == ("parked", 3, None, None)
    assert ledger.claim(job_id, "next") == 0


def test_the_sweep_makes_a_lost_job_ready_once(ledger: Ledger) -> None:
    job_id = ledger.add()
    ledger.claim(job_id, "first")
    assert ledger.run(jobs.RELEASE_LOST, job_id, claim=1, unknown=True) == 0

    ledger.store.move_clock(LEASE + timedelta(seconds=1))
    assert ledger.run(jobs.RELEASE_LOST, job_id, claim=1, unknown=True) == 1
    assert ledger.run(jobs.RELEASE_LOST, job_id, claim=1, unknown=True) == 0

    found = ledger.row(job_id)
    assert (found.status, found.owner, found.attempt, found.lost_count, found.is_unknown) == ("ready", None, 1, 1, True)
    assert ledger.claim(job_id, "second", lost_limit=1) == 0
    assert ledger.claim(job_id, "second", lost_limit=2) == 1
    assert ledger.row(job_id).lost_count == 1


def test_a_heartbeat_keeps_the_lease_until_it_stops(ledger: Ledger) -> None:
    job_id = ledger.add()
    ledger.claim(job_id, "first")

    ledger.store.move_clock(timedelta(seconds=25))
    assert ledger.run(jobs.HEARTBEAT, job_id, "first", 1, lease=LEASE) == 1
    ledger.store.move_clock(timedelta(seconds=20))
    assert ledger.claim(job_id, "second") == 0
    ledger.store.move_clock(timedelta(seconds=20))
    assert ledger.claim(job_id, "second") == 1
    assert ledger.run(jobs.HEARTBEAT, job_id, "first", 1, lease=LEASE) == 0


@pytest.mark.parametrize(("failures", "counted"), [(1, 1), (0, 0)], ids=["a failure", "a limit"])
def test_a_retry_waits_and_counts_failures_apart(ledger: Ledger, failures: int, counted: int) -> None:
    job_id = ledger.add()
    ledger.claim(job_id, "first")

    ledger.run(jobs.RETRY, job_id, "first", 1, pause=timedelta(minutes=1), failures=failures, unknown=False)

    found = ledger.row(job_id)
    assert (found.status, found.failure_count, found.lost_count, found.attempt) == ("ready", counted, 0, 1)
    assert (found.owner, found.lease_until) == (None, None)
    assert ledger.claim(job_id, "second") == 0
    ledger.store.move_clock(timedelta(minutes=1, seconds=1))
    assert ledger.claim(job_id, "second") == 1


def test_a_parked_job_waits_for_a_person(ledger: Ledger) -> None:
    job_id = ledger.add()
    ledger.claim(job_id, "first")
    ledger.run(jobs.PARK, job_id, "first", 1, unknown=True)
    assert ledger.claim(job_id, "second") == 0
    assert ledger.due() == []

    assert ledger.run(jobs.UNPARK, job_id, unknown=True) == 1

    assert ledger.run(jobs.UNPARK, job_id, unknown=True) == 0
    found = ledger.row(job_id)
    assert (found.status, found.failure_count, found.attempt, found.is_unknown) == ("ready", 0, 1, True)
    assert ledger.claim(job_id, "second") == 1


@pytest.mark.parametrize("outcome", [None, "succeeded"])
def test_a_claim_tells_whether_an_earlier_call_has_no_outcome(ledger: Ledger, outcome: str | None) -> None:
    workflow_id = new_id()
    job_id = ledger.add(workflow_id=workflow_id)
    ledger.claim(job_id, "first")
    intent = {
        "tenant_id": TENANT,
        "workflow_id": workflow_id,
        "job_id": job_id,
        "attempt": 1,
        "owner": "first",
        "operation": "erp.create_requisition@1",
        "purpose": "call",
        "sent_key": new_id(),
        "intent_at": ledger.now(),
        "outcome": outcome,
    }
    with ledger.store.writing("intent") as session:
        session.run(attempts.INSERT, intent)
    ledger.store.move_clock(LEASE + timedelta(seconds=1))

    ledger.claim(job_id, "second")

    found = ledger.row(job_id)
    assert (found.is_unknown, found.has_open_intent) == (outcome is None, outcome is None)


def test_due_jobs_come_urgent_first_and_then_by_time(ledger: Ledger) -> None:
    now = ledger.now()
    late = ledger.add(priority=5, not_before=now - timedelta(minutes=1))
    later = ledger.add(priority=5, not_before=now)
    urgent = ledger.add(priority=1, not_before=now)
    ledger.add(priority=1, not_before=now + timedelta(hours=1))
    ledger.add(priority=1, status="parked")

    assert ledger.due() == [urgent, late, later]


def test_enqueueing_the_same_intent_twice_adds_one_job(ledger: Ledger) -> None:
    first = job(ledger.now())
    again = {**first, "job_id": new_id()}

    with ledger.store.writing("start") as session:
        assert session.run(jobs.INSERT_IF_ABSENT, first) == 1
        assert session.run(jobs.INSERT_IF_ABSENT, again) == 0
        assert session.run(jobs.INSERT_IF_ABSENT, [again, first, job(first["created_at"])]) == 1

    assert len(ledger.due()) == 2


def test_the_next_due_instant_is_one_statement(ledger: Ledger) -> None:
    now = ledger.now()
    ledger.add(not_before=now + timedelta(hours=2))
    soon = ledger.add(not_before=now + timedelta(hours=1))
    running = ledger.add()
    ledger.claim(running, "first")

    with ledger.store.counting() as counts, ledger.store.reading() as session:
        found = session.one(due.NEXT)
        clock = session.now()

    assert found is not None
    assert (found.job_at, found.timer_at, found.outbox_at) == (ledger.row(soon).not_before, None, None)
    assert found.earliest == found.lease_until == ledger.row(running).lease_until
    assert clock >= now
    assert counts.statements == 1


def test_the_backlog_tells_a_tenant_the_oldest_due_age_by_system(ledger: Ledger) -> None:
    now = ledger.now()
    ledger.add(system="erp", tenant_id="other", not_before=now - timedelta(days=1))
    ledger.add(system="erp", not_before=now - timedelta(minutes=5))
    ledger.add(system="erp", not_before=now)
    ledger.add(system="wms", status="parked", not_before=now)

    with ledger.store.reading() as session:
        rows = session.all(jobs.BACKLOG, {"tenant_id": TENANT})
        found = {(row.system, row.status): (row.jobs, row.oldest_at) for row in rows}

    assert found == {("erp", "ready"): (2, now - timedelta(minutes=5)), ("wms", "parked"): (1, now)}
