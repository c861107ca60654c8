"""One system's own SQLite file: one connection, one user of it at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

#: What can stand in a column.
Cell = str | int | float | None

_CALLS = """
create table if not exists calls (
    id integer primary key, at text not null, operation text not null, method text not null, path text not null,
    status integer, caller text, key text, trace text, correlation text, fault text, milliseconds real not null
)
"""


class Database:
    """A system's documents. Every method may be called from any thread.

    A transaction holds the only connection, so two requests never change documents at the same time: what a real
    system does with locks.
    """

    def __init__(self, path: Path, schema: Sequence[str]) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = normal")
        for statement in (*schema, _CALLS):
            self._connection.execute(statement)

    @contextmanager
    def writing(self) -> Generator[None]:
        """Make the statements inside one transaction; an exception undoes them."""
        with self._lock:
            self._connection.execute("begin immediate")
            try:
                yield
            except BaseException:
                self._connection.execute("rollback")
                raise
            self._connection.execute("commit")

    def rows(self, statement: str, *values: Cell) -> list[sqlite3.Row]:
        """Return what the statement selects."""
        with self._lock:
            return self._connection.execute(statement, values).fetchall()

    def row(self, statement: str, *values: Cell) -> sqlite3.Row | None:
        """Return the first selected row, or None."""
        found = self.rows(statement, *values)
        return found[0] if found else None

    def run(self, statement: str, *values: Cell) -> int:
        """Carry out a statement; return how many rows it changed."""
        with self._lock:
            return self._connection.execute(statement, values).rowcount

    def insert(self, table: str, **columns: Cell) -> int:
        """Add a row to one of the program's own tables; return its row id."""
        names = ", ".join(columns)
        marks = ", ".join("?" for _ in columns)
        with self._lock:
            cursor = self._connection.execute(
                f"insert into {table} ({names}) values ({marks})",  # noqa: S608 - names come from this program
                tuple(columns.values()),
            )
            return cursor.lastrowid or 0

    def close(self) -> None:
        """Close the file; nothing may be called afterwards."""
        with self._lock:
            self._connection.close()
