"""Repairs a parked job: retry it, or say what became of a call whose outcome nobody knew (W10, W25)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from engine.contract.ids import ExecutionId
from engine.identity.actor import Actor
from engine.interpreter.failures import InterpretationFailed
from engine.interpreter.messages import JobSucceeded
from engine.runtime.advance import Loaded, close_incidents, plan_happening
from engine.runtime.after_commit import announce
from engine.runtime.apply import apply, keep_blob
from engine.runtime.cause import Cause
from engine.runtime.claimed import is_write, operation_of
from engine.runtime.commands import InstanceAnswer, RepairRequest
from engine.runtime.compensation import mark_compensated
from engine.runtime.errors import CannotRepair
from engine.runtime.instances import answer_of
from engine.runtime.plan import Plan
from engine.runtime.results import Result, read_result
from engine.runtime.rooms import Overtaken, Rooms
from engine.store import attempts, effects, jobs, steps
from engine.store.effects import EffectState
from engine.store.incidents import IncidentRow
from engine.store.jobs import JobRow, JobStatus
from engine.store.sessions import WriteSession
from engine.store.steps import StepStatus

FOUND = "found"
ABSENT = "absent"


def repair_job(
    rooms: Rooms, actor: Actor, loaded: Loaded, request: RepairRequest, incident: IncidentRow, job: JobRow
) -> InstanceAnswer:
    """Retry a parked job, or resolve it: ``found`` with the document as JSON, or ``absent``.

    Raises
    ------
    CannotRepair
        When the job is not parked, or the document does not fit its operation.
    """
    if job.status != JobStatus.PARKED:
        raise CannotRepair(reason=f"its job is {job.status}, not parked.")
    if request.resolution == FOUND:
        return _found(rooms, actor, loaded, request, incident, job)
    if request.resolution not in (None, ABSENT):
        raise CannotRepair(reason=f"{request.resolution!r} is no resolution; say found or absent.")
    is_absent = request.resolution == ABSENT
    plan = _reopened(actor, loaded, request, incident, "resolved_absent" if is_absent else "retried")
    with rooms.store.writing("repair") as session:
        apply(session, plan, rooms.new_id)
        unknown = False if is_absent else job.is_unknown
        if session.run(jobs.UNPARK, {"job_id": job.job_id, "unknown": unknown}) == 0:
            raise Overtaken
        if is_absent:
            _settle(session, job, ABSENT, request.reason, loaded.now)
            _set_effect(rooms, session, job, EffectState.ABSENT, None, loaded.now)
        session.run(steps.MARK, _pending(job))
    rooms.bell([job.job_id])
    return answer_of(plan.after)


def _reopened(actor: Actor, loaded: Loaded, request: RepairRequest, incident: IncidentRow, done: str) -> Plan:
    instance = loaded.instance
    cause = _cause(actor, request, incident, done)
    after = replace(instance, version=instance.version + 1, updated_at=loaded.now)
    plan = Plan(before=instance, after=after, now=loaded.now, cause=cause, audit_detail=dict(cause.detail))
    return close_incidents(plan, loaded, [incident.incident_id])


def _cause(actor: Actor, request: RepairRequest, incident: IncidentRow, done: str) -> Cause:
    return Cause(
        event="repaired",
        actor=actor.person_id,
        person_id=actor.person_id,
        detail={
            "done": done,
            "reason": request.reason,
            "incident_id": incident.incident_id,
            "element": incident.step_key,
        },
    )


def _found(
    rooms: Rooms, actor: Actor, loaded: Loaded, request: RepairRequest, incident: IncidentRow, job: JobRow
) -> InstanceAnswer:
    """Take the document that a person found in the other system as the job's result."""
    operation = operation_of(rooms.registry, job.operation)
    if operation is None or request.document is None:
        raise CannotRepair(reason="give the document that was found, as JSON.")
    try:
        result = read_result(operation, request.document)
    except ValueError as error:
        raise CannotRepair(reason=f"the document does not fit {operation.reference}: {error}") from error
    happening = JobSucceeded(
        wait_id=ExecutionId(job.job_id), result=result.value, origin=operation.origin, source=operation.reference
    )
    cause = replace(
        _cause(actor, request, incident, "resolved_found"),
        approval_id=job.context.get("approval_id"),
        event_id=job.context.get("event_id"),
    )
    try:
        plan = plan_happening(rooms, loaded, happening, cause, {job.job_id: result.summary})
    except InterpretationFailed as error:
        raise CannotRepair(reason=error.message) from error
    plan = close_incidents(plan, loaded, {incident.incident_id} - set(plan.closed_incidents))
    with rooms.store.writing("repair") as session:
        apply(session, plan, rooms.new_id)
        _keep_found(rooms, session, loaded, job, request.document, result)
    announce(rooms, plan)
    return answer_of(plan.after)


def _keep_found(
    rooms: Rooms, session: WriteSession, loaded: Loaded, job: JobRow, document: str, result: Result
) -> None:
    _settle(session, job, FOUND, "", loaded.now)
    _set_effect(rooms, session, job, EffectState.DONE, document.encode(), loaded.now)
    mark_compensated(rooms, session, loaded, operation_of(rooms.registry, job.operation))
    if result.blob is not None:
        keep_blob(session, job.tenant_id, job.workflow_id, "result", result.blob, loaded.now)


def _settle(session: WriteSession, job: JobRow, outcome: str, message: str, now: datetime) -> None:
    session.run(
        attempts.SETTLE,
        {
            "tenant_id": job.tenant_id,
            "workflow_id": job.workflow_id,
            "job_id": job.job_id,
            "new_outcome": outcome,
            "new_answered_at": now,
            "new_error_message": message[:500] or None,
        },
    )


def _set_effect(
    rooms: Rooms, session: WriteSession, job: JobRow, state: EffectState, result: bytes | None, now: datetime
) -> None:
    if not is_write(operation_of(rooms.registry, job.operation)):
        return
    session.run(
        effects.SET_STATE,
        {
            "tenant_id": job.tenant_id,
            "workflow_id": job.workflow_id,
            "step_key": job.step_key,
            "iteration": job.iteration,
            "intent": int(job.context.get("intent", 1)),
            "new_state": state,
            "new_result": result,
            "new_updated_at": now,
        },
    )


def _pending(job: JobRow) -> dict[str, Any]:
    return {
        "tenant_id": job.tenant_id,
        "workflow_id": job.workflow_id,
        "execution_id": job.job_id,
        "new_status": StepStatus.PENDING,
        "new_error_code": None,
        "new_error_message": None,
        "new_failure_count": 0,
    }
