"""The door to the database: units of work for reading and writing, the schema, the clock's offset."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta

from sqlalchemy import BigInteger, bindparam, delete, insert, select
from sqlalchemy.exc import DBAPIError

from engine.store import migrations
from engine.store.counting import Counts
from engine.store.crash_points import CrashPoints, NoCrash
from engine.store.databases import open_database
from engine.store.sessions import ReadSession, WriteSession
from engine.store.shared import Shared
from engine.store.statements import Change, Prepared, Query, Statement
from engine.store.tables import clock_offset

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
        self._shared = Shared(self.database, crash_points or NoCrash())

    # --- units of work -------------------------------------------------------------------------------------------

    def reading(self) -> ReadSession:
        """Return a unit of work that reads and ends by rollback; use it in a with block.

        Entering raises UnitInsideUnit, StoreUnavailable, StoreBusy.
        """
        return ReadSession(self._shared)

    def writing(self, what: str) -> WriteSession:
        """Return a unit of work that is committed at the end of its with block, or rolled back if that raises.

        ``what`` names its crash points: ``<what>.commit:before`` and ``<what>.commit:after``. Entering raises
        UnitInsideUnit, StoreUnavailable, StoreBusy; leaving raises StoreBusy or CommitOutcomeUnknown.
        """
        return WriteSession(self._shared, what)

    # --- tests and measurements ----------------------------------------------------------------------------------

    @contextmanager
    def counting(self) -> Generator[Counts]:
        """Count what drivers are asked to do in the with block, by all threads of this store."""
        counts = Counts()
        self._shared.start_counting(counts)
        try:
            yield counts
        finally:
            self._shared.stop_counting(counts)

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
            raise self._shared.explained(error) from error

    def check_schema(self) -> None:
        """Raise SchemaOutdated unless the tables are those of this version, StoreUnavailable without a database."""
        try:
            migrations.check(self.database.engine)
        except DBAPIError as error:
            raise self._shared.explained(error) from error

    def close(self) -> None:
        """Close the connections that nobody uses now. The store opens new ones when it is used again."""
        self.database.engine.dispose()

    def prepared(self, statement: Statement) -> Prepared:
        """Return a statement as this database takes it; compiled at its first use."""
        return self._shared.prepared(statement)
