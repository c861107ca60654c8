"""The journal of calls to other systems (P6): intended before the first byte, with the outcome once it is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select, update

from engine.contract.ids import JobId, TenantId, WorkflowId
from engine.store.statements import Change, InsertIfAbsent, Query, after, limit, new, same
from engine.store.tables import attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One call that was intended. ``outcome`` None: nobody knows what became of it."""

    tenant_id: TenantId
    workflow_id: WorkflowId
    job_id: JobId
    attempt: int
    owner: str
    operation: str
    purpose: str
    sent_key: str
    sent_digest: str | None
    intent_at: datetime
    outcome: str | None
    answered_at: datetime | None
    error_message: str | None


_OF_JOB = same(attempt, "tenant_id", "workflow_id", "job_id")

INSERT = Change("attempt.insert", "Write down the intent of a call, before it is made.", insert(attempt))
INSERT_IF_ABSENT = InsertIfAbsent("attempt.insert_if_absent", "Write down the intent of a call once.", attempt)
OUTCOME = Change(
    "attempt.outcome",
    "Write down what became of a call, once. Parameters: tenant_id, workflow_id, job_id, attempt, purpose,"
    " new_outcome, new_answered_at, new_error_message.",
    update(attempt)
    .where(*_OF_JOB, *same(attempt, "attempt", "purpose"), attempt.c.outcome.is_(None))
    .values(new(attempt, "outcome", "answered_at", "error_message")),
)
SETTLE = Change(
    "attempt.settle",
    "Write down what became of all calls of a job whose outcome was not known. Parameters: tenant_id, workflow_id,"
    " job_id, new_outcome, new_answered_at, new_error_message.",
    update(attempt)
    .where(*_OF_JOB, attempt.c.outcome.is_(None))
    .values(new(attempt, "outcome", "answered_at", "error_message")),
)
OF_JOB = Query(
    "attempt.of_job",
    "Calls of a job in order. Parameters: tenant_id, workflow_id, job_id, limit.",
    select(attempt).where(*_OF_JOB).order_by(attempt.c.attempt, attempt.c.intent_at).limit(limit()),
    AttemptRow,
)
OF_INSTANCE = Query(
    "attempt.of_instance",
    "Calls of an instance, by job. Parameters: tenant_id, workflow_id, after (a job_id), limit.",
    select(attempt)
    .where(*same(attempt, "tenant_id", "workflow_id"), after(attempt.c.job_id))
    .order_by(attempt.c.job_id, attempt.c.attempt, attempt.c.purpose)
    .limit(limit()),
    AttemptRow,
)
