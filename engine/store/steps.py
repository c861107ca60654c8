"""What every step of an instance did (W8). Pages and reports read this, not the interpreter's state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import insert, select, update

from engine.contract.ids import ExecutionId, IdempotencyKey, StepKey, TenantId, WorkflowId
from engine.store.statements import Change, Query, after, limit, new, same
from engine.store.tables import step


class StepStatus(StrEnum):
    """How an execution of a step stands."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    RETRY_WAIT = "retry_wait"
    FAILED = "failed"
    #: The request left and nobody knows what became of it.
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One execution of one step."""

    tenant_id: TenantId
    workflow_id: WorkflowId
    execution_id: ExecutionId
    step_key: StepKey
    iteration: str
    number: int
    status: StepStatus
    idempotency_key: IdempotencyKey | None
    input_summary: Any
    output_summary: Any
    error_code: str | None
    error_message: str | None
    failure_count: int
    started_at: datetime
    ended_at: datetime | None


_THIS = same(step, "tenant_id", "workflow_id", "execution_id")

INSERT = Change("step.insert", "Record steps that began, or began and ended, in an advance.", insert(step))
END = Change(
    "step.end",
    "Record how a step ended. Parameters: tenant_id, workflow_id, execution_id, new_status, new_output_summary,"
    " new_error_code, new_error_message, new_ended_at.",
    update(step).where(*_THIS).values(new(step, "status", "output_summary", "error_code", "error_message", "ended_at")),
)
MARK = Change(
    "step.mark",
    "Record how an open step stands. Parameters: tenant_id, workflow_id, execution_id, new_status, new_error_code,"
    " new_error_message, new_failure_count.",
    update(step)
    .where(*_THIS, step.c.ended_at.is_(None))
    .values(new(step, "status", "error_code", "error_message", "failure_count")),
)
OF_INSTANCE = Query(
    "step.of_instance",
    "Steps of an instance in the order they began. Parameters: tenant_id, workflow_id, after, limit.",
    select(step)
    .where(*same(step, "tenant_id", "workflow_id"), after(step.c.execution_id))
    .order_by(step.c.execution_id)
    .limit(limit()),
    StepRow,
)
