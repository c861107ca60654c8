"""What is counted, and what a statement may cost."""

from __future__ import annotations

import time

from engine.store import Store, audit, jobs
from tests.store.rows import TENANT, job, new_id


def test_statements_are_counted_by_name_and_commits_apart(store: Store) -> None:
    with store.reading() as session:
        now = session.now()
    entries = [
        {"tenant_id": TENANT, "workflow_id": new_id(), "audit_id": new_id(), "event": "e", "actor": "a", "at": now}
        for _ in range(3)
    ]

    with store.counting() as counts:
        with store.writing("start") as session:
            session.run(jobs.INSERT, job(now))
            session.run(audit.INSERT, entries)
            session.run(audit.INSERT, [])
        with store.reading() as session:
            session.all(jobs.BACKLOG, {"tenant_id": TENANT})
            session.now()

    assert counts.by_name == {"job.insert": 1, "audit.insert": 1, "job.backlog": 1, "clock.now": 1}
    assert (counts.statements, counts.executions, counts.commits, counts.rollbacks) == (4, 6, 1, 1)
    with store.reading() as session:
        session.now()
    assert counts.statements == 4


def test_a_statement_costs_little_beside_the_database(sqlite_store: Store) -> None:
    """CPU per statement on SQLite, the database's own work included, as a ratio to a loop of the same run.

    A twenty-two column row takes about a 2500th; the limit of a 400th is 0.12 ms where the loop takes 48 ms.
    """
    with sqlite_store.reading() as session:
        row = job(session.now())
    with sqlite_store.writing("start") as session:
        session.run(jobs.INSERT, row)
    started = time.process_time()
    sum(i * i for i in range(10**6))
    loop = time.process_time() - started

    with sqlite_store.reading() as session:
        started = time.process_time()
        for _ in range(500):
            session.one(jobs.BY_ID, {"job_id": row["job_id"]})
        each = (time.process_time() - started) / 500

    assert each < loop / 400
