"""Units of work: what is kept, what is undone, and what each failure is called."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest
from sqlalchemy import func, make_url, select, text

from engine.store import (
    Change,
    CommitOutcomeUnknown,
    DuplicateRow,
    Query,
    Store,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreUnavailable,
    TooManyRows,
    UnitClosed,
    UnitFailed,
    UnitInsideUnit,
    WrongParameters,
    instances,
    jobs,
)
from tests.databases import MARIADB, POSTGRESQL, Databases
from tests.store.rows import TENANT, instance, job

#: Allows SQLite's file a few pages more than it has, and many.
FEW_PAGES = Change("test.few_pages", "Nearly no room.", text("PRAGMA max_page_count = 1"))
MANY_PAGES = Change("test.many_pages", "Room again.", text("PRAGMA max_page_count = 1000000"))


class Points:
    """Crash points that remember what was passed and can raise at one of them."""

    def __init__(self, raise_at: str = "") -> None:
        self.passed: list[str] = []
        self.raise_at = raise_at

    def reached(self, point: str) -> None:
        self.passed.append(point)
        if point == self.raise_at:
            raise KeyboardInterrupt(point)


def now_of(store: Store) -> Any:
    with store.reading() as session:
        return session.now()


def exists(store: Store, job_id: str) -> bool:
    with store.reading() as session:
        return session.one(jobs.BY_ID, {"job_id": job_id}) is not None


# --- kept or undone ----------------------------------------------------------------------------------------------


def test_what_a_writing_changes_is_there_afterwards(store: Store) -> None:
    row = job(now_of(store))

    with store.writing("start") as session:
        assert session.run(jobs.INSERT, row) == 1

    with store.reading() as session:
        found = session.one(jobs.BY_ID, {"job_id": row["job_id"]})
    assert found is not None
    assert {name: getattr(found, name) for name in row} == row
    assert (found.owner, found.lease_until, found.has_open_intent) == (None, None, False)


def test_an_error_undoes_the_whole_unit(store: Store) -> None:
    row = job(now_of(store))

    with pytest.raises(RuntimeError, match="on purpose"), store.writing("start") as session:  # noqa: PT012
        session.run(jobs.INSERT, row)
        raise RuntimeError("on purpose")

    assert not exists(store, row["job_id"])


def test_an_abandoned_unit_is_undone_without_an_error(store: Store) -> None:
    row = job(now_of(store))

    with store.writing("start") as session:
        session.run(jobs.INSERT, row)
        session.abandon()

    assert not exists(store, row["job_id"])


def test_a_unit_in_which_a_statement_failed_cannot_be_kept(store: Store) -> None:
    """PostgreSQL alone would answer such a COMMIT with a silent ROLLBACK."""
    first = job(now_of(store))

    with pytest.raises(UnitFailed), store.writing("start") as session:  # noqa: PT012
        session.run(jobs.INSERT, first)
        with pytest.raises(DuplicateRow):
            session.run(jobs.INSERT, first)

    assert not exists(store, first["job_id"])


def test_a_reading_leaves_no_transaction_open(store: Store) -> None:
    with store.counting() as counts, store.reading() as session:
        session.now()

    assert (counts.commits, counts.rollbacks, counts.statements) == (0, 1, 1)


# --- crash points ------------------------------------------------------------------------------------------------


def test_the_crash_points_of_a_commit_are_passed_in_order(store_url: str) -> None:
    points = Points()
    store = Store(store_url, crash_points=points)

    with store.writing("claim"):
        assert points.passed == []
    with store.writing("result") as session:
        session.abandon()
    store.close()

    assert points.passed == ["claim.commit:before", "claim.commit:after"]


@pytest.mark.parametrize(("point", "is_kept"), [("start.commit:before", False), ("start.commit:after", True)])
def test_stopping_at_a_crash_point_keeps_what_was_committed(store_url: str, point: str, is_kept: bool) -> None:
    store = Store(store_url, crash_points=Points(raise_at=point))
    row = job(now_of(store))

    with pytest.raises(KeyboardInterrupt), store.writing("start") as session:
        session.run(jobs.INSERT, row)

    assert exists(store, row["job_id"]) is is_kept
    store.close()


# --- misuse ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", ["reading", "writing"])
def test_a_unit_inside_a_unit_is_refused(sqlite_store: Store, inner: str) -> None:
    with sqlite_store.writing("outer"):
        unit = sqlite_store.reading() if inner == "reading" else sqlite_store.writing("inner")
        with pytest.raises(UnitInsideUnit, match="never nested"), unit:
            pass

    with sqlite_store.writing("afterwards"):
        pass


def test_a_closed_unit_says_so(sqlite_store: Store) -> None:
    with sqlite_store.reading() as session:
        pass

    with pytest.raises(UnitClosed):
        session.now()


@pytest.mark.parametrize("parameters", [{}, {"job_id": "0" * 32, "job": 1}], ids=["missing", "unknown"])
def test_wrong_parameters_are_named(sqlite_store: Store, parameters: dict[str, Any]) -> None:
    with sqlite_store.reading() as session, pytest.raises(WrongParameters, match="job"):
        session.one(jobs.BY_ID, parameters)


def test_several_rows_where_one_was_meant_are_refused(sqlite_store: Store) -> None:
    now = now_of(sqlite_store)
    with sqlite_store.writing("start") as session:
        session.run(jobs.INSERT, [job(now), job(now)])

    with sqlite_store.reading() as session, pytest.raises(TooManyRows):
        session.one(jobs.DUE, {"lost_limit": 3, "limit": 5})


# --- two at once -------------------------------------------------------------------------------------------------


def test_of_two_advances_from_one_version_one_matches(store: Store) -> None:
    row = instance(now_of(store))
    with store.writing("start") as session:
        session.run(instances.INSERT, row)
    matched: list[int] = []
    together = threading.Barrier(8)

    def advance() -> None:
        changed = {f"new_{name}": row.get(name) for name in instances.CHANGED}
        key = {"tenant_id": TENANT, "workflow_id": row["workflow_id"], "expected_version": 1}
        together.wait()
        with store.writing("advance") as session:
            matched.append(session.run(instances.UPDATE, {**key, **changed}))

    in_threads([advance] * 8)

    assert sorted(matched) == [0] * 7 + [1]
    with store.reading() as session:
        found = session.one(instances.BY_ID, {"tenant_id": TENANT, "workflow_id": row["workflow_id"]})
    assert found is not None
    assert found.version == 2


def test_waiting_too_long_for_another_writer_is_busy(store_url: str) -> None:
    """The other writer is another process's: here, another store."""
    mine, other = Store(store_url, lock_timeout=timedelta(seconds=1)), Store(store_url)
    row = instance(now_of(mine))
    touch = {"tenant_id": TENANT, "workflow_id": row["workflow_id"], "expected_version": 1}
    with other.writing("start") as session:
        session.run(instances.INSERT, row)

    with other.writing("slow") as slow:
        slow.run(instances.RELEASE_KEY, touch)
        with pytest.raises(StoreBusy), mine.writing("hasty") as hasty:
            hasty.run(instances.RELEASE_KEY, touch)

    mine.close()
    other.close()


def test_a_deadlock_is_busy_for_one_and_nothing_for_the_other(store: Store) -> None:
    if store.database.engine.dialect.name == "sqlite":
        pytest.skip("SQLite has one writer, so no two can wait for each other")
    now = now_of(store)
    first, second = instance(now), instance(now)
    with store.writing("start") as session:
        session.run(instances.INSERT, [first, second])
    together = threading.Barrier(2)
    ends: list[str] = []

    def crosswise(rows: tuple[dict[str, Any], dict[str, Any]]) -> None:
        try:
            with store.writing("cross") as session:
                for number, row in enumerate(rows):
                    session.run(instances.RELEASE_KEY, key_of(row))
                    if number == 0:
                        together.wait(timeout=10)
        except StoreBusy:
            ends.append("busy")
        else:
            ends.append("kept")

    in_threads([lambda: crosswise((first, second)), lambda: crosswise((second, first))])

    assert sorted(ends) == ["busy", "kept"]


def key_of(row: dict[str, Any]) -> dict[str, Any]:
    return {"tenant_id": TENANT, "workflow_id": row["workflow_id"], "expected_version": 1}


def in_threads(works: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# --- databases that go away --------------------------------------------------------------------------------------


SERVERS = pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
OWN_CONNECTION = {
    "postgresql": Query("test.own_connection", "Its number at the server.", select(func.pg_backend_pid()), int),
    "mariadb": Query("test.own_connection", "Its number at the server.", select(func.connection_id()), int),
}


def kill(kind: str, number: int) -> None:
    """Let the server close a connection, and return when it has."""
    if kind == "postgresql":
        with psycopg.connect(POSTGRESQL.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(%s, 5000)", (number,))
        return
    url = make_url(MARIADB)
    with (
        closing(
            pymysql.connect(
                host=url.host, port=url.port or 3306, user=url.username, password=url.password or "", autocommit=True
            )
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(f"KILL CONNECTION {number}")
        alive = 1
        while alive:
            alive = cursor.execute("SELECT 1 FROM information_schema.processlist WHERE id = %s", (number,))


@SERVERS
def test_a_connection_that_died_while_idle_is_replaced_unnoticed(
    kind: str, databases: Databases, tmp_path: Path
) -> None:
    store = Store(databases.url(kind, tmp_path))
    row = job(now_of(store))
    with store.reading() as session:
        number = session.one(OWN_CONNECTION[kind])
    assert number is not None
    kill(kind, number)

    with store.writing("start") as session:
        session.run(jobs.INSERT, row)

    assert exists(store, row["job_id"])
    store.close()


@SERVERS
def test_a_connection_that_dies_within_a_unit_ends_it(kind: str, databases: Databases, tmp_path: Path) -> None:
    store = Store(databases.url(kind, tmp_path))
    first, second = job(now_of(store)), job(now_of(store))

    with pytest.raises(StoreUnavailable) as caught, store.writing("start") as session:  # noqa: PT012
        session.run(jobs.INSERT, first)
        number = session.one(OWN_CONNECTION[kind])
        assert number is not None
        kill(kind, number)
        session.run(jobs.INSERT, second)

    assert not isinstance(caught.value, CommitOutcomeUnknown)
    assert not exists(store, first["job_id"])
    store.close()


@SERVERS
def test_a_connection_that_dies_at_the_commit_leaves_the_outcome_unknown(
    kind: str, databases: Databases, tmp_path: Path
) -> None:
    store = Store(databases.url(kind, tmp_path))
    row = job(now_of(store))

    with pytest.raises(CommitOutcomeUnknown, match="Read back"), store.writing("start") as session:  # noqa: PT012
        session.run(jobs.INSERT, row)
        number = session.one(OWN_CONNECTION[kind])
        assert number is not None
        kill(kind, number)

    assert not exists(store, row["job_id"])
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("sqlite:////there/is/no/such/folder/vermilion.sqlite", id="no folder"),
        pytest.param("postgresql+psycopg://nobody@127.0.0.1:9/test", id="postgresql, no server"),
        pytest.param("mysql+pymysql://nobody@127.0.0.1:9/test", id="mysql, no server"),
    ],
)
def test_a_database_that_cannot_be_reached_is_unavailable(url: str) -> None:
    store = Store(url)

    with pytest.raises(StoreUnavailable, match="cannot be reached"), store.reading() as session:
        session.now()
    with pytest.raises(StoreUnavailable), store.writing("start") as session:
        session.now()
    with pytest.raises(StoreUnavailable):
        store.migrate()


@pytest.mark.parametrize("url", ["oracle://x/y", "not a url"])
def test_an_address_that_is_no_database_of_ours_is_refused(url: str) -> None:
    with pytest.raises(StoreUnavailable):
        Store(url)


def test_a_full_disk_is_loud_and_passes(sqlite_url: str) -> None:
    store = Store(sqlite_url)
    now = now_of(store)
    row = job(now, arguments=b"x" * 200_000)
    with store.writing("limit") as session:
        session.run(FEW_PAGES)

    with pytest.raises(StoreFull, match="make room"), store.writing("start") as session:
        session.run(jobs.INSERT, row)

    with store.writing("limit") as session:
        session.run(MANY_PAGES)
    with store.writing("start") as session:
        session.run(jobs.INSERT, row)
    assert exists(store, row["job_id"])
    store.close()


def test_every_error_says_what_to_do() -> None:
    assert str(StoreBusy("x")).endswith("do it again. (x)")
    assert issubclass(StoreBusy, StoreError)


def test_a_unit_can_be_opened_again_after_a_failure_to_open(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'later' / 'vermilion.sqlite'}")
    with pytest.raises(StoreUnavailable), store.writing("early"):
        pass
    (tmp_path / "later").mkdir()

    store.migrate()
    with store.writing("start") as session:
        assert session.now().tzinfo is not None
    store.close()


def test_two_processes_may_write_one_file(sqlite_url: str) -> None:
    """Each adds to one row under its version, again and again; not one addition is lost."""
    store = Store(sqlite_url)
    row = instance(now_of(store), version=0)
    with store.writing("start") as session:
        session.run(instances.INSERT, row)
    program = (
        "import sys\n"
        "from engine.store import Store, instances\n"
        "store = Store(sys.argv[1])\n"
        "key = {'tenant_id': 'main', 'workflow_id': sys.argv[2]}\n"
        "for _ in range(100):\n"
        "    with store.writing('add') as session:\n"
        "        found = session.one(instances.HEAD, key)\n"
        "        done = session.run(instances.RELEASE_KEY, {**key, 'expected_version': found.version})\n"
        "        assert done == 1\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program, sqlite_url, row["workflow_id"]], stderr=subprocess.PIPE)
        for _ in range(2)
    ]

    errors = [process.communicate(timeout=60)[1] for process in processes]

    assert errors == [b"", b""]
    with store.reading() as session:
        found = session.one(instances.HEAD, {"tenant_id": TENANT, "workflow_id": row["workflow_id"]})
    assert found is not None
    assert found.version == 200
    store.close()
