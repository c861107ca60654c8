"""Lists are paged by key, bounded and indexed (P12)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from engine.store import (
    Query,
    Statement,
    Store,
    WrongParameters,
    audit,
    business_fields,
    due,
    incidents,
    instances,
    jobs,
    messages,
    outbox,
    people,
    steps,
    subscriptions,
    tasks,
    timers,
)
from engine.store.statements import FIRST, LAST
from tests.store.rows import TENANT, instance, new_id, task

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def add_instances(store: Store, *rows: dict[str, Any]) -> None:
    with store.writing("start") as session:
        session.run(instances.INSERT, list(rows))


def test_instances_come_newest_first_page_by_page(store: Store) -> None:
    rows = [instance(NOW) for _ in range(7)]
    add_instances(store, *rows, instance(NOW, tenant_id="other"))
    query, filters = instances.listing()
    pages: list[list[str]] = []
    before = LAST

    with store.reading() as session:
        while True:
            page = session.all(query, {**filters, "tenant_id": TENANT, "before": before, "limit": 3})
            if not page:
                break
            pages.append([row.workflow_id for row in page])
            before = page[-1].workflow_id

    assert [len(page) for page in pages] == [3, 3, 1]
    assert [found for page in pages for found in page] == [row["workflow_id"] for row in reversed(rows)]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"workflow_type": "procurement"}, [2, 1]),
        ({"workflow_type": "procurement", "business_status": "FAILED"}, [2]),
        ({"execution_state": "incident"}, [3, 2]),
        ({"workflow_type": "order", "business_status": "FAILED", "execution_state": "incident"}, [3]),
        ({"workflow_type": "nothing"}, []),
    ],
)
def test_instances_are_filtered(store: Store, filters: dict[str, str], found: list[int]) -> None:
    rows = {
        1: instance(NOW, business_status="CREATED"),
        2: instance(NOW, business_status="FAILED", execution_state="incident"),
        3: instance(NOW, workflow_type="order", business_status="FAILED", execution_state="incident"),
    }
    add_instances(store, *rows.values())
    query, parameters = instances.listing(**filters)

    with store.reading() as session:
        page = session.all(query, {**parameters, "tenant_id": TENANT, "before": LAST, "limit": 10})

    assert [row.workflow_id for row in page] == [rows[number]["workflow_id"] for number in found]


def test_a_search_by_key_takes_a_prefix(store: Store) -> None:
    keys = ["MR-1", "MR-10", "MR-2", "mr-1", "MR-1\U0001f4a5"]
    add_instances(store, *(instance(NOW, held_key=key) for key in keys))
    low, high = business_fields.prefix_range("MR-1")

    with store.reading() as session:
        found = session.all(
            instances.WITH_KEY_PREFIX,
            {"tenant_id": TENANT, "workflow_type": "procurement", "low": low, "high": high, "limit": 10},
        )

    assert [row.held_key for row in found] == ["MR-1", "MR-10", "MR-1\U0001f4a5"]


def test_tasks_of_several_roles_come_urgent_first_page_by_page(store: Store) -> None:
    case = instance(NOW, business_key="MR-1")
    add_instances(store, case)
    rows = [
        task(NOW, workflow_id=case["workflow_id"], role=role, priority=priority)
        for role, priority in [("buyer", 5), ("finance", 5), ("buyer", 1), ("planner", 1), ("finance", 9), ("buyer", 5)]
    ]
    with store.writing("start") as session:
        session.run(tasks.INSERT, rows)
    expected = [rows[number]["task_id"] for number in (2, 0, 1, 5, 4)]
    found: list[str] = []
    after_priority, after_task = -1, FIRST

    with store.reading() as session:
        while True:
            query, parameters = tasks.of_roles(
                ["buyer", "finance", "nobody"], after_priority=after_priority, after_task=after_task
            )
            page = session.all(query, {**parameters, "tenant_id": TENANT, "limit": 2})
            if not page:
                break
            assert {row.business_key for row in page} == {"MR-1"}
            found += [row.task_id for row in page]
            after_priority, after_task = page[-1].priority, page[-1].task_id

    assert found == expected


def test_nobody_holds_too_many_roles_for_a_list() -> None:
    tasks.of_roles(["role"] * tasks.MOST_ROLES)

    with pytest.raises(WrongParameters, match="at most 32"):
        tasks.of_roles(["role"] * (tasks.MOST_ROLES + 1))


def test_escalating_a_task(store: Store) -> None:
    row = task(NOW, escalate_at=NOW + timedelta(hours=16), assignee=new_id())
    key = {"tenant_id": TENANT, "task_id": row["task_id"]}
    with store.writing("start") as session:
        session.run(tasks.INSERT, row)

    with store.writing("escalate") as session:
        assert session.run(tasks.ESCALATE, {**key, "to_role": "director"}) == 1

    with store.reading() as session:
        found = session.one(tasks.BY_ID, key)
    assert found is not None
    assert (found.role, found.escalated_to, found.assignee, found.escalate_at) == ("director", "director", None, None)


# --- plans -------------------------------------------------------------------------------------------------------

_ANY_ID = new_id()
_IN_TENANT = {"tenant_id": TENANT, "limit": 50}
_OF_INSTANCE = {**_IN_TENANT, "workflow_id": _ANY_ID}


def plans() -> list[Any]:
    listed: list[tuple[Statement, dict[str, Any]]] = [
        (jobs.DUE, {"lost_limit": 3, "limit": 50}),
        (jobs.EXPIRED, {"limit": 50}),
        (jobs.OF_INSTANCE, {"tenant_id": TENANT, "workflow_id": _ANY_ID}),
        (timers.DUE, {"limit": 50}),
        (outbox.DUE, {"limit": 50}),
        (due.NEXT, {}),
        (tasks.of_roles(["a", "b"])[0], {**tasks.of_roles(["a", "b"])[1], **_IN_TENANT}),
        (tasks.OF_INSTANCE, {"tenant_id": TENANT, "workflow_id": _ANY_ID}),
        (instances.listing()[0], {**_IN_TENANT, "before": LAST}),
        (instances.listing(workflow_type="a")[0], {**_IN_TENANT, "workflow_type": "a", "before": LAST}),
        (
            instances.listing(workflow_type="a", business_status="B")[0],
            {**_IN_TENANT, "workflow_type": "a", "business_status": "B", "before": LAST},
        ),
        (instances.listing(execution_state="a")[0], {**_IN_TENANT, "execution_state": "a", "before": LAST}),
        (instances.WITH_KEY_PREFIX, {**_IN_TENANT, "workflow_type": "a", "low": "a", "high": "b"}),
        (instances.CHILDREN, {**_IN_TENANT, "parent_workflow_id": _ANY_ID, "before": LAST}),
        (
            subscriptions.MATCHING,
            {**_IN_TENANT, "message_name": "a", "correlation_key": "b"},
        ),
        (messages.MATCHING, {**_IN_TENANT, "message_name": "a", "correlation_key": "b"}),
        (incidents.OPEN, {**_IN_TENANT, "after": FIRST}),
        (incidents.COUNT_OPEN, {"tenant_id": TENANT}),
        (incidents.ALL, {**_IN_TENANT, "before": LAST}),
        (incidents.OF_INSTANCE, {**_OF_INSTANCE, "after": FIRST}),
        (audit.OF_INSTANCE, {**_OF_INSTANCE, "after": FIRST}),
        (steps.OF_INSTANCE, {**_OF_INSTANCE, "after": FIRST}),
        (people.SIGN_IN, {"token_hash": "0" * 64}),
        (
            business_fields.WITH_VALUE,
            {**_IN_TENANT, "workflow_type": "a", "name": "b", "value": "c", "before": LAST},
        ),
    ]
    return [pytest.param(statement, parameters, id=statement.name) for statement, parameters in listed]


#: These sort what an index found: due jobs by urgency, tasks of several roles after each role's page.
MAY_SORT = {"job.due", "job.expired", "task.of_roles_2", "subscription.matching", "early_message.matching"}


@pytest.mark.parametrize(("statement", "parameters"), plans())
def test_lists_read_along_an_index(sqlite_store: Store, statement: Query[Any], parameters: dict[str, Any]) -> None:
    """SQLite's own plan: no table is scanned, nothing is sorted that an index could have ordered."""
    prepared = sqlite_store.prepared(statement)

    with sqlite_store.database.engine.connect() as connection:
        raw: Any = connection.connection.driver_connection
        plan = [line[3] for line in raw.execute(f"EXPLAIN QUERY PLAN {prepared.text}", prepared.bind(parameters))]
        connection.execute(text("SELECT 1"))

    scans = [line for line in plan if line.startswith("SCAN") and "USING" not in line and "found" not in line]
    allowed = [line for line in scans if line.split()[1].startswith(("CONSTANT", "anon", "("))]
    assert [line for line in scans if line not in allowed] == []
    assert statement.name in MAY_SORT or not any("TEMP B-TREE" in line for line in plan), plan
