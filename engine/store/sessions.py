"""Units of work: one transaction each, for reading or for writing. Never nested, never shared between threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, TypeVar

from engine.store.failures import (
    CommitOutcomeUnknown,
    DuplicateRow,
    StoreUnavailable,
    TooManyRows,
    UnitClosed,
    UnitFailed,
)
from engine.store.shared import Shared
from engine.store.statements import Change, Parameters, Prepared, Query

Row = TypeVar("Row")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOTHING: Parameters = {}


class ReadSession:
    """Reads within one transaction, which ends by rollback. Made by ``Store.reading()``."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._connection: Any = None
        self._cursor: Any = None
        self._now: datetime | None = None
        #: Nothing was sent yet: a connection that went stale in the pool may be replaced unnoticed.
        self._is_fresh = True
        #: A statement failed: PostgreSQL would turn the commit into a silent rollback.
        self._has_failed = False

    def __enter__(self) -> ReadSession:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(is_kept=False)

    # --- what a unit of work can be asked ------------------------------------------------------------------------

    def one(self, query: Query[Row], parameters: Parameters = _NOTHING) -> Row | None:
        """Return the only row of a query, or None. Raises TooManyRows."""
        rows = self.all(query, parameters)
        if len(rows) > 1:
            raise TooManyRows(query.name)
        return rows[0] if rows else None

    def all(self, query: Query[Row], parameters: Parameters = _NOTHING) -> list[Row]:
        """Return all rows of a query, which bounds them itself."""
        prepared = self._shared.prepared(query)
        self._execute(prepared, prepared.bind(parameters))
        rows = self._cursor.fetchall()
        if prepared.tells_time and rows and self._now is None:
            self._now = _EPOCH + timedelta(microseconds=rows[0][-1])
        make = prepared.make
        assert make is not None  # noqa: S101 - a query always has one
        return [make(row) for row in rows]

    def now(self) -> datetime:
        """Return the database's clock, offset included, read once in this unit of work."""
        if self._now is None:
            self._execute(self._shared.clock_statement, ())
            self._now = _EPOCH + timedelta(microseconds=self._cursor.fetchall()[0][0])
        return self._now

    # --- the transaction -----------------------------------------------------------------------------------------

    def _open(self) -> None:
        self._shared.enter_unit()
        try:
            self._begin()
        except BaseException:
            self._shared.leave_unit()
            raise

    def _begin(self) -> None:
        try:
            self._connection = self._shared.connect()
            self._cursor = self._connection.driver_connection.cursor()
            self._begin_transaction()
        except BaseException as error:
            self._give_back(is_broken=True)
            if isinstance(error, Exception):
                raise self._shared.explained(error) from error
            raise

    def _begin_transaction(self) -> None:
        self._shared.database.begin_reading(self._cursor)

    def _execute(self, prepared: Prepared, values: Sequence[Any], *, is_many: bool = False) -> None:
        if self._cursor is None:
            raise UnitClosed(prepared.name)
        self._shared.count(prepared.name, len(values) if is_many else 1)
        try:
            if is_many:
                self._cursor.executemany(prepared.text, values)
            else:
                self._cursor.execute(prepared.text, values)
        except Exception as error:
            reason = self._shared.explained(error)
            self._has_failed = True
            if not (self._is_fresh and isinstance(reason, StoreUnavailable)):
                raise reason from error
            self._replace_connection()
            self._has_failed = False
            self._execute(prepared, values, is_many=is_many)
        self._is_fresh = False

    def _replace_connection(self) -> None:
        """Open a new connection after the pool gave one that the server had closed long ago; not a second time."""
        self._is_fresh = False
        self._give_back(is_broken=True)
        self._shared.forget_connections()
        self._begin()

    def _close(self, *, is_kept: bool) -> None:
        """End the transaction. Raises StoreError when it should be kept and cannot."""
        try:
            if is_kept and not self._has_failed:
                self._commit()
                return
            self._rollback()
            if is_kept:
                raise UnitFailed
        finally:
            self._give_back(is_broken=False)
            self._shared.leave_unit()

    def _commit(self) -> None:
        try:
            self._connection.driver_connection.commit()
        except Exception as error:
            reason = self._shared.explained(error)
            self._give_back(is_broken=True)
            if isinstance(reason, StoreUnavailable):
                raise CommitOutcomeUnknown(reason.detail) from error
            raise reason from error
        self._shared.count_commit()

    def _rollback(self) -> None:
        if self._connection is None:
            return
        try:
            self._connection.driver_connection.rollback()
        except Exception:  # the server ends the transaction of a broken connection by itself
            self._give_back(is_broken=True)
        self._shared.count_rollback()

    def _give_back(self, *, is_broken: bool) -> None:
        connection, self._connection, self._cursor = self._connection, None, None
        if connection is None:
            return
        if is_broken:
            connection.invalidate()
        connection.close()


class WriteSession(ReadSession):
    """Reads and writes within one transaction, committed at the end unless something was raised.

    Made by ``Store.writing(what)``. ``what`` names the crash points ``<what>.commit:before`` and ``:after``.
    """

    def __init__(self, shared: Shared, what: str) -> None:
        super().__init__(shared)
        self._what = what
        self._is_abandoned = False
        self._has_begun = False

    def __enter__(self) -> WriteSession:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None or self._is_abandoned:
            self._close(is_kept=False)
            return
        try:
            self._shared.crash_points.reached(f"{self._what}.commit:before")
        except BaseException:
            self._close(is_kept=False)
            raise
        self._close(is_kept=True)
        self._shared.crash_points.reached(f"{self._what}.commit:after")

    def run(self, change: Change, parameters: Parameters | Sequence[Parameters] = _NOTHING) -> int:
        """Run a change once, or once per set of parameters in one go, and return how many rows it matched.

        An empty list runs nothing. Raises DuplicateRow, StoreBusy, StoreUnavailable, SchemaOutdated, StoreError.
        """
        prepared = self._shared.prepared(change)
        if isinstance(parameters, Mapping):
            return self._run_once(prepared, prepared.bind(parameters))
        if not parameters:
            return 0
        rows = [prepared.bind(row) for row in parameters]
        if len(rows) == 1 or prepared.is_if_absent:
            return sum(self._run_once(prepared, row) for row in rows)
        self._execute(prepared, rows, is_many=True)
        return self._cursor.rowcount

    def abandon(self) -> None:
        """Roll back at the end instead of committing, without raising anything."""
        self._is_abandoned = True

    def _run_once(self, prepared: Prepared, values: Sequence[Any]) -> int:
        try:
            self._execute(prepared, values)
        except DuplicateRow:
            if not prepared.is_if_absent:
                raise
            self._has_failed = False
            return 0
        return self._cursor.rowcount

    def _begin_transaction(self) -> None:
        self._shared.database.begin_writing(self._cursor)
        self._has_begun = True

    def _give_back(self, *, is_broken: bool) -> None:
        super()._give_back(is_broken=is_broken)
        if self._has_begun:
            self._has_begun = False
            self._shared.database.ended_writing()
