"""What differs between SQLite, PostgreSQL and MySQL/MariaDB: connecting, beginning, and what an error means."""

from __future__ import annotations

import sqlite3
import threading
from datetime import timedelta
from typing import Any, Protocol

import psycopg
import pymysql
from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool

from engine.store.failures import (
    DuplicateRow,
    SchemaOutdated,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreUnavailable,
)

#: How long to wait for a free connection of this process, in seconds.
POOL_TIMEOUT_SECONDS = 30
CONNECT_TIMEOUT_SECONDS = 5
#: Connections kept; as many again may be opened for a while.
POOL_SIZE = 20


class Database(Protocol):
    """One kind of database behind the store."""

    engine: Engine

    def begin_reading(self, cursor: Any) -> None:
        """Open a transaction that will only read."""
        ...

    def begin_writing(self, cursor: Any) -> None:
        """Open a transaction that may write; on SQLite this takes the lock of the only writer."""
        ...

    def ended_writing(self) -> None:
        """Called once after each ``begin_writing`` that succeeded."""
        ...

    def explain(self, error: Exception) -> StoreError:
        """Return what a driver's error means."""
        ...


def open_database(url: str, *, lock_timeout: timedelta) -> Database:
    """Return the database behind a URL: ``sqlite:///file``, ``postgresql+psycopg://...`` or ``mysql+pymysql://...``.

    Opens no connection. ``lock_timeout`` is how long a statement waits for another writer.
    Raises StoreUnavailable for another kind of URL.
    """
    parsed = _parse(url)
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        return _Sqlite(parsed, lock_timeout.total_seconds())
    if kind == "postgresql":
        return _Postgresql(parsed.set(drivername="postgresql+psycopg"), lock_timeout.total_seconds())
    if kind in ("mysql", "mariadb"):
        return _Mysql(parsed.set(drivername="mysql+pymysql"), lock_timeout.total_seconds())
    raise StoreUnavailable(f"{kind} is not one of sqlite, postgresql, mysql, mariadb")


def _parse(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError as error:
        raise StoreUnavailable("its address is not a database URL") from error


class _Sqlite:
    """WAL, one writer at a time. Writers of this process queue at a lock, because SQLite's own waiting polls."""

    def __init__(self, url: URL, lock_timeout: float) -> None:
        in_memory = url.database in (None, "", ":memory:")
        self.engine = create_engine(
            url,
            pool_size=1 if in_memory else POOL_SIZE,
            max_overflow=0 if in_memory else POOL_SIZE,
            poolclass=QueuePool,
            pool_timeout=POOL_TIMEOUT_SECONDS,
            pool_reset_on_return=None,
            pool_use_lifo=True,
            connect_args={
                "check_same_thread": False,
                "timeout": lock_timeout,
                "isolation_level": None,
                "cached_statements": 512,
            },
        )
        event.listen(self.engine, "connect", self._connected)
        self._lock_timeout = lock_timeout
        self._writer = threading.Lock()

    @staticmethod
    def _connected(connection: sqlite3.Connection, _: object) -> None:
        if connection.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = OFF")

    def begin_reading(self, cursor: sqlite3.Cursor) -> None:
        cursor.execute("BEGIN")

    def begin_writing(self, cursor: sqlite3.Cursor) -> None:
        if not self._writer.acquire(timeout=self._lock_timeout):
            raise StoreBusy("another thread of this process is writing")
        try:
            cursor.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._writer.release()
            raise

    def ended_writing(self) -> None:
        self._writer.release()

    def explain(self, error: Exception) -> StoreError:
        code = getattr(error, "sqlite_errorcode", None)
        primary = code & 0xFF if isinstance(code, int) else None
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreBusy(str(error))
        if primary in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB):
            return StoreUnavailable(str(error))
        if primary == sqlite3.SQLITE_FULL:
            return StoreFull(str(error))
        if code in (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE):
            return DuplicateRow(str(error))
        if "no such table" in str(error) or "no such column" in str(error) or "has no column" in str(error):
            return SchemaOutdated(str(error))
        return StoreError(str(error))


def _given(url: URL, name: str) -> tuple[str, ...]:
    value = url.query.get(name, ())
    return (value,) if isinstance(value, str) else value


class _Postgresql:
    """READ COMMITTED; the driver itself begins with the first statement."""

    def __init__(self, url: URL, lock_timeout: float) -> None:
        self.engine = create_engine(
            url,
            paramstyle="format",
            isolation_level="READ COMMITTED",
            pool_size=POOL_SIZE,
            max_overflow=POOL_SIZE,
            pool_timeout=POOL_TIMEOUT_SECONDS,
            pool_reset_on_return=None,
            pool_use_lifo=True,
            connect_args={
                "connect_timeout": CONNECT_TIMEOUT_SECONDS,
                "options": " ".join(
                    [f"-c lock_timeout={round(lock_timeout * 1000)}ms -c timezone=UTC", *_given(url, "options")]
                ),
                "application_name": "vermilion",
            },
        )

    def begin_reading(self, cursor: Any) -> None:
        del cursor

    def begin_writing(self, cursor: Any) -> None:
        del cursor

    def ended_writing(self) -> None:
        pass

    def explain(self, error: Exception) -> StoreError:
        state = error.sqlstate if isinstance(error, psycopg.Error) else None
        if state in ("40001", "40P01", "55P03", "57014"):
            return StoreBusy(str(error))
        if state == "23505":
            return DuplicateRow(str(error))
        if state in ("42P01", "42703", "3F000"):
            return SchemaOutdated(str(error))
        if state in ("53100", "53200"):
            return StoreFull(str(error))
        is_operational = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))
        if is_operational and (state is None or state[:2] in ("08", "28", "3D", "53", "57")):
            return StoreUnavailable(str(error).strip())
        return StoreError(str(error))


class _Mysql:
    """MySQL or MariaDB: READ COMMITTED, utf8mb4; the driver itself begins with the first statement."""

    def __init__(self, url: URL, lock_timeout: float) -> None:
        self.engine = create_engine(
            url,
            paramstyle="format",
            isolation_level="READ COMMITTED",
            pool_size=POOL_SIZE,
            max_overflow=POOL_SIZE,
            pool_timeout=POOL_TIMEOUT_SECONDS,
            pool_reset_on_return=None,
            pool_use_lifo=True,
            pool_recycle=3600,
            connect_args={
                "charset": "utf8mb4",
                "connect_timeout": CONNECT_TIMEOUT_SECONDS,
                "init_command": (
                    f"SET SESSION innodb_lock_wait_timeout = {max(1, round(lock_timeout))}, "
                    "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'"
                ),
            },
        )

    def begin_reading(self, cursor: Any) -> None:
        del cursor

    def begin_writing(self, cursor: Any) -> None:
        del cursor

    def ended_writing(self) -> None:
        pass

    def explain(self, error: Exception) -> StoreError:
        code = error.args[0] if isinstance(error, pymysql.MySQLError) and error.args else None
        if code in (1020, 1205, 1213):
            return StoreBusy(str(error))
        if code == 1062:
            return DuplicateRow(str(error))
        if code in (1054, 1146):
            return SchemaOutdated(str(error))
        if code in (1021, 1114):
            return StoreFull(str(error))
        if code in _MYSQL_GONE or isinstance(error, pymysql.err.InterfaceError):
            return StoreUnavailable(str(error))
        return StoreError(str(error))


#: Access denied, unknown database, too many connections, shut down, killed, and the client's own 2xxx errors.
_MYSQL_GONE = {1040, 1044, 1045, 1049, 1053, 1077, 1129, 1130, 1152, 1153, 1184, 1203, 1226, 1317, 1927, 1698} | set(
    range(2000, 2062)
)
