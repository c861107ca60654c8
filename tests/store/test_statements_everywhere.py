"""Every named statement compiles and runs on every database."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import Boolean
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

import engine.store
from engine.store import Change, Query, Statement, Store
from engine.store.columns import Bytes, Digest, Duration, Id, Instant, Json, Text
from engine.store.instances import listing
from engine.store.retention import REMOVALS
from engine.store.tasks import of_roles


def every_statement() -> Iterator[Statement]:
    """Yield the statements that the modules export, and some of those they make."""
    yield from REMOVALS
    for module in pkgutil.iter_modules(engine.store.__path__):
        if module.name == "migrations":
            continue
        for value in vars(importlib.import_module(f"engine.store.{module.name}")).values():
            if isinstance(value, Statement):
                yield value
    yield listing()[0]
    yield listing(workflow_type="a", business_status="B", execution_state="waiting")[0]
    yield of_roles(["a", "b", "c"])[0]


EVERY = tuple({id(statement): statement for statement in every_statement()}.values())


def test_names_are_unique() -> None:
    names = Counter(statement.name for statement in EVERY)

    assert len(names) > 90
    assert [name for name, count in names.items() if count > 1] == []


def sample(kind: TypeEngine[Any], now: datetime) -> Any:
    """Return some value of a column type."""
    samples: dict[type[Any], Any] = {
        Id: "0" * 32,
        Instant: now,
        Duration: timedelta(seconds=1),
        Json: {},
        Bytes: b"",
        Digest: "0" * 64,
        Text: "x",
        Boolean: False,
    }
    return samples.get(type(kind), 1)


def parameters(statement: Statement, store: Store, now: datetime) -> dict[str, Any]:
    """Return some value for each parameter that a statement needs."""
    dialect = store.database.engine.dialect
    compiled = statement.for_dialect(dialect).compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler)
    return {
        name: sample(compiled.binds[name].type, now)
        for name in store.prepared(statement).names
        if compiled.binds[name].required
    }


def test_every_statement_runs_on_every_database(store: Store) -> None:
    with store.reading() as session:
        now = session.now()

    for statement in EVERY:
        with store.writing("every") as session:
            values = parameters(statement, store, now)
            if isinstance(statement, Change):
                session.run(statement, values)
            elif isinstance(statement, Query):
                session.all(cast("Query[Any]", statement), values)
            session.abandon()
