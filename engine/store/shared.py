"""What the units of work of one store share: connections, compiled statements, counters, and who has a unit open."""

from __future__ import annotations

import threading
from typing import Any

from sqlalchemy import BigInteger, select, type_coerce
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.store import clock
from engine.store.counting import Counts
from engine.store.crash_points import CrashPoints
from engine.store.databases import Database
from engine.store.failures import StoreBusy, StoreError, UnitInsideUnit
from engine.store.statements import Prepared, Query, Statement, prepare

_CLOCK = Query(
    "clock.now",
    "The database's clock, offset included, in microseconds.",
    select(type_coerce(clock.now_for_row(), BigInteger).label("now")),
    int,
)


class Shared:
    """Owned by a ``Store``, used by its sessions; nobody else sees it."""

    def __init__(self, database: Database, crash_points: CrashPoints) -> None:
        self.database = database
        self.crash_points = crash_points
        self._prepared: dict[Statement, Prepared] = {}
        self._units: set[int] = set()
        self._counting: tuple[Counts, ...] = ()
        self._counting_lock = threading.Lock()
        self.clock_statement = self.prepared(_CLOCK)

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

    def start_counting(self, counts: Counts) -> None:
        """Count into ``counts`` too, from now on."""
        with self._counting_lock:
            self._counting = (*self._counting, counts)

    def stop_counting(self, counts: Counts) -> None:
        """Count into ``counts`` no more."""
        with self._counting_lock:
            self._counting = tuple(each for each in self._counting if each is not counts)
