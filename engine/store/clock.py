"""The one clock (P13): the database's own, plus an offset that tests and sandboxes move.

Every instant in SQL comes from here, in microseconds since 1970-01-01 UTC. Which of the database's clocks is asked:

========== ==================================== ================================================================
database   in a condition on one row            in a scan over an index
========== ==================================== ================================================================
SQLite     ``julianday('now')``, milliseconds   the same: constant within one statement
PostgreSQL ``clock_timestamp()``: goes on while ``statement_timestamp()``: stable, so that it can bound an index
           the statement waits for a row lock
MySQL      ``UTC_TIMESTAMP(6)``, the start of   the same
MariaDB    the statement
========== ==================================== ================================================================
"""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import ColumnElement
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from engine.store.columns import Instant

_OFFSET = "coalesce((SELECT microseconds FROM clock_offset WHERE clock_id = 1), 0)"
_POSTGRESQL = "CAST(EXTRACT(EPOCH FROM {clock}) * 1000000 AS BIGINT)"
_MYSQL = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))"
_SQLITE = "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000"


class _Now(ColumnElement[Any]):
    """The clock as a SQL expression; ``is_stable`` where it bounds an index."""

    inherit_cache = True
    _traverse_internals: Any = []  # noqa: RUF012 - SQLAlchemy's protocol: no part takes part in the cache key

    def __init__(self) -> None:
        self.type = Instant()


class _RowNow(_Now):
    inherit_cache = True
    is_stable = False


class _ScanNow(_Now):
    inherit_cache = True
    is_stable = True


def now_for_row() -> ColumnElement[Any]:
    """Return the clock for a condition on a row found by its key: claims, heartbeats, new leases."""
    return _RowNow()


def now_for_scan() -> ColumnElement[Any]:
    """Return the clock for a range over an index: due lists."""
    return _ScanNow()


def now_expression(dialect: Literal["sqlite", "postgresql", "mysql", "mariadb"], *, is_stable: bool = False) -> str:
    """Return the clock, offset included, as SQL text in microseconds."""
    if dialect == "sqlite":
        clock = _SQLITE
    elif dialect == "postgresql":
        clock = _POSTGRESQL.format(clock="statement_timestamp()" if is_stable else "clock_timestamp()")
    else:
        clock = _MYSQL
    return f"({clock} + {_OFFSET})"


@compiles(_RowNow)
@compiles(_ScanNow)
def _render(element: _RowNow | _ScanNow, compiler: SQLCompiler, **_: Any) -> str:
    name: Any = compiler.dialect.name
    return now_expression(name, is_stable=element.is_stable)
