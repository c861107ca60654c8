"""What each page costs the database, with a hundred instances and with a hundred thousand, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path

import pytest
from sqlalchemy import Column, NullPool, Table, create_engine, text

from engine.store.tables import metadata
from tests.databases import Databases
from tests.web.house import House, open_house
from tests.web.visitor import Visitor

#: ARCHITECTURE, Budgets.
_MOST_STATEMENTS = 12
#: Of a page's HTML, before compression.
_MOST_BYTES = 200_000
_FEW, _MANY = 100, 100_000
#: Who looks where.
_PAGES: Mapping[str, str] = {
    "/inbox": "wei",
    "/tasks/{task_id}": "wei",
    "/start": "lin",
    "/start/procurement": "lin",
    "/work": "omar",
    "/work?process=procurement&status=WAITING_APPROVAL": "omar",
    "/work?key=COST-1": "omar",
    "/work/{workflow_id}": "omar",
    "/work/{workflow_id}/marks": "omar",
    "/work/incidents": "omar",
    "/processes": "ines",
    "/processes/procurement": "ines",
    "/people": "adam",
    "/people/wei": "adam",
    "/me": "wei",
}
#: The tables that grow with the number of instances, and the columns that make a row another instance's.
_GROWING = ("instance", "business_field", "task", "incident", "subscription", "timer", "step", "audit")
_IDS = ("workflow_id", "task_id", "incident_id", "subscription_id", "timer_id", "wait_id", "step_id", "audit_id")
_KEYS = ("business_key", "held_key", "value", "correlation_key")


def _multiplied(table: Table) -> str:
    """Return the statement that adds a table's rows of the first instance for each further one."""

    def changed(column: Column[object]) -> str:
        if column.name in _IDS:
            return f"decode(md5(encode({column.name}, 'hex') || ':' || n), 'hex')"
        return f"{column.name} || ':' || n" if column.name in _KEYS else str(column.name)

    columns = [column for column in table.columns if column.autoincrement is not True]
    names = ", ".join(column.name for column in columns)
    values = ", ".join(changed(column) for column in columns)
    # Every part is a name of our own tables.
    rows = f"(SELECT * FROM {table.name} WHERE workflow_id = :first LIMIT 1) AS one"  # noqa: S608
    numbers = "generate_series(CAST(:start AS integer), :end) AS n"
    return f"INSERT INTO {table.name} ({names}) SELECT {values} FROM {rows}, {numbers}"  # noqa: S608


class Growing:
    """A house whose instances become many."""

    def __init__(self, house: House, url: str) -> None:
        self.house = house
        self._engine = create_engine(url, poolclass=NullPool)
        task = house.approval("COST-1")
        self.ids = {"task_id": task["task_id"], "workflow_id": task["workflow_id"]}
        self._first = bytes.fromhex(task["workflow_id"])
        self._count = 1
        with self._engine.begin() as connection:
            connection.execute(
                text(
                    "INSERT INTO incident (tenant_id, incident_id, workflow_id, code, message, role, opened_at)"
                    " SELECT tenant_id, workflow_id, workflow_id, 'call_failed', 'The ERP did not answer.',"
                    " 'operator', created_at FROM instance WHERE workflow_id = :first"
                ),
                {"first": self._first},
            )

    def grow(self, count: int) -> None:
        """Let there be ``count`` instances."""
        with self._engine.begin() as connection:
            for name in _GROWING:
                connection.execute(
                    text(_multiplied(metadata.tables[name])),
                    {"first": self._first, "start": self._count, "end": count - 1},
                )
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for name in _GROWING:
                connection.execute(text(f"ANALYZE {name}"))
        self._count = count

    def costs(self) -> dict[str, tuple[int, int]]:
        """Return each page's statements and bytes."""
        visitors = {login: Visitor(self.house, login) for login in set(_PAGES.values())}
        found: dict[str, tuple[int, int]] = {}
        for path, login in _PAGES.items():
            with self.house.here.store.counting() as counted:
                page = visitors[login].open(path.format_map(self.ids))
            assert page.status == 200, path
            found[path] = (counted.statements, len(page.html.encode()))
        return found


@pytest.fixture
def growing(databases: Databases, tmp_path: Path) -> Generator[Growing]:
    url = databases.url("postgresql", tmp_path)
    with open_house(tmp_path, url) as house:
        yield Growing(house, url)


@pytest.mark.slow
def test_a_page_costs_the_same_with_a_hundred_and_with_a_hundred_thousand_instances(growing: Growing) -> None:
    growing.grow(_FEW)
    few = growing.costs()
    growing.grow(_MANY)
    many = growing.costs()

    assert {path: statements for path, (statements, _) in many.items() if statements > _MOST_STATEMENTS} == {}
    assert {path: statements for path, (statements, _) in many.items()} == {
        path: statements for path, (statements, _) in few.items()
    }
    assert {path: size for path, (_, size) in many.items() if size > _MOST_BYTES} == {}
