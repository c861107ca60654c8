"""What commands cost the database, as counts (ARCHITECTURE, Budgets)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.identity.people import find_person
from engine.identity.tokens import issue_token
from engine.store import Counts, Store
from tests.runtime.company import TENANT, Company
from tests.runtime.files import HUMAN, JOBS7


def test_human_costs_at_most_fifteen_statements_and_two_commits_each_way(everywhere: Company) -> None:
    store = everywhere.store
    with store.writing("test") as session:
        manager = find_person(session, TENANT, "manager")
        assert manager is not None
        token = issue_token(session, manager, name="test", lifetime=None, new_id=everywhere.ids)
    everywhere.start("human", amount=1)

    with store.counting() as started:
        everywhere.runtime.sign_in(token.secret)
        answer = everywhere.start("human", amount=5)
    task_id = everywhere.task_of(answer.workflow_id)
    request = everywhere.decision(task_id, approved=True, note="")
    with store.counting() as completed:
        actor = everywhere.runtime.sign_in(token.secret)
        everywhere.runtime.decide(actor, request)

    assert (started.statements, started.commits) <= (9, 1), started
    assert (completed.statements, completed.commits) <= (9, 1), completed


def test_seven_jobs_take_at_most_twelve_commits(everywhere: Company) -> None:
    with everywhere.store.counting() as counted:
        answer = everywhere.start("jobs7", ref="R1", total={"value": 0})
        _carry_on(everywhere)
        everywhere.receive("a1", "approve.given", ref="R1", ok=True)
        _carry_on(everywhere)

    assert everywhere.status(answer.workflow_id) == (None, "finished")
    assert counted.commits <= 12, counted


def _carry_on(company: Company) -> None:
    claimed = company.claim()
    while claimed is not None:
        value = int(claimed.arguments.split('"')[3]) + 1
        claimed = company.record(claimed, company.done(value=str(value)), claim_next=True).next_job


def test_an_idle_instance_costs_nothing(company: Company) -> None:
    company.to_approval()

    def scan() -> Counts:
        with company.store.counting() as counted:
            company.runtime.due_jobs(10)
            company.runtime.fire_due(company.worker, 10)
            company.runtime.sweep(company.worker)
            company.runtime.take_outbox(company.worker, 10)
        return counted

    before = scan()
    for number in range(10):
        company.to_approval(f"I{number}")
    after = scan()

    assert after.statements == before.statements
    assert (before.commits, after.commits) == (0, 0)


@pytest.mark.parametrize(("files", "most"), [(HUMAN, 3_000), (JOBS7, 4_000)])
def test_a_finished_instance_is_small(sqlite_store: Store, sqlite_url: str, files: dict[str, bytes], most: int) -> None:
    company = Company(sqlite_store, files)
    path = Path(sqlite_url.removeprefix("sqlite:///"))

    def run(count: int, offset: int) -> None:
        for number in range(offset, offset + count):
            if files is HUMAN:
                answer = company.start("human", amount=5)
                company.decide(company.task_of(answer.workflow_id), approved=True, note="")
            else:
                company.start("jobs7", ref=f"R{number}", total={"value": 0})
                _carry_on(company)
                company.receive(f"a{number}", "approve.given", ref=f"R{number}", ok=True)
                _carry_on(company)

    run(10, 0)
    before = _size(path)
    run(40, 10)

    assert (_size(path) - before) / 40 <= most


def _size(path: Path) -> int:
    """Return the bytes in use after everything stands in the main file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    return (pages - free) * size
