"""Open work for people. A task that is decided or withdrawn leaves the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, insert, or_, select, union_all, update

from engine.contract.ids import PersonId, StepKey, TaskId, TenantId, WorkflowId
from engine.store.failures import WrongParameters
from engine.store.statements import FIRST, Change, Query, after, limit, new, same
from engine.store.tables import instance, task


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


_IS_THIS = same(task, "tenant_id", "task_id")
_OF_INSTANCE = same(task, "tenant_id", "workflow_id")

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
ESCALATE = Change(
    "task.escalate",
    "Give a task to another role, and to nobody in particular. Parameters: tenant_id, task_id, to_role. The role it was"
    " drawn with stands in the definition.",
    update(task)
    .where(*_IS_THIS)
    .values(
        {
            task.c.role: bindparam("to_role", type_=task.c.role.type),
            task.c.escalated_to: bindparam("to_role", type_=task.c.role.type),
            task.c.assignee: None,
            task.c.escalate_at: None,
        }
    ),
)
SHOW = Change(
    "task.show",
    "What open tasks show after data was corrected. Parameters: tenant_id, task_id, new_shown, new_bound_digest.",
    update(task).where(*_IS_THIS).values(new(task, "shown", "bound_digest")),
)
REMINDED = Change(
    "task.reminded",
    "Note that a task's people were reminded. Parameters: tenant_id, task_id.",
    update(task).where(*_IS_THIS).values({task.c.remind_at: None}),
)

# --- lists -------------------------------------------------------------------------------------------------------

_LISTED = [
    task.c.task_id,
    task.c.workflow_id,
    instance.c.workflow_type,
    instance.c.business_key,
    instance.c.business_status,
    task.c.step_key,
    task.c.role,
    task.c.assignee,
    task.c.excluded,
    task.c.priority,
    task.c.opened_at,
    task.c.due_at,
    task.c.escalated_to,
]
_INSTANCE_OF = (instance.c.tenant_id == task.c.tenant_id) & (instance.c.workflow_id == task.c.workflow_id)

#: Most roles a list can be asked for at once.
MOST_ROLES = 32


def of_roles(
    roles: Sequence[str], *, after_priority: int = -1, after_task: str = FIRST
) -> tuple[Query[ListedTask], dict[str, Any]]:
    """Return the list of tasks of some roles, urgent ones first, with its parameters but ``tenant_id`` and ``limit``.

    Each role is one bounded range of an index, so a page costs the same however many tasks are open. A page goes on
    after the priority and id of the last task of the page before.

    Raises WrongParameters for more than ``MOST_ROLES`` roles.
    """
    if len(roles) > MOST_ROLES:
        raise WrongParameters(f"{len(roles)} roles, at most {MOST_ROLES}")
    size = next(size for size in (1, 2, 4, 8, 16, MOST_ROLES) if size >= len(roles))
    # No task has the role "": it fills up to a size that has a statement.
    names = [*roles, *[""] * (size - len(roles))]
    parameters = {f"role_{number}": role for number, role in enumerate(names)}
    return _of_roles(size), {**parameters, "after_priority": after_priority, "after": after_task}


@cache
def _of_roles(size: int) -> Query[ListedTask]:
    def branch(number: int) -> Any:
        page = (
            select(task.c.task_id, task.c.priority)
            .where(
                *same(task, "tenant_id"),
                task.c.role == bindparam(f"role_{number}", type_=task.c.role.type),
                task.c.priority >= bindparam("after_priority", type_=task.c.priority.type),
                or_(
                    task.c.priority > bindparam("after_priority", type_=task.c.priority.type),
                    after(task.c.task_id),
                ),
            )
            .order_by(task.c.priority, task.c.task_id)
            .limit(limit())
            .subquery()
        )
        return select(page.c.task_id, page.c.priority)

    found = union_all(*[branch(number) for number in range(size)]).subquery("found")
    return Query(
        f"task.of_roles_{size}",
        "Tasks of some roles, urgent ones first; parameters from of_roles, tenant_id, limit.",
        select(*_LISTED)
        .join_from(found, task, task.c.task_id == found.c.task_id)
        .join(instance, _INSTANCE_OF)
        .where(*same(task, "tenant_id"))
        .order_by(task.c.priority, task.c.task_id)
        .limit(limit()),
        ListedTask,
        tells_time=True,
    )
