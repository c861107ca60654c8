"""A statement with a name: written once in SQLAlchemy Core, compiled once per database, counted by its name.

The hot path does not go through SQLAlchemy's execution layer: what Core compiled is kept as text together with the
conversions of its parameters and columns, and handed to the driver. That is why a statement's shape is fixed: a list
with optional filters is a family of statements, one per set of filters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import (
    BindParameter,
    ClauseElement,
    ColumnElement,
    Dialect,
    Insert,
    Integer,
    Select,
    Table,
    bindparam,
    insert,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.compiler import SQLCompiler

from engine.store import clock
from engine.store.failures import WrongParameters

Row = TypeVar("Row")
Parameters = Mapping[str, Any]
Convert = Callable[[Any], Any]
AnySelect = Select[*tuple[Any, ...]]

_CLOCK_COLUMN = "database_now"


def same(table: Table, *columns: str) -> list[ColumnElement[bool]]:
    """Return the conditions that columns equal the parameters of the same names."""
    return [table.c[name] == bindparam(name, type_=table.c[name].type) for name in columns]


def new(table: Table, *columns: str) -> dict[Any, Any]:
    """Return assignments of columns from parameters ``new_<column>``."""
    return {table.c[name]: bindparam(f"new_{name}", type_=table.c[name].type) for name in columns}


def limit() -> BindParameter[int]:
    """Return the parameter ``limit``: how many rows at most."""
    return bindparam("limit", type_=Integer)


#: Give as ``after`` to a list in ascending order of ids for its first page.
FIRST = "0" * 32
#: Give as ``before`` to a list in descending order of ids for its first page.
LAST = "f" * 32


def after(column: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that an ascending list goes on after the parameter ``after``."""
    return column > bindparam("after", type_=column.type)


def before(column: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that a descending list goes on before the parameter ``before``."""
    return column < bindparam("before", type_=column.type)


class Statement:
    """A named statement. ``purpose`` is the line that explains it to whoever reads a count or a slow log."""

    def __init__(self, name: str, purpose: str, sql: ClauseElement) -> None:
        self.name = name
        self.purpose = purpose
        self.sql = sql

    def for_dialect(self, dialect: Dialect) -> ClauseElement:
        """Return what is compiled for a database; the same for all unless a subclass says otherwise."""
        del dialect
        return self.sql

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Change(Statement):
    """Inserts, updates or deletes; running it gives the number of rows matched.

    Parameters of nullable columns may be left out of an insert.
    """


class InsertIfAbsent(Change):
    """Inserts a row unless one with the same primary or unique key exists; running it gives 1 or 0.

    SQLite and PostgreSQL: ``ON CONFLICT DO NOTHING``. MySQL and MariaDB: a plain insert whose duplicate-key error
    (1062) is the answer 0, because ``INSERT IGNORE`` would swallow values that are too long or missing as well.
    """

    def __init__(self, name: str, purpose: str, table: Table) -> None:
        super().__init__(name, purpose, insert(table))
        self._table = table

    def for_dialect(self, dialect: Dialect) -> ClauseElement:
        if dialect.name == "sqlite":
            return sqlite.insert(self._table).on_conflict_do_nothing()
        if dialect.name == "postgresql":
            return postgresql.insert(self._table).on_conflict_do_nothing()
        return self.sql


class Query(Statement, Generic[Row]):
    """Reads rows of a type.

    Parameters
    ----------
    row
        A keyword-only dataclass with exactly the selected columns as fields, or the type of the only column.
    tells_time
        Read the database's clock in the same statement; ``session.now()`` then needs none of its own.
    """

    def __init__(self, name: str, purpose: str, sql: AnySelect, row: type[Row], *, tells_time: bool = False) -> None:
        keys = list(sql.selected_columns.keys())
        if is_dataclass(row):
            wanted = {field.name for field in fields(row)}
            if wanted != set(keys):
                raise WrongParameters(f"{name}: {row.__name__} and the columns differ in {sorted(wanted ^ set(keys))}")
        elif len(keys) != 1:
            raise WrongParameters(f"{name}: {len(keys)} columns do not make a {row.__name__}")
        if tells_time:
            sql = sql.add_columns(clock.now_for_row().label(_CLOCK_COLUMN))
        super().__init__(name, purpose, sql)
        self.columns = sql.selected_columns
        self.row = row
        self.tells_time = tells_time


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement as one database's driver takes it."""

    name: str
    text: str
    #: Parameter name, conversion, and (whether a value need not be given, the value then).
    binds: tuple[tuple[str, Convert | None, bool, Any], ...]
    names: frozenset[str]
    #: Makes a result row of a driver row; None for changes.
    make: Callable[[Sequence[Any]], Any] | None
    tells_time: bool
    is_if_absent: bool

    def bind(self, parameters: Parameters) -> list[Any]:
        """Return the driver's positional parameters.

        Raises WrongParameters when one is missing or unknown.
        """
        values: list[Any] = []
        for name, convert, is_optional, default in self.binds:
            try:
                value = parameters[name]
            except KeyError:
                if not is_optional:
                    raise WrongParameters(f"{self.name}: {name} is missing") from None
                values.append(default)
                continue
            values.append(convert(value) if convert is not None else value)
        if not parameters.keys() <= self.names:
            raise WrongParameters(f"{self.name}: unknown {sorted(parameters.keys() - self.names)}")
        return values


def prepare(statement: Statement, dialect: Dialect) -> Prepared:
    """Compile a statement for a database."""
    sql = statement.for_dialect(dialect)
    compiled = sql.compile(dialect=dialect)
    if not isinstance(compiled, SQLCompiler) or compiled.positiontup is None or compiled.post_compile_params:
        raise WrongParameters(f"{statement.name}: its shape is not fixed")
    optional = _optional_columns(sql)
    binds: list[tuple[str, Convert | None, bool, Any]] = []
    names: set[str] = set()
    for name in compiled.positiontup:
        bind = compiled.binds[name]
        convert = bind.type.dialect_impl(dialect).bind_processor(dialect)
        default = None if bind.required else bind.effective_value
        if convert is not None and default is not None:
            default = convert(default)
        binds.append((name, convert, not bind.required or name in optional, default))
        names.add(name)
    query = cast("Query[Any] | None", statement if isinstance(statement, Query) else None)
    return Prepared(
        name=statement.name,
        text=str(compiled),
        binds=tuple(binds),
        names=frozenset(names),
        make=_maker(query, dialect) if query is not None else None,
        tells_time=query is not None and query.tells_time,
        is_if_absent=isinstance(statement, InsertIfAbsent),
    )


def _optional_columns(sql: ClauseElement) -> frozenset[str]:
    if not isinstance(sql, Insert):
        return frozenset()
    return frozenset(column.name for column in sql.table.columns if column.nullable)


def _maker(statement: Query[Any], dialect: Dialect) -> Callable[[Sequence[Any]], Any]:
    columns = [(key, column) for key, column in statement.columns.items() if key != _CLOCK_COLUMN]
    converts = [column.type.dialect_impl(dialect).result_processor(dialect, None) for _, column in columns]
    if not is_dataclass(statement.row):
        convert = converts[0]
        return (lambda values: values[0]) if convert is None else (lambda values: convert(values[0]))
    row: Callable[..., Any] = statement.row
    plan = [(key, convert) for (key, _), convert in zip(columns, converts, strict=True)]

    def make(values: Sequence[Any]) -> Any:
        return row(
            **{
                key: value if convert is None else convert(value)
                for (key, convert), value in zip(plan, values, strict=False)
            }
        )

    return make
