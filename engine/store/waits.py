"""Everything an instance waits for, in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Integer, literal, null, select, type_coerce, union_all

from engine.contract.ids import StepKey
from engine.store.columns import Id, Instant, Text
from engine.store.statements import Query, limit, same
from engine.store.tables import job, subscription, task, timer


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitRow:
    """One wait. ``name`` is the operation, role, kind of timer or message; ``at`` when a job, task or timer is due."""

    kind: str
    wait_id: str
    step_key: StepKey
    name: str | None
    detail: str | None
    at: datetime | None
    failure_count: int
    is_unknown: bool


_NO_FAILURES = literal(0, Integer)
_KNOWN = literal(False, Boolean)

_ALL = union_all(
    select(
        literal("job").label("kind"),
        job.c.job_id.label("wait_id"),
        job.c.step_key,
        job.c.operation.label("name"),
        job.c.status.label("detail"),
        job.c.not_before.label("at"),
        type_coerce(job.c.failure_count, Integer).label("failure_count"),
        job.c.is_unknown,
    ).where(*same(job, "tenant_id", "workflow_id")),
    select(
        literal("task"),
        task.c.task_id,
        task.c.step_key,
        task.c.role,
        null(),
        task.c.due_at,
        _NO_FAILURES,
        _KNOWN,
    ).where(*same(task, "tenant_id", "workflow_id")),
    select(
        literal("timer"),
        timer.c.timer_id,
        timer.c.step_key,
        timer.c.kind,
        null(),
        timer.c.due_at,
        _NO_FAILURES,
        _KNOWN,
    ).where(*same(timer, "tenant_id", "workflow_id")),
    select(
        literal("message"),
        subscription.c.subscription_id,
        subscription.c.step_key,
        subscription.c.message_name,
        subscription.c.correlation_key,
        null(),
        _NO_FAILURES,
        _KNOWN,
    ).where(*same(subscription, "tenant_id", "workflow_id")),
).subquery("found")

OF_INSTANCE = Query(
    "wait.of_instance",
    "Open jobs, tasks, timers and messages of an instance. Parameters: tenant_id, workflow_id, limit.",
    select(
        _ALL.c.kind,
        type_coerce(_ALL.c.wait_id, Id).label("wait_id"),
        _ALL.c.step_key,
        type_coerce(_ALL.c.name, Text(120)).label("name"),
        type_coerce(_ALL.c.detail, Text(400)).label("detail"),
        type_coerce(_ALL.c.at, Instant).label("at"),
        _ALL.c.failure_count,
        type_coerce(_ALL.c.is_unknown, Boolean).label("is_unknown"),
    )
    .order_by(_ALL.c.kind, _ALL.c.wait_id)
    .limit(limit()),
    WaitRow,
)
