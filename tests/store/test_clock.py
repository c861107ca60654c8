"""One clock: the database's, moved by one row."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import BigInteger, literal_column, select

from engine.store import Query, Store, clock, jobs
from tests.store.rows import job


def test_the_clock_is_aware_utc_and_about_now(store: Store) -> None:
    with store.reading() as session:
        now = session.now()

    assert now.tzinfo is UTC
    assert abs(now - datetime.now(UTC)) < timedelta(seconds=60)


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_the_zone_of_the_process_does_not_matter(store_url: str, zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        store = Store(store_url)
        with store.reading() as session:
            assert abs(session.now() - datetime.now(UTC)) < timedelta(seconds=60)
        store.close()
    finally:
        os.environ.pop("TZ")
        time.tzset()


def test_the_clock_is_read_once_per_unit(store: Store) -> None:
    with store.counting() as counts:
        with store.writing("a") as session:
            assert session.now() == session.now()
        with store.reading() as session:
            session.now()

    assert counts.by_name == {"clock.now": 2}


def test_moving_the_clock_adds_up_and_concerns_everybody(store_url: str) -> None:
    mine, other = Store(store_url), Store(store_url)
    with mine.reading() as session:
        before = session.now()

    mine.move_clock(timedelta(days=365))
    mine.move_clock(timedelta(microseconds=5))

    with other.reading() as session:
        moved = session.now() - before
    assert timedelta(days=365) <= moved < timedelta(days=365, seconds=60)
    mine.move_clock(-timedelta(days=365, microseconds=5))
    with other.reading() as session:
        assert session.now() - before < timedelta(seconds=60)
    mine.close()
    other.close()


def test_a_query_can_tell_the_time_without_a_statement_of_its_own(store: Store) -> None:
    with store.reading() as session:
        row = job(session.now())
    with store.writing("start") as session:
        session.run(jobs.INSERT, row)

    with store.counting() as counts, store.reading() as session:
        session.one(jobs.BY_ID, {"job_id": row["job_id"]})
        now = session.now()

    assert now >= row["created_at"]
    assert counts.by_name == {"job.by_id": 1}


def test_the_clock_as_text_is_the_clock_as_expression(store: Store) -> None:
    dialect = store.database.engine.dialect.name
    assert dialect in ("sqlite", "postgresql", "mysql", "mariadb")
    as_text = Query(
        "test.clock",
        "The clock as text.",
        select(literal_column(clock.now_expression(dialect, is_stable=True), BigInteger).label("now")),
        int,
    )

    with store.reading() as session:
        microseconds = session.one(as_text)
        now = session.now()

    assert microseconds is not None
    assert abs(datetime.fromtimestamp(microseconds / 1e6, UTC) - now) < timedelta(seconds=5)
