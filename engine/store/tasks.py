"""Open work for people. A task that is decided or withdrawn leaves the table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, insert, or_, select, update

from engine.contract.ids import PersonId, StepKey, TaskId, TenantId, WorkflowId
from engine.store.statements import Change, Query
from engine.store.tables import task


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """A task as stored. ``shown`` is what the interpreter gave to show, as the runtime packed it."""

    tenant_id: TenantId
    task_id: TaskId
    workflow_id: WorkflowId
    step_key: StepKey
    iteration: str
    role: str
    assignee: PersonId | None
    excluded: Any
    priority: int
    opened_at: datetime
    due_at: datetime | None
    remind_at: datetime | None
    escalate_at: datetime | None
    escalated_to: str | None
    bound_digest: str
    shown: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTask:
    """A task as a list shows it, with its instance's names."""

    task_id: TaskId
    workflow_id: WorkflowId
    workflow_type: str
    business_key: str | None
    business_status: str | None
    step_key: StepKey
    role: str
    assignee: PersonId | None
    excluded: Any
    priority: int
    opened_at: datetime
    due_at: datetime | None
    escalated_to: str | None


_IS_THIS = (task.c.tenant_id == bindparam("tenant_id"), task.c.task_id == bindparam("task_id"))
_OF_INSTANCE = (task.c.tenant_id == bindparam("tenant_id"), task.c.workflow_id == bindparam("workflow_id"))

INSERT = Change("task.insert", "Open tasks.", insert(task))
BY_ID = Query(
    "task.by_id",
    "One task. Parameters: tenant_id, task_id.",
    select(task).where(*_IS_THIS),
    TaskRow,
    tells_time=True,
)
OF_INSTANCE = Query(
    "task.of_instance",
    "Open tasks of an instance. Parameters: tenant_id, workflow_id.",
    select(task).where(*_OF_INSTANCE).order_by(task.c.task_id),
    TaskRow,
)
DELETE = Change(
    "task.delete",
    "Remove a task; 1 row: it was still open and is mine to decide. Parameters: tenant_id, task_id.",
    delete(task).where(*_IS_THIS),
)
DELETE_OF_INSTANCE = Change(
    "task.delete_of_instance",
    "Remove all tasks of an instance. Parameters: tenant_id, workflow_id.",
    delete(task).where(*_OF_INSTANCE),
)
ASSIGN = Change(
    "task.assign",
    "Give a task to a person if nobody, or that person, has it. Parameters: tenant_id, task_id, person_id.",
    update(task)
    .where(*_IS_THIS, or_(task.c.assignee.is_(None), task.c.assignee == bindparam("person_id")))
    .values({task.c.assignee: bindparam("person_id", type_=task.c.assignee.type)}),
)
UNASSIGN = Change(
    "task.unassign",
    "Take a task back from a person. Parameters: tenant_id, task_id, person_id.",
    update(task).where(*_IS_THIS, task.c.assignee == bindparam("person_id")).values({task.c.assignee: None}),
)
ESCALATE = Change(
    "task.escalate",
    "Give a task to another role, and to nobody in particular. Parameters: tenant_id, task_id, to_role.",
    update(task)
    .where(*_IS_THIS)
    .values(
        {
            task.c.escalated_to: bindparam("to_role", type_=task.c.escalated_to.type),
            task.c.assignee: None,
            task.c.escalate_at: None,
        }
    ),
)
REMINDED = Change(
    "task.reminded",
    "Note that a task's people were reminded. Parameters: tenant_id, task_id.",
    update(task).where(*_IS_THIS).values({task.c.remind_at: None}),
)
