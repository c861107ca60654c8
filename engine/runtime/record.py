"""Records what became of a claimed job: journal, job, state, waits and audit in one commit.

Whoever lost the lease matches no job row under its fencing number: the result is journalled as late, and nothing else
changes (P5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from engine.contract.operation import Effect, Operation
from engine.contract.origin import Origin
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.failures import InterpretationFailed, UncaughtError, WaitGone
from engine.interpreter.messages import Continue, Happening, JobFailed, JobSucceeded
from engine.runtime.advance import Loaded, keep, load_instance, plan_happening, plan_trouble
from engine.runtime.after_commit import announce
from engine.runtime.apply import apply, keep_blob, write_audit
from engine.runtime.cause import Cause, Trouble
from engine.runtime.claimed import is_write, operation_of
from engine.runtime.claiming_next import claim_first, hand_out
from engine.runtime.commands import (
    ClaimedJob,
    Deferred,
    Failed,
    JobKind,
    JobOutcome,
    ModelCallRecord,
    Parked,
    RecordAnswer,
    Retried,
    Succeeded,
)
from engine.runtime.compensation import mark_compensated
from engine.runtime.errors import UnknownInstance
from engine.runtime.journal import (
    DONE,
    FAILED,
    FOUND,
    LATE,
    NOT_SENT,
    RETRIED,
    UNKNOWN,
    Note,
    mark_step,
    settle_attempts,
    write_attempt,
    write_effect,
    write_model_calls,
)
from engine.runtime.plan import Plan
from engine.runtime.results import Result, read_result
from engine.runtime.rooms import Rooms, starting_over
from engine.runtime.transitions import as_detail, follow_failure
from engine.runtime.wait_rows import Closed
from engine.store import instances, jobs
from engine.store.effects import EffectState
from engine.store.sessions import WriteSession
from engine.store.steps import StepStatus


class _LeaseLost(Exception):
    """Somebody else claimed the job, or it was withdrawn."""


@dataclass(frozen=True, kw_only=True)
class _Record:
    """One outcome to be recorded."""

    rooms: Rooms
    actor: Actor
    claimed: ClaimedJob
    outcome: JobOutcome
    claims_next: bool
    model_calls: Sequence[ModelCallRecord]
    operation: Operation | None

    @property
    def writes(self) -> bool:
        """Whether the job writes to a business system."""
        return is_write(self.operation)


def record(
    rooms: Rooms,
    actor: Actor,
    claimed: ClaimedJob,
    outcome: JobOutcome,
    *,
    claim_next: bool = False,
    model_calls: Sequence[ModelCallRecord] = (),
) -> RecordAnswer:
    """Record an outcome.

    ``claim_next`` also claims the first job that the advance opens, in the same commit. Raises PermissionDenied.
    """
    require(actor, Permission.WORK)
    operation = operation_of(rooms.registry, claimed.operation)
    this = _Record(
        rooms=rooms,
        actor=actor,
        claimed=claimed,
        outcome=outcome,
        claims_next=claim_next,
        model_calls=model_calls,
        operation=operation,
    )
    try:
        return starting_over(lambda: _once(this))
    except (_LeaseLost, WaitGone, UnknownInstance):
        starting_over(lambda: _late(this))
        return RecordAnswer(is_late=True)


def _once(this: _Record) -> RecordAnswer:
    match this.outcome:
        case Succeeded():
            return _succeeded(this, this.outcome)
        case Failed():
            return _failed(this, this.outcome)
        case Parked():
            return _parked(this, this.outcome.error_code, this.outcome.message, is_unknown=this.outcome.is_unknown)
        case Retried():
            return _retried(this, this.outcome)
        case Deferred():
            return _deferred(this, this.outcome)


def _load(this: _Record) -> Loaded:
    correlation = this.claimed.correlation
    with this.rooms.store.reading() as session:
        return load_instance(this.rooms, session, correlation.tenant_id, correlation.workflow_id)


def _cause(this: _Record, event: str, **detail: Any) -> Cause:
    correlation = this.claimed.correlation
    return Cause(
        event=event,
        actor=this.actor.person_id,
        person_id=this.actor.person_id,
        detail={"element": correlation.step_key, **detail},
        approval_id=correlation.approval_id,
        event_id=correlation.event_id,
        is_automatic=True,
        rule=_rule(this.operation),
    )


def _rule(operation: Operation | None) -> str | None:
    """Return the operation whose result is a rule's act: one that computes by rules alone."""
    if operation is None or operation.effect is not Effect.PURE or operation.origin is not Origin.RULE:
        return None
    return operation.reference


# --- the job is done ---------------------------------------------------------------------------------------------


def _succeeded(this: _Record, outcome: Succeeded) -> RecordAnswer:
    loaded = _load(this)
    result = read_result(this.operation, outcome.result)
    found = {"found": True} if outcome.was_found else {}
    plan = _advanced(this, loaded, _happening(this, result), _cause(this, "job_done", **found), result)
    plan = replace(plan, after=replace(plan.after, retry_count=plan.after.retry_count + this.claimed.failure_count))
    note = Note(
        claimed=this.claimed,
        outcome=FOUND if outcome.was_found else DONE,
        now=loaded.now,
        writes=this.writes,
    )
    plan, next_claim = claim_first(this.rooms, loaded, plan, this.claimed) if this.claims_next else (plan, None)
    with this.rooms.store.writing("result") as session:
        _finish(this, session, plan)
        write_attempt(session, note)
        if this.writes:
            settle_attempts(session, replace(note, outcome=FOUND))
            write_effect(session, this.claimed, EffectState.DONE, loaded.now, result=outcome.result.encode())
            mark_compensated(this.rooms, session, loaded, this.operation)
        if result.blob is not None:
            _keep(this, session, "result", result.blob, loaded.now)
        write_model_calls(session, this.claimed, this.model_calls, loaded.now)
        next_job = None if next_claim is None else hand_out(session, plan, next_claim)
    announce(this.rooms, plan)
    return RecordAnswer(is_late=False, next_job=next_job)


def _happening(this: _Record, result: Result) -> Happening:
    if this.claimed.kind is JobKind.CONTINUE:
        return Continue()
    operation = this.operation
    return JobSucceeded(
        wait_id=this.claimed.correlation.execution_id,
        result=result.value,
        origin=operation.origin if operation is not None else Origin.SYSTEM,
        source=this.claimed.operation or "",
    )


def _advanced(this: _Record, loaded: Loaded, happening: Happening, cause: Cause, result: Result | None) -> Plan:
    """Return the plan of an advance, or the one that keeps the happening (P15). Raises WaitGone, UncaughtError."""
    summary = {str(this.claimed.job_id): result.summary} if result is not None else {}
    try:
        return plan_happening(this.rooms, loaded, happening, cause, summary)
    except (WaitGone, UncaughtError):
        raise
    except InterpretationFailed as error:
        return keep(loaded, happening, cause, error, Closed(jobs=(this.claimed.job_id,)))


def _finish(this: _Record, session: WriteSession, plan: Plan) -> None:
    """Write the plan and take the job away under its fencing number. Raises Overtaken, _LeaseLost."""
    apply(session, replace(plan, closed=plan.closed.without_job(this.claimed.job_id)), this.rooms.new_id)
    if session.run(jobs.FINISH, _fence(this.claimed)) == 0:
        raise _LeaseLost


def _fence(claimed: ClaimedJob) -> dict[str, Any]:
    return {"job_id": claimed.job_id, "by": claimed.owner, "claim": claimed.attempt}


def _keep(this: _Record, session: WriteSession, purpose: str, content: bytes, now: datetime) -> None:
    correlation = this.claimed.correlation
    keep_blob(session, correlation.tenant_id, correlation.workflow_id, purpose, content, now)


# --- the job failed for good -------------------------------------------------------------------------------------


def _failed(this: _Record, outcome: Failed) -> RecordAnswer:
    loaded = _load(this)
    happening = JobFailed(
        wait_id=this.claimed.correlation.execution_id, error_code=outcome.error_code, message=outcome.message
    )
    cause = _cause(this, "job_failed", error=outcome.error_code, message=outcome.message[:200])
    try:
        plan = _advanced(this, loaded, happening, cause, None)
    except UncaughtError:
        return _parked(this, outcome.error_code, outcome.message, is_unknown=False, is_failure=True)
    note = Note(
        claimed=this.claimed,
        outcome=FAILED,
        now=loaded.now,
        error=f"{outcome.error_code}: {outcome.message}",
        writes=this.writes,
    )
    plan, next_claim = claim_first(this.rooms, loaded, plan, this.claimed) if this.claims_next else (plan, None)
    with this.rooms.store.writing("result") as session:
        _finish(this, session, plan)
        write_attempt(session, note)
        if this.writes:
            settle_attempts(session, note)
            write_effect(session, this.claimed, EffectState.ABSENT, loaded.now)
        write_model_calls(session, this.claimed, this.model_calls, loaded.now)
        next_job = None if next_claim is None else hand_out(session, plan, next_claim)
    announce(this.rooms, plan)
    return RecordAnswer(is_late=False, next_job=next_job)


def _parked(
    this: _Record, error_code: str, message: str, *, is_unknown: bool, is_failure: bool = False
) -> RecordAnswer:
    """Leave the job to a person; an error that nothing caught also brings the declared failure status."""
    loaded = _load(this)
    claimed = this.claimed
    trouble = Trouble(code=error_code, message=message, step_key=claimed.correlation.step_key, wait_id=claimed.job_id)
    plan = plan_trouble(loaded, _cause(this, "job_parked", error=error_code), trouble)
    if is_failure:
        plan = _with_failure_status(plan, loaded, claimed)
    note = Note(
        claimed=claimed,
        outcome=UNKNOWN if is_unknown else FAILED,
        now=loaded.now,
        error=f"{error_code}: {message}",
        writes=this.writes,
    )
    with this.rooms.store.writing("park") as session:
        apply(session, plan, this.rooms.new_id)
        if session.run(jobs.PARK, {**_fence(claimed), "unknown": is_unknown}) == 0:
            raise _LeaseLost
        status = StepStatus.UNKNOWN if is_unknown else StepStatus.FAILED
        mark_step(session, claimed, status, error_code=error_code, message=message, failures=1)
        write_attempt(session, note)
        if this.writes:
            state = EffectState.UNKNOWN if is_unknown else EffectState.ABSENT
            write_effect(session, claimed, state, loaded.now)
        write_model_calls(session, claimed, this.model_calls, loaded.now)
    return RecordAnswer(is_late=False)


def _with_failure_status(plan: Plan, loaded: Loaded, claimed: ClaimedJob) -> Plan:
    settings = loaded.deployed.definition.settings
    status, transitions = follow_failure(
        settings, plan.before.business_status, claimed.correlation.step_key, plan.cause
    )
    detail = dict(plan.audit_detail)
    if transitions:
        detail["status"] = as_detail(transitions)
    return replace(
        plan, after=replace(plan.after, business_status=status), transitions=transitions, audit_detail=detail
    )


# --- the job goes on later ---------------------------------------------------------------------------------------


def _retried(this: _Record, outcome: Retried) -> RecordAnswer:
    claimed = this.claimed
    with this.rooms.store.writing("unknown" if outcome.is_unknown else "retry") as session:
        _give_back(session, claimed, outcome.pause, failures=1, is_unknown=outcome.is_unknown)
        now = session.now()
        status = StepStatus.UNKNOWN if outcome.is_unknown else StepStatus.RETRY_WAIT
        mark_step(session, claimed, status, error_code=outcome.error_code, message=outcome.message, failures=1)
        note = Note(
            claimed=claimed,
            outcome=UNKNOWN if outcome.is_unknown else RETRIED,
            now=now,
            error=f"{outcome.error_code}: {outcome.message}",
            writes=this.writes,
        )
        write_attempt(session, note)
        if this.writes:
            state = EffectState.UNKNOWN if outcome.is_unknown else EffectState.ABSENT
            write_effect(session, claimed, state, now)
        write_model_calls(session, claimed, this.model_calls, now)
    return RecordAnswer(is_late=False)


def _deferred(this: _Record, outcome: Deferred) -> RecordAnswer:
    """Give a job back that a limit of its system kept from being called: nothing was sent under this claim."""
    claimed = this.claimed
    with this.rooms.store.writing("retry") as session:
        _give_back(session, claimed, outcome.pause, failures=0, is_unknown=claimed.must_look_up)
        now = session.now()
        mark_step(session, claimed, StepStatus.UNKNOWN if claimed.must_look_up else StepStatus.PENDING)
        if this.writes:
            write_attempt(session, Note(claimed=claimed, outcome=NOT_SENT, now=now, writes=True))
            if not claimed.must_look_up:
                write_effect(session, claimed, EffectState.ABSENT, now)
    return RecordAnswer(is_late=False)


def _give_back(session: WriteSession, claimed: ClaimedJob, pause: Any, *, failures: int, is_unknown: bool) -> None:
    terms = {**_fence(claimed), "pause": pause, "failures": failures, "unknown": is_unknown}
    if session.run(jobs.RETRY, terms) == 0:
        raise _LeaseLost


# --- the lease was lost ------------------------------------------------------------------------------------------


def _late(this: _Record) -> None:
    """Journal a late result: what it was is kept, and nothing else changes."""
    claimed = this.claimed
    correlation = claimed.correlation
    with this.rooms.store.writing("late") as session:
        head = session.one(instances.HEAD, {"tenant_id": correlation.tenant_id, "workflow_id": correlation.workflow_id})
        if head is None:
            session.abandon()
            return
        now = session.now()
        kind = type(this.outcome).__name__.lower()
        if claimed.operation is not None and this.writes:
            error = getattr(this.outcome, "message", "")
            write_attempt(session, Note(claimed=claimed, outcome=LATE, now=now, error=error, writes=True))
        detail: dict[str, Any] = {
            "element": correlation.step_key,
            "outcome": kind,
            "attempt": claimed.attempt,
            "owner": claimed.owner,
        }
        if isinstance(this.outcome, Succeeded):
            detail["result"] = keep_blob(
                session,
                correlation.tenant_id,
                correlation.workflow_id,
                "late_result",
                this.outcome.result.encode(),
                now,
            )
        write_audit(session, head, "late_result", this.actor.person_id, detail, this.rooms.new_id, now)
