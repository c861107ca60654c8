"""Open work for machines: the job ledger (facts: claim with owner and fencing number, on the database's clock).

Whoever claims a job owns it until ``lease_until``. Every later statement names owner *and* attempt, so that somebody
who lost the lease matches no row. ``attempt`` counts claims and only grows; ``failure_count`` serves the retry policy,
``lost_count`` counts leases that ran out and finds jobs that kill their worker.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Integer,
    String,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    true,
    update,
)

from engine.contract.ids import IdempotencyKey, JobId, StepKey, TenantId, WorkflowId
from engine.store.clock import now_for_row, now_for_scan
from engine.store.columns import Duration
from engine.store.statements import Change, InsertIfAbsent, Query, limit, same
from engine.store.tables import attempt, job


class JobStatus(StrEnum):
    """How an open job stands."""

    #: Waits until ``not_before`` for somebody to claim it.
    READY = "ready"
    #: Claimed; once ``lease_until`` is past, anybody may claim it again.
    RUNNING = "running"
    #: Waits for a person.
    PARKED = "parked"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job as stored. ``has_open_intent``: an earlier attempt meant to call and its outcome is not known."""

    job_id: JobId
    tenant_id: TenantId
    workflow_id: WorkflowId
    step_key: StepKey
    iteration: str
    kind: str
    operation: str | None
    system: str | None
    idempotency_key: IdempotencyKey
    priority: int
    not_before: datetime
    status: JobStatus
    owner: str | None
    attempt: int
    lease_until: datetime | None
    failure_count: int
    lost_count: int
    is_unknown: bool
    arguments: bytes | None
    context: Any
    created_at: datetime
    has_open_intent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DueJob:
    """A job that can be claimed now, as a scan finds it."""

    job_id: JobId
    system: str | None
    priority: int
    not_before: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiredJob:
    """A running job whose lease is over; ``has_open_intent`` as in ``JobRow``."""

    job_id: JobId
    tenant_id: TenantId
    workflow_id: WorkflowId
    step_key: StepKey
    system: str | None
    owner: str
    attempt: int
    lost_count: int
    failure_count: int
    is_unknown: bool
    has_open_intent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Open jobs of one system in one status; ``oldest_at`` is the earliest ``not_before``."""

    system: str | None
    status: JobStatus
    jobs: int
    oldest_at: datetime


_IS_THIS = and_(*same(job, "job_id"))
#: The fence: this job, still running under this very claim.
_IS_MINE = and_(
    _IS_THIS,
    job.c.owner == bindparam("by", type_=String),
    job.c.attempt == bindparam("claim", type_=Integer),
    job.c.status == JobStatus.RUNNING,
)
_HAS_OPEN_INTENT = exists(
    select(literal(1)).where(
        attempt.c.tenant_id == job.c.tenant_id,
        attempt.c.workflow_id == job.c.workflow_id,
        attempt.c.job_id == job.c.job_id,
        attempt.c.outcome.is_(None),
    )
).label("has_open_intent")
_NOBODYS: dict[Any, Any] = {job.c.owner: null(), job.c.lease_until: null()}

# --- enqueue -----------------------------------------------------------------------------------------------------

#: All columns; owner, lease_until, operation, system and arguments may be left out.
INSERT = Change("job.insert", "Enqueue jobs in the transition that needs them.", insert(job))
INSERT_IF_ABSENT = InsertIfAbsent("job.insert_if_absent", "Enqueue a job once per idempotency key.", job)

# --- read --------------------------------------------------------------------------------------------------------

BY_ID = Query(
    "job.by_id",
    "One job, with whether an earlier attempt has no outcome. Parameter: job_id.",
    select(job, _HAS_OPEN_INTENT).where(_IS_THIS),
    JobRow,
    tells_time=True,
)
OF_INSTANCE = Query(
    "job.of_instance",
    "Open jobs of an instance. Parameters: tenant_id, workflow_id.",
    select(job, _HAS_OPEN_INTENT).where(*same(job, "tenant_id", "workflow_id")),
    JobRow,
)
DUE = Query(
    "job.due",
    "Jobs that can be claimed now, urgent ones first. Parameters: lost_limit, limit.",
    select(job.c.job_id, job.c.system, job.c.priority, job.c.not_before)
    .where(
        job.c.status == JobStatus.READY,
        job.c.not_before <= now_for_scan(),
        job.c.lost_count < bindparam("lost_limit", type_=Integer),
    )
    .order_by(job.c.priority, job.c.not_before)
    .limit(limit()),
    DueJob,
)
EXPIRED = Query(
    "job.expired",
    "Running jobs whose lease is over. Parameter: limit.",
    select(
        job.c.job_id,
        job.c.tenant_id,
        job.c.workflow_id,
        job.c.step_key,
        job.c.system,
        job.c.owner,
        job.c.attempt,
        job.c.lost_count,
        job.c.failure_count,
        job.c.is_unknown,
        _HAS_OPEN_INTENT,
    )
    .where(job.c.status == JobStatus.RUNNING, job.c.lease_until < now_for_scan())
    .order_by(job.c.not_before)
    .limit(limit()),
    ExpiredJob,
)
BACKLOG = Query(
    "job.backlog",
    "Open jobs by system and status: the oldest due age is the alarm. Parameter: tenant_id.",
    select(
        job.c.system,
        job.c.status,
        func.count().label("jobs"),
        func.min(job.c.not_before).label("oldest_at"),
    )
    .where(*same(job, "tenant_id"))
    .group_by(job.c.system, job.c.status),
    Backlog,
)

# --- claim, renew, end -------------------------------------------------------------------------------------------

CLAIM = Change(
    "job.claim",
    "Take a job; 1 row: it is mine. Parameters: job_id, by, lease, lost_limit. First of its own transaction.",
    update(job)
    .where(
        _IS_THIS,
        job.c.not_before <= now_for_row(),
        job.c.lost_count < bindparam("lost_limit", type_=Integer),
        or_(
            job.c.status == JobStatus.READY,
            and_(job.c.status == JobStatus.RUNNING, job.c.lease_until < now_for_row()),
        ),
    )
    # MySQL assigns from left to right, so what reads the old status comes first.
    .ordered_values(
        (job.c.lost_count, job.c.lost_count + case((job.c.status == JobStatus.RUNNING, 1), else_=0)),
        (job.c.is_unknown, case((_HAS_OPEN_INTENT.element, true()), else_=job.c.is_unknown)),
        (job.c.status, JobStatus.RUNNING),
        (job.c.owner, bindparam("by", type_=String)),
        (job.c.attempt, job.c.attempt + 1),
        (job.c.lease_until, now_for_row() + bindparam("lease", type_=Duration)),
    ),
)
HEARTBEAT = Change(
    "job.heartbeat",
    "Keep a job for another lease. Parameters: job_id, by, claim, lease.",
    update(job).where(_IS_MINE).values(lease_until=now_for_row() + bindparam("lease", type_=Duration)),
)
FINISH = Change(
    "job.finish",
    "Remove a job that was done; 0 rows: I was replaced. Parameters: job_id, by, claim.",
    delete(job).where(_IS_MINE),
)
RETRY = Change(
    "job.retry",
    "Give a job back for later. Parameters: job_id, by, claim, pause, failures (1, or 0 for a limit), unknown.",
    update(job)
    .where(_IS_MINE)
    .values(
        {
            job.c.status: JobStatus.READY,
            **_NOBODYS,
            job.c.not_before: now_for_row() + bindparam("pause", type_=Duration),
            job.c.failure_count: job.c.failure_count + bindparam("failures", type_=Integer),
            job.c.is_unknown: bindparam("unknown", type_=job.c.is_unknown.type),
        }
    ),
)
PARK = Change(
    "job.park",
    "Leave a job to a person. Parameters: job_id, by, claim, unknown.",
    update(job)
    .where(_IS_MINE)
    .values(
        {
            job.c.status: JobStatus.PARKED,
            **_NOBODYS,
            job.c.is_unknown: bindparam("unknown", type_=job.c.is_unknown.type),
        }
    ),
)
PARK_UNCLAIMED = Change(
    "job.park_unclaimed",
    "Leave a job that nobody holds to a person; 0 rows: somebody does. Parameters: job_id, claim (the attempt seen).",
    update(job)
    .where(
        _IS_THIS,
        job.c.attempt == bindparam("claim", type_=Integer),
        or_(
            job.c.status == JobStatus.READY,
            and_(job.c.status == JobStatus.RUNNING, job.c.lease_until < now_for_row()),
        ),
    )
    .values({job.c.status: JobStatus.PARKED, **_NOBODYS}),
)
UNPARK = Change(
    "job.unpark",
    "A person lets a parked job go on, with its counters of failures and losses at 0. Parameters: job_id, unknown.",
    update(job)
    .where(_IS_THIS, job.c.status == JobStatus.PARKED)
    .values(
        {
            job.c.status: JobStatus.READY,
            job.c.not_before: now_for_row(),
            job.c.failure_count: 0,
            job.c.lost_count: 0,
            job.c.is_unknown: bindparam("unknown", type_=job.c.is_unknown.type),
        }
    ),
)

# --- sweep -------------------------------------------------------------------------------------------------------

_IS_LOST = and_(
    _IS_THIS,
    job.c.attempt == bindparam("claim", type_=Integer),
    job.c.status == JobStatus.RUNNING,
    job.c.lease_until < now_for_row(),
)
RELEASE_LOST = Change(
    "job.release_lost",
    "Make a job whose lease ran out ready again and count the loss. Parameters: job_id, claim, unknown.",
    update(job)
    .where(_IS_LOST)
    .values(
        {
            job.c.lost_count: job.c.lost_count + 1,
            job.c.status: JobStatus.READY,
            **_NOBODYS,
            job.c.is_unknown: bindparam("unknown", type_=job.c.is_unknown.type),
        }
    ),
)
PARK_LOST = Change(
    "job.park_lost",
    "Park a job whose lease ran out once too often. Parameters: job_id, claim, unknown.",
    update(job)
    .where(_IS_LOST)
    .values(
        {
            job.c.lost_count: job.c.lost_count + 1,
            job.c.status: JobStatus.PARKED,
            **_NOBODYS,
            job.c.is_unknown: bindparam("unknown", type_=job.c.is_unknown.type),
        }
    ),
)

# --- withdraw ----------------------------------------------------------------------------------------------------

DELETE = Change(
    "job.delete",
    "Withdraw a job. Parameters: tenant_id, job_id.",
    delete(job).where(*same(job, "tenant_id"), _IS_THIS),
)
DELETE_OF_INSTANCE = Change(
    "job.delete_of_instance",
    "Withdraw all jobs of an instance. Parameters: tenant_id, workflow_id.",
    delete(job).where(*same(job, "tenant_id", "workflow_id")),
)
