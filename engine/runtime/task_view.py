"""Shows tasks: those that a person may decide, or everything about one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.contract.ids import BusinessKey, TaskId, WorkflowType
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.model import Definition
from engine.model.forms import Form
from engine.runtime.advance import Loaded, load_instance
from engine.runtime.cursors import read_task_cursor, task_cursor
from engine.runtime.decide import why_not
from engine.runtime.decision_view import decision_view, name_of
from engine.runtime.errors import UnknownTask
from engine.runtime.limits import MOST_LISTED
from engine.runtime.roles import drawn_role, holds, title_of
from engine.runtime.rooms import Rooms
from engine.runtime.shown import shown_before, shown_by
from engine.runtime.views import Page, TaskFilter, TaskSummary, TaskView
from engine.store import approvals, definitions, tasks
from engine.store.sessions import ReadSession
from engine.store.statements import FIRST
from engine.store.tasks import MOST_ROLES, ListedTask, TaskRow

#: Pages of the store that one page for a person reads at most, and rows of each after a first small one.
_MOST_PAGES = 5
_ROWS = 500


def list_tasks(
    rooms: Rooms,
    actor: Actor,
    wanted: TaskFilter | None = None,
    *,
    cursor: str | None,
    limit: int,
    language: str = "en",
) -> Page[TaskSummary]:
    """Return a page of the open tasks that an actor may decide, urgent ones first.

    A page may hold fewer than its limit and still not be the last: so many rows did not fit.

    Raises PermissionDenied, InvalidCursor.
    """
    require(actor, Permission.READ_TASKS)
    limit = max(1, min(limit, MOST_LISTED))
    place = (-1, FIRST) if cursor is None else read_task_cursor(cursor)
    found: list[TaskSummary] = []
    with rooms.store.reading() as session:
        by_type = _definitions(rooms, session, actor)
        roles = sorted({role for each in by_type.values() for role in _roles(actor, each)})[:MOST_ROLES]
        if not roles:
            return Page(items=(), next=None)
        now = session.now() if wanted is not None and wanted.is_overdue else None
        most = limit + 1 if wanted is None else _ROWS
        for _ in range(_MOST_PAGES):
            query, parameters = tasks.of_roles(roles, after_priority=place[0], after_task=place[1])
            rows = session.all(query, {**parameters, "tenant_id": actor.tenant_id, "limit": most})
            for row in rows:
                definition = by_type.get(row.workflow_type)
                if definition is not None and _is_for(actor, definition, row) and _fits(wanted, row, now):
                    if len(found) == limit:
                        return Page(items=tuple(found), next=task_cursor(*place))
                    found.append(_summary(definition, row, language))
                place = (row.priority, row.task_id)
            if len(rows) < most:
                return Page(items=tuple(found), next=None)
            most = _ROWS
    return Page(items=tuple(found), next=task_cursor(*place))


def _definitions(rooms: Rooms, session: ReadSession, actor: Actor) -> Mapping[str, Definition]:
    rows = session.all(definitions.ALL_CURRENT, {"tenant_id": actor.tenant_id, "limit": MOST_LISTED})
    return {
        row.workflow_type: rooms.definitions.get(session, actor.tenant_id, row.definition_id).definition for row in rows
    }


def _roles(actor: Actor, definition: Definition) -> set[str]:
    """Return the roles whose tasks an actor may find: those held, and those that held ones escalate to."""
    held = {role.name for role in definition.settings.roles if not actor.groups.isdisjoint(role.groups)}
    for node in definition.nodes.values():
        settings = node.task
        if (
            settings is not None
            and settings.escalation_role is not None
            and drawn_role(definition, node.element_id) in held
        ):
            held.add(settings.escalation_role)
    return held


def _is_for(actor: Actor, definition: Definition, row: ListedTask) -> bool:
    if actor.person_id in (row.excluded or ()) or row.assignee not in (None, actor.person_id):
        return False
    names = (row.role, row.escalated_to, drawn_role(definition, row.step_key))
    return holds(actor, definition.settings, names)


def _fits(wanted: TaskFilter | None, row: ListedTask, now: datetime | None) -> bool:
    if wanted is None:
        return True
    if wanted.workflow_type is not None and row.workflow_type != wanted.workflow_type:
        return False
    if wanted.business_key is not None and wanted.business_key.casefold() not in (row.business_key or "").casefold():
        return False
    return now is None or (row.due_at is not None and row.due_at < now)


def _summary(definition: Definition, row: ListedTask, language: str) -> TaskSummary:
    return TaskSummary(
        task_id=row.task_id,
        workflow_id=row.workflow_id,
        workflow_type=WorkflowType(row.workflow_type),
        business_key=BusinessKey(row.business_key) if row.business_key is not None else None,
        business_status=row.business_status,
        step_key=row.step_key,
        label=definition.label(row.step_key, language),
        role=row.role,
        priority=row.priority,
        opened_at=row.opened_at,
        due_at=row.due_at,
        escalated_to=row.escalated_to,
    )


def show_task(rooms: Rooms, actor: Actor, task_id: TaskId, *, language: str = "en") -> TaskView:
    """Return everything about a task, open or decided. Raises PermissionDenied, UnknownTask."""
    require(actor, Permission.READ_TASKS)
    with rooms.store.reading() as session:
        row = session.one(tasks.BY_ID, {"tenant_id": actor.tenant_id, "task_id": task_id})
        if row is None:
            return _decided(rooms, session, actor, task_id, language)
        loaded = load_instance(rooms, session, actor.tenant_id, row.workflow_id)
    shown = shown_by(rooms, loaded, row)
    return TaskView(
        **_named(loaded, row.step_key, language),
        task_id=row.task_id,
        role=row.role,
        role_title=title_of(loaded.deployed.definition.settings, row.role, language),
        bound_digest=row.bound_digest,
        facts=shown.facts,
        suggestions=shown.suggestions,
        sources=shown.sources,
        priority=row.priority,
        opened_at=row.opened_at,
        due_at=row.due_at,
        remind_at=row.remind_at,
        escalate_at=row.escalate_at,
        escalated_to=row.escalated_to,
        why_not=_why_not(actor, row, loaded),
    )


def _why_not(actor: Actor, row: TaskRow, loaded: Loaded) -> str | None:
    if Permission.DECIDE not in actor.permissions:
        return "your roles do not include deciding tasks."
    return why_not(actor, row, loaded)


def _decided(rooms: Rooms, session: ReadSession, actor: Actor, task_id: TaskId, language: str) -> TaskView:
    approval = session.one(approvals.BY_TASK, {"tenant_id": actor.tenant_id, "task_id": task_id})
    if approval is None:
        raise UnknownTask(task_id=task_id)
    loaded = load_instance(rooms, session, actor.tenant_id, approval.workflow_id)
    role = drawn_role(loaded.deployed.definition, approval.step_key)
    shown = shown_before(approval)
    return TaskView(
        **_named(loaded, approval.step_key, language),
        task_id=task_id,
        role=role,
        role_title=title_of(loaded.deployed.definition.settings, role, language),
        bound_digest=approval.bound_digest,
        facts=shown.facts,
        suggestions=shown.suggestions,
        sources=shown.sources,
        why_not="it was decided.",
        decision=decision_view(approval, name_of(session, approval.tenant_id, approval.person_id)),
    )


def _named(loaded: Loaded, step_key: str, language: str) -> dict[str, Any]:
    instance, definition = loaded.instance, loaded.deployed.definition
    return {
        "workflow_id": instance.workflow_id,
        "workflow_type": instance.workflow_type,
        "business_key": instance.business_key,
        "business_status": instance.business_status,
        "step_key": step_key,
        "label": definition.label(step_key, language),
        "documentation": definition.documentation(step_key, language),
        "form": _form(definition, step_key, language),
    }


def _form(definition: Definition, step_key: str, language: str) -> Form | None:
    node = definition.nodes.get(step_key)
    binding = node.task.form if node is not None and node.task is not None else None
    return definition.form(binding.key, language) if binding is not None else None
