"""A ledger in memory: the runtime's side of work, without a database, on a clock that a test moves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from engine.contract import Correlation, idempotency_key
from engine.contract.ids import BusinessKey, ExecutionId, JobId, StepKey, TenantId, TraceId, WorkflowId, WorkflowType
from engine.identity.actor import Actor
from engine.runtime.commands import (
    ClaimedJob,
    Deferred,
    EarlierIntent,
    Failed,
    JobKind,
    JobOutcome,
    ModelCallRecord,
    Parked,
    RecordAnswer,
    Retried,
    Succeeded,
)

LOST_LIMIT = 5


class Clock:
    """The database's clock and the process's, both moved by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> datetime:
        """Return the instant."""
        return datetime(2026, 12, 1, 8, tzinfo=UTC) + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        """Return the process's seconds."""
        return self.seconds


@dataclass(kw_only=True)
class Job:
    """An open or finished job. ``then`` is the job that its end opens."""

    job_id: JobId
    operation: str | None
    arguments: str
    not_before: datetime
    then: Job | None = None
    unsettled: tuple[EarlierIntent, ...] = ()
    status: str = "ready"
    owner: str = ""
    attempt: int = 0
    lease_until: datetime | None = None
    failure_count: int = 0
    lost_count: int = 0
    is_unknown: bool = False
    outcomes: list[JobOutcome] = field(default_factory=list[JobOutcome])
    model_calls: list[ModelCallRecord] = field(default_factory=list[ModelCallRecord])


@dataclass(frozen=True, kw_only=True)
class Pass:
    """How a pass over rows ended."""

    count: int = 0
    failed: int = 0


@dataclass(kw_only=True)
class Outgoing:
    """A message of the outbox."""

    message_id: str
    topic: str = "t"
    payload: bytes = b"{}"
    failure_count: int = 0
    next_at: datetime | None = None
    is_sent: bool = False


class MemoryLedger:
    """Keeps jobs and messages; every method is atomic, as a unit of work is."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.clock = clock
        self.jobs: dict[JobId, Job] = {}
        self.outbox: list[Outgoing] = []
        self.timers: list[datetime] = []
        self.intents: list[JobId] = []
        self.settled: list[tuple[int, str | None]] = []
        self.late: list[tuple[JobId, JobOutcome]] = []
        self.errors: dict[str, list[Exception]] = {}
        self.calls: list[str] = []
        self._lock = threading.RLock()

    def add(self, operation: str | None, arguments: str = "{}", *, later: float = 0, then: Job | None = None) -> Job:
        """Enqueue a job that is due ``later`` seconds from now."""
        job = self.build(operation, arguments, then=then)
        job.not_before = self.clock() + timedelta(seconds=later)
        self.jobs[job.job_id] = job
        return job

    def build(self, operation: str | None, arguments: str = "{}", *, then: Job | None = None) -> Job:
        """Return a job that another one opens."""
        with self._lock:
            self._numbers = getattr(self, "_numbers", 0) + 1
            job_id = JobId(f"{self._numbers:032x}")
        return Job(job_id=job_id, operation=operation, arguments=arguments, not_before=self.clock(), then=then)

    def due_jobs(self, limit: int) -> Sequence[Job]:
        """Return ready jobs."""
        with self._lock:
            self._entered("due_jobs")
            now = self.clock()
            return [job for job in self.jobs.values() if job.status == "ready" and job.not_before <= now][:limit]

    def claim(self, actor: Actor, owner: str, job_id: JobId, lease: timedelta) -> ClaimedJob | None:
        """Claim one."""
        del actor
        with self._lock:
            self._entered("claim")
            job, now = self.jobs.get(job_id), self.clock()
            if job is None or job.not_before > now or job.lost_count >= LOST_LIMIT:
                return None
            is_expired = job.status == "running" and job.lease_until is not None and job.lease_until < now
            if job.status != "ready" and not is_expired:
                return None
            if is_expired:
                job.lost_count += 1
                job.is_unknown = True
            return self._claimed(job, owner, lease)

    def _claimed(self, job: Job, owner: str, lease: timedelta) -> ClaimedJob:
        now = self.clock()
        job.status, job.owner, job.attempt, job.lease_until = "running", owner, job.attempt + 1, now + lease
        workflow_id = WorkflowId("a" * 32)
        return ClaimedJob(
            job_id=job.job_id,
            kind=JobKind.CONTINUE if job.operation is None else JobKind.OPERATION,
            owner=owner,
            attempt=job.attempt,
            lease_until=now + lease,
            claimed_at=now,
            correlation=Correlation(
                tenant_id=TenantId("main"),
                workflow_id=workflow_id,
                business_key=BusinessKey("MR-1"),
                step_key=StepKey("Create"),
                execution_id=ExecutionId(job.job_id),
                trace_id=TraceId("b" * 32),
            ),
            workflow_type=WorkflowType("procurement"),
            iteration="0",
            operation=job.operation,
            arguments=job.arguments,
            idempotency_key=idempotency_key(TenantId("main"), workflow_id, "Create", job.job_id, 2),
            failure_count=job.failure_count,
            must_look_up=job.is_unknown,
            unsettled=job.unsettled,
        )

    def _mine(self, claimed: ClaimedJob) -> Job | None:
        job = self.jobs.get(claimed.job_id)
        is_mine = job is not None and (job.status, job.owner, job.attempt) == (
            "running",
            claimed.owner,
            claimed.attempt,
        )
        return job if is_mine else None

    def heartbeat(self, actor: Actor, claimed: ClaimedJob, lease: timedelta) -> bool:
        """Lengthen a claim."""
        del actor
        with self._lock:
            self._entered("heartbeat")
            job = self._mine(claimed)
            if job is None:
                return False
            job.lease_until = self.clock() + lease
            return True

    def intend(self, actor: Actor, claimed: ClaimedJob) -> bool:
        """Note a second send."""
        del actor
        with self._lock:
            if self._mine(claimed) is None:
                return False
            self.intents.append(claimed.job_id)
            return True

    def settle(
        self,
        actor: Actor,
        claimed: ClaimedJob,
        earlier: EarlierIntent,
        document: str | None,
        *,
        is_void: bool = False,
    ) -> bool:
        """Note what became of an earlier intent."""
        del actor, is_void
        with self._lock:
            job = self._mine(claimed)
            if job is None:
                return False
            self.settled.append((earlier.intent, document))
            job.unsettled = tuple(each for each in job.unsettled if each.intent != earlier.intent)
            return True

    def record(
        self,
        actor: Actor,
        claimed: ClaimedJob,
        outcome: JobOutcome,
        *,
        claim_next: bool = False,
        model_calls: Sequence[ModelCallRecord] = (),
    ) -> RecordAnswer:
        """Record an outcome under its fence."""
        del actor
        with self._lock:
            self._entered("record")
            job = self._mine(claimed)
            if job is None:
                self.late.append((claimed.job_id, outcome))
                return RecordAnswer(is_late=True)
            job.outcomes.append(outcome)
            job.model_calls.extend(model_calls)
            match outcome:
                case Succeeded() | Failed():
                    job.status = "done"
                case Parked():
                    job.status, job.is_unknown = "parked", outcome.is_unknown
                case Retried():
                    job.status, job.is_unknown = "ready", outcome.is_unknown
                    job.failure_count += 1
                    job.not_before = self.clock() + outcome.pause
                case Deferred():
                    job.status, job.not_before = "ready", self.clock() + outcome.pause
            if job.status == "done" and job.then is not None:
                self.jobs[job.then.job_id] = replace(job.then, not_before=self.clock())
                if claim_next:
                    length = claimed.lease_until - claimed.claimed_at
                    opened = self.jobs[job.then.job_id]
                    return RecordAnswer(is_late=False, next_job=self._claimed(opened, claimed.owner, length))
            return RecordAnswer(is_late=False)

    def fire_due(self, actor: Actor, limit: int) -> Pass:
        """Fire timers: each enqueues a job."""
        del actor
        with self._lock:
            self._entered("fire_due")
            due = [at for at in self.timers if at <= self.clock()][:limit]
            for at in due:
                self.timers.remove(at)
                self.add("rules.double", '{"value":1}')
            return Pass(count=len(due))

    def sweep(self, actor: Actor) -> Pass:
        """Give back jobs whose lease ran out."""
        del actor
        with self._lock:
            self._entered("sweep")
            expired = [
                job
                for job in self.jobs.values()
                if job.status == "running" and job.lease_until is not None and job.lease_until < self.clock()
            ]
            for job in expired:
                job.status, job.lost_count, job.is_unknown = "ready", job.lost_count + 1, True
            return Pass(count=len(expired))

    def due_in(self) -> timedelta | None:
        """Return how long until the earliest due time."""
        with self._lock:
            self._entered("due_in")
            now = self.clock()
            at = [job.not_before for job in self.jobs.values() if job.status == "ready"]
            at += [*self.timers, *(message.next_at or now for message in self.outbox if not message.is_sent)]
            return min(at) - now if at else None

    def take_outbox(self, actor: Actor, limit: int) -> Sequence[Outgoing]:
        """Take messages for half a minute."""
        del actor
        with self._lock:
            self._entered("take_outbox")
            now = self.clock()
            due = [each for each in self.outbox if not each.is_sent and (each.next_at or now) <= now][:limit]
            for each in due:
                each.next_at = now + timedelta(seconds=30)
            return due

    def mark_sent(self, actor: Actor, message_id: str) -> None:
        """Note that a message was published."""
        del actor
        with self._lock:
            self._entered("mark_sent")
            for each in self.outbox:
                each.is_sent = each.is_sent or each.message_id == message_id

    def mark_failed(self, actor: Actor, message_id: str, pause: timedelta) -> None:
        """Note that publishing failed."""
        del actor
        with self._lock:
            for each in self.outbox:
                if each.message_id == message_id:
                    each.failure_count += 1
                    each.next_at = self.clock() + pause

    def fail_next(self, method: str, *errors: Exception) -> None:
        """Let the next calls of a method raise."""
        self.errors.setdefault(method, []).extend(errors)

    def _entered(self, method: str) -> None:
        self.calls.append(method)
        if self.errors.get(method):
            raise self.errors[method].pop(0)
