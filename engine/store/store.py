"""The door to the database: units of work for reading and writing, the schema, the clock's offset."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import BigInteger, bindparam, delete, insert, select, type_coerce
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.store import clock, migrations
from engine.store.counting import Counts
from engine.store.crash_points import CrashPoints, NoCrash
from engine.store.databases import open_database
from engine.store.failures import StoreBusy, StoreError, UnitInsideUnit
from engine.store.sessions import ReadSession, WriteSession
from engine.store.statements import Change, Prepared, Query, Statement, prepare
from engine.store.tables import clock_offset

_CLOCK = Query(
    "clock.now",
    "The database's clock, offset included, in microseconds.",
    select(type_coerce(clock.now_for_row(), BigInteger).label("now")),
    int,
)
_OFFSET = Query("clock.offset", "What is added to the database's clock.", select(clock_offset.c.microseconds), int)
_OFFSET_DELETE = Change("clock.offset_delete", "Forget the clock's offset.", delete(clock_offset))
_OFFSET_INSERT = Change(
    "clock.offset_insert",
    "Set the clock's offset.",
    insert(clock_offset).values(clock_id=1, microseconds=bindparam("by", type_=BigInteger)),
)


class Store:
    """A database with Vermilion's tables.

    ::

        store = Store("sqlite:///vermilion.sqlite")
        store.migrate()
        with store.writing("decision") as session:
            session.run(tasks.DELETE, {"tenant_id": ..., "task_id": ...})

    A store may be used from any number of threads, and several processes may open one database.

    Parameters
    ----------
    url
        ``sqlite:///path``, ``postgresql+psycopg://...`` or ``mysql+pymysql://...``. Nothing is opened before first use.
    crash_points
        Is told before and after every commit; does nothing in the product.
    lock_timeout
        How long a unit of work waits for another writer before it gives up with StoreBusy (MySQL: whole seconds).
    """

    def __init__(
        self, url: str, *, crash_points: CrashPoints | None = None, lock_timeout: timedelta = timedelta(seconds=10)
    ) -> None:
        self.database = open_database(url, lock_timeout=lock_timeout)
        self.crash_points: CrashPoints = crash_points or NoCrash()
        self._prepared: dict[Statement, Prepared] = {}
        self._units: set[int] = set()
        self._counting: tuple[Counts, ...] = ()
        self._counting_lock = threading.Lock()
        self.clock_statement = self.prepared(_CLOCK)

    # --- units of work -------------------------------------------------------------------------------------------

    def reading(self) -> ReadSession:
        """Return a unit of work that reads and ends by rollback; use it in a with block.

        Entering raises UnitInsideUnit, StoreUnavailable, StoreBusy.
        """
        return ReadSession(self)

    def writing(self, what: str) -> WriteSession:
        """Return a unit of work that is committed at the end of its with block, or rolled back if that raises.

        ``what`` names its crash points: ``<what>.commit:before`` and ``<what>.commit:after``. Entering raises
        UnitInsideUnit, StoreUnavailable, StoreBusy; leaving raises StoreBusy or CommitOutcomeUnknown.
        """
        return WriteSession(self, what)

    # --- tests and measurements ----------------------------------------------------------------------------------

    @contextmanager
    def counting(self) -> Generator[Counts]:
        """Count what drivers are asked to do in the with block, by all threads of this store."""
        counts = Counts()
        with self._counting_lock:
            self._counting = (*self._counting, counts)
        try:
            yield counts
        finally:
            with self._counting_lock:
                self._counting = tuple(open_ for open_ in self._counting if open_ is not counts)

    def move_clock(self, by: timedelta) -> None:
        """Move the clock of everybody who uses this database; for tests, simulation and sandboxes only."""
        with self.writing("clock") as session:
            offset = (session.one(_OFFSET) or 0) + by // timedelta(microseconds=1)
            session.run(_OFFSET_DELETE)
            if offset:
                session.run(_OFFSET_INSERT, {"by": offset})

    # --- schema --------------------------------------------------------------------------------------------------

    def migrate(self) -> None:
        """Bring the tables to this version. Several processes may do this at the same time.

        Raises StoreUnavailable, StoreBusy, SchemaOutdated when the database is of a later version.
        """
        try:
            migrations.upgrade(self.database.engine)
        except DBAPIError as error:
            raise self.explained(error) from error

    def check_schema(self) -> None:
        """Raise SchemaOutdated unless the tables are those of this version, StoreUnavailable without a database."""
        try:
            migrations.check(self.database.engine)
        except DBAPIError as error:
            raise self.explained(error) from error

    def close(self) -> None:
        """Close the connections that nobody uses now. The store opens new ones when it is used again."""
        self.database.engine.dispose()

    # --- for the sessions ----------------------------------------------------------------------------------------

    def prepared(self, statement: Statement) -> Prepared:
        """Return a statement as this database takes it; compiled at its first use."""
        found = self._prepared.get(statement)
        if found is None:
            found = self._prepared[statement] = prepare(statement, self.database.engine.dialect)
        return found

    def connect(self) -> Any:
        """Return a pooled connection to the driver."""
        return self.database.engine.raw_connection()

    def forget_connections(self) -> None:
        """Drop idle connections, because one of them turned out to be dead."""
        self.database.engine.dispose()

    def explained(self, error: BaseException) -> StoreError:
        """Return what an error of the driver, of its pool or of SQLAlchemy means."""
        if isinstance(error, StoreError):
            return error
        if isinstance(error, PoolTimeout):
            return StoreBusy("all connections of this process are in use")
        if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
            return self.database.explain(error.orig)
        if isinstance(error, Exception):
            return self.database.explain(error)
        raise error

    def enter_unit(self) -> None:
        """Note that this thread has a unit open. Raises UnitInsideUnit when it already has."""
        thread = threading.get_ident()
        if thread in self._units:
            raise UnitInsideUnit
        self._units.add(thread)

    def leave_unit(self) -> None:
        """Note that this thread has no unit open any more."""
        self._units.discard(threading.get_ident())

    def count(self, name: str, executions: int) -> None:
        """Count a statement."""
        for counts in self._counting:
            counts.by_name[name] += 1
            counts.executions += executions

    def count_commit(self) -> None:
        """Count a commit."""
        for counts in self._counting:
            counts.commits += 1

    def count_rollback(self) -> None:
        """Count a rollback."""
        for counts in self._counting:
            counts.rollbacks += 1
