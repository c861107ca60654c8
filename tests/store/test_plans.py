"""Scans that run for ever read what is open, not what is kept: their work does not grow with history (P4, P12)."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Engine, create_engine, text

from engine.store import Query, Store, definitions, instances, messages, retention, totals
from engine.store.statements import FIRST, LAST, prepare
from tests.store.rows import TENANT, instance, new_id

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FEW, MANY = 200, 2000
VERSION = new_id()
#: A scan may read this many times more when ten times as much is kept: planners are free, but not to read it all.
MOST_GROWTH = 3.0


def _rows_of(plan: Any) -> float:
    loops = plan["Actual Loops"]
    removed = sum(plan.get(name, 0) for name in ("Rows Removed by Filter", "Rows Removed by Index Recheck"))
    inner = sum(_rows_of(each) for each in plan.get("Plans", ()))
    return (plan["Actual Rows"] + removed) * loops + inner


def _sqlite(connection: Any, sql: str, values: list[Any]) -> float:
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    connection.set_progress_handler(count, 1)
    connection.execute(sql, values).fetchall()
    connection.set_progress_handler(None, 0)
    return steps[0]


def _postgresql(connection: Any, sql: str, values: list[Any]) -> float:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", values)
        plan = cursor.fetchone()[0]
        return _rows_of((plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"])


def _mariadb(connection: Any, sql: str, values: list[Any]) -> float:
    with connection.cursor() as cursor:
        cursor.execute("FLUSH STATUS")
        cursor.execute(sql, values)
        cursor.fetchall()
        cursor.execute("SHOW SESSION STATUS LIKE 'Handler_read%'")
        return sum(int(value) for _, value in cursor.fetchall())


_MEASURES: dict[str, Callable[[Any, str, list[Any]], float]] = {
    "sqlite": _sqlite,
    "postgresql": _postgresql,
    "mysql": _mariadb,
}
_LEARN = {"postgresql": "ANALYZE {table}", "mysql": "ANALYZE TABLE {table}"}


@contextmanager
def _connected(url: str) -> Generator[Engine]:
    engine = create_engine(url) if url.startswith("sqlite") else create_engine(url, paramstyle="format")
    try:
        yield engine
    finally:
        engine.dispose()


def _works(store: Store, engine: Engine, count: int) -> dict[str, float]:
    """Return what every scan reads after so much more history."""
    _add_history(store, count)
    _learn(engine)
    return {name: _work(engine, *scan) for name, scan in SCANS.items()}


def _work(engine: Engine, query: Query[Any], parameters: dict[str, Any]) -> float:
    """Return how much a database reads to answer, in a unit of its own."""
    prepared = prepare(query, engine.dialect)
    with closing(engine.raw_connection()) as pooled:
        return _MEASURES[engine.dialect.name](pooled.driver_connection, prepared.text, prepared.bind(parameters))


def _learn(engine: Engine) -> None:
    """Let a server learn how its rows are spread, as it does by itself after a while; SQLite never does."""
    if engine.dialect.name == "sqlite":
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in ("instance", "early_message", "subscription", "definition"):
            connection.execute(text(_LEARN[engine.dialect.name].format(table=table)))


def _add_history(store: Store, count: int) -> None:
    """Add finished instances, and messages that nobody waits for."""
    done = {"execution_state": "finished", "business_status": "SUCCEEDED", "definition_id": VERSION}
    kept = {"tenant_id": TENANT, "message_name": "confirmed", "source": "urn:test", "payload": b"", "received_at": NOW}
    with store.writing("test") as session:
        later = NOW + timedelta(days=3650)
        rows = [instance(NOW, **done, finished_at=NOW, expires_at=later) for _ in range(count)]
        session.run(instances.INSERT, rows)
        keys = (new_id() for _ in range(count))
        session.run(messages.INSERT, [{**kept, "message_id": key, "correlation_key": key} for key in keys])


def _add_open_work(store: Store) -> None:
    """Add a superseded version of a process, and some instances that wait."""
    version: dict[str, Any] = {
        "tenant_id": TENANT,
        "definition_id": VERSION,
        "workflow_type": "procurement",
        "number": 1,
        "digest": "a" * 64,
        "title": {},
        "is_current": False,
        "pinned": {},
        "deployed_at": NOW,
        "deployed_by": new_id(),
    }
    with store.writing("test") as session:
        session.run(definitions.INSERT, version)
        session.run(instances.INSERT, [instance(NOW, business_status="CREATED") for _ in range(10)])


def _listed(**filters: str) -> tuple[Query[Any], dict[str, Any]]:
    query, parameters = instances.listing(**filters)
    return query, {**parameters, "tenant_id": TENANT, "before": LAST, "limit": 20}


#: Statements that run again and again, and lists.
SCANS: dict[str, tuple[Query[Any], dict[str, Any]]] = {
    "live versions": (definitions.LIVE, {"limit": 100}),
    "unfinished instances": (totals.INSTANCES, {"tenant_id": TENANT}),
    "unknown documents": (totals.UNKNOWN_EFFECTS, {"tenant_id": TENANT}),
    "expired instances": (retention.EXPIRED, {"limit": 100}),
    "kept messages": (messages.KEPT, {"after": FIRST, "limit": 50}),
    "old messages": (retention.KEPT_MESSAGES.reached, {"keep": timedelta(days=3650), "limit": 50}),
    "list": _listed(),
    "list by process": _listed(workflow_type="procurement"),
    "list by status": _listed(workflow_type="procurement", business_status="CREATED"),
    "list by state": _listed(execution_state="waiting"),
}


def test_no_scan_grows_with_history(store: Store, store_url: str) -> None:
    _add_open_work(store)
    with _connected(store_url) as engine:
        few, many = (_works(store, engine, count) for count in (FEW, MANY - FEW))

    assert {name: (few[name], many[name]) for name in SCANS if many[name] > few[name] * MOST_GROWTH} == {}
