"""Decisions on tasks, by people and by rules (W16)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select

from engine.contract.ids import ApprovalId, EventId, PersonId, StepKey, TaskId, TenantId, WorkflowId
from engine.store.statements import Change, Query, after, limit, same
from engine.store.tables import approval


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRow:
    """A decision as stored; ``values`` as the runtime packed them, ``shown`` what the task showed, compressed."""

    tenant_id: TenantId
    approval_id: ApprovalId
    workflow_id: WorkflowId
    task_id: TaskId
    step_key: StepKey
    person_id: PersonId
    bound_digest: str
    values_digest: str
    event_id: EventId | None
    decided_at: datetime
    values: bytes
    shown: bytes | None
    suggested: Any


INSERT = Change("approval.insert", "Store a decision.", insert(approval))
BY_TASK = Query(
    "approval.by_task",
    "The decision on a task. Parameters: tenant_id, task_id.",
    select(approval).where(*same(approval, "tenant_id", "task_id")),
    ApprovalRow,
    tells_time=True,
)
OF_INSTANCE = Query(
    "approval.of_instance",
    "Decisions of an instance in order. Parameters: tenant_id, workflow_id, after, limit.",
    select(approval)
    .where(*same(approval, "tenant_id", "workflow_id"), after(approval.c.approval_id))
    .order_by(approval.c.approval_id)
    .limit(limit()),
    ApprovalRow,
)
