"""The floor of W7: the same work by hand on three tables, with the driver alone, in 12 commits.

Insert the instance, five step results, set it waiting; insert the message; answer it with two step results and the end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import create_engine

_TABLES = (
    "CREATE TABLE floor_instance (id VARCHAR(32) PRIMARY KEY, status VARCHAR(10), body TEXT)",
    "CREATE TABLE floor_step (instance VARCHAR(32), number INTEGER, result TEXT, PRIMARY KEY (instance, number))",
    "CREATE TABLE floor_message (id VARCHAR(32) PRIMARY KEY, instance VARCHAR(32), body TEXT, is_taken INTEGER)",
)
COMMITS = 12


class Floor:
    """Does W7 by hand over one connection to the driver, one at a time."""

    def __init__(self, connection: Any, mark: str) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._mark = mark
        self._count = 0
        for table in _TABLES:
            self._run(table)
        connection.commit()

    def once(self) -> float:
        """Do one, and return its milliseconds."""
        self._count += 1
        this = f"{self._count:032x}"
        began = time.perf_counter()
        self._run("INSERT INTO floor_instance VALUES (?, ?, ?)", this, "running", json.dumps({"amount": 42}))
        self._connection.commit()
        for number in range(1, 6):
            self._step(this, number)
            self._connection.commit()
        self._run("UPDATE floor_instance SET status = ? WHERE id = ?", "waiting", this)
        self._connection.commit()
        self._run("INSERT INTO floor_message VALUES (?, ?, ?, ?)", this, this, json.dumps({"ok": True}), 0)
        self._connection.commit()
        self._run("UPDATE floor_message SET is_taken = 1 WHERE id = ?", this)
        self._connection.commit()
        for number in (6, 7):
            self._step(this, number)
            self._connection.commit()
        self._run("UPDATE floor_instance SET status = ? WHERE id = ?", "done", this)
        self._connection.commit()
        return (time.perf_counter() - began) * 1000

    def _step(self, this: str, number: int) -> None:
        self._run("INSERT INTO floor_step VALUES (?, ?, ?)", this, number, json.dumps({"x": number}))

    def _run(self, text: str, *values: Any) -> None:
        self._cursor.execute(text.replace("?", self._mark), values)


@contextmanager
def floor_on(url: str) -> Generator[Floor]:
    """Give the floor on an empty place for tables; SQLite in WAL with every commit synced, as the store has it."""
    engine = create_engine(url)
    pooled = engine.raw_connection()
    connection: Any = pooled.driver_connection
    try:
        is_sqlite = engine.dialect.name == "sqlite"
        if is_sqlite:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = FULL")
        yield Floor(connection, "?" if is_sqlite else "%s")
    finally:
        pooled.close()
        engine.dispose()
