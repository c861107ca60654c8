"""What operators do to an instance in trouble: apply again, retry, resolve an unknown outcome, move its status.

Every repair names its reason and is audited. A repair that cannot be done changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.failures import InterpretationFailed
from engine.model.statuses import is_legal, reentry
from engine.runtime.advance import Loaded, close_incidents, load_instance, plan_happening, plan_of
from engine.runtime.after_commit import announce
from engine.runtime.apply import apply
from engine.runtime.cause import Cause
from engine.runtime.commands import ExecutionState, InstanceAnswer, RepairRequest
from engine.runtime.correct import correct
from engine.runtime.errors import CannotRepair
from engine.runtime.happenings import InstanceStarted, unpack_happening
from engine.runtime.instances import answer_of, is_finished
from engine.runtime.interpreting import interpreting
from engine.runtime.plan import Plan, finished
from engine.runtime.repair_job import repair_job
from engine.runtime.repair_status import repair_status, unsettled
from engine.runtime.rooms import Rooms, starting_over
from engine.runtime.transitions import declared
from engine.store import blobs, instances, jobs
from engine.store.incidents import IncidentRow
from engine.store.sessions import ReadSession


def repair(rooms: Rooms, actor: Actor, request: RepairRequest) -> InstanceAnswer:
    """Repair an instance as asked.

    With ``values``: correct its data. With ``status``: an operator's transition. Else the named incident, or the only
    open one: what it kept is applied again, or its job is retried or resolved, or it is closed. A failed instance that
    nothing else can mend is never closed so: its status must be named.

    Raises
    ------
    PermissionDenied, UnknownInstance, CannotRepair
    """
    require(actor, Permission.REPAIR)
    if not request.reason.strip():
        raise CannotRepair(reason="say why.")
    return starting_over(lambda: _once(rooms, actor, request))


def release_key(rooms: Rooms, actor: Actor, workflow_id: str, reason: str) -> InstanceAnswer:
    """Free an ended instance's business key, so that it can be used again. Raises CannotRepair, UnknownInstance."""
    require(actor, Permission.REPAIR)
    return starting_over(lambda: _release_key(rooms, actor, workflow_id, reason))


def _once(rooms: Rooms, actor: Actor, request: RepairRequest) -> InstanceAnswer:
    with rooms.store.reading() as session:
        loaded = load_instance(rooms, session, actor.tenant_id, request.workflow_id)
        incident = _incident(loaded, request)
        kept = _kept(session, loaded, incident)
        job = None
        if incident is not None and incident.wait_id is not None and kept is None:
            job = session.one(jobs.BY_ID, {"job_id": incident.wait_id})
        blocking = unsettled(rooms, session, loaded) if request.status is not None else ()
    if is_finished(loaded.instance):
        raise CannotRepair(reason="the case has ended.")
    if request.values:
        return correct(rooms, actor, loaded, request)
    if request.status is not None:
        return repair_status(rooms, actor, loaded, request, request.status, blocking)
    if incident is None:
        raise CannotRepair(reason=f"it has {len(loaded.incidents)} open incidents; name one of them.")
    if job is not None:
        return repair_job(rooms, actor, loaded, request, incident, job)
    if kept is not None:
        return _write(rooms, _again(rooms, actor, loaded, request, incident, kept))
    ways = _ways_on(loaded)
    if ways:
        raise CannotRepair(reason=f"name the status it is to move to: {' or '.join(ways)}.")
    return _write(rooms, _closed(rooms, actor, loaded, request, incident))


def _incident(loaded: Loaded, request: RepairRequest) -> IncidentRow | None:
    if request.incident_id is None:
        return loaded.incidents[0] if len(loaded.incidents) == 1 else None
    found = next((each for each in loaded.incidents if each.incident_id == request.incident_id), None)
    if found is None:
        raise CannotRepair(reason=f"the incident {request.incident_id} is not open.")
    return found


def _kept(session: ReadSession, loaded: Loaded, incident: IncidentRow | None) -> bytes | None:
    if incident is None or incident.happening_digest is None:
        return None
    names = {"tenant_id": loaded.instance.tenant_id, "workflow_id": loaded.instance.workflow_id}
    row = session.one(blobs.BY_DIGEST, {**names, "digest": incident.happening_digest})
    return None if row is None else blobs.unpacked(row.content)


def _ways_on(loaded: Loaded) -> tuple[str, ...]:
    """Return the statuses that a failed instance can be moved to: to close its incident alone would end it unsaid."""
    definition, present = loaded.deployed.definition, loaded.instance.business_status
    failed = declared(definition.settings, present)
    if failed is None or not failed.is_failure or not loaded.instance.state:
        return ()
    return tuple(
        each.name
        for each in definition.settings.statuses
        if is_legal(definition.settings, present, each.name, by_operator=True)
        and (each.is_final or reentry(definition, each.name) is not None)
    )


def _cause(actor: Actor, request: RepairRequest, done: str, incident: IncidentRow | None) -> Cause:
    detail = {"done": done, "reason": request.reason}
    if incident is not None:
        detail["incident_id"] = incident.incident_id
    return Cause(event="repaired", actor=actor.person_id, person_id=actor.person_id, detail=detail)


def _again(
    rooms: Rooms, actor: Actor, loaded: Loaded, request: RepairRequest, incident: IncidentRow, kept: bytes
) -> Plan:
    """Return the plan that applies again what an incident kept (P15)."""
    happening = unpack_happening(kept)
    cause = _cause(actor, request, "applied_again", incident)
    try:
        if isinstance(happening, InstanceStarted):
            with interpreting(loaded.instance, happening.start_element):
                advance = rooms.interpreter.start(
                    loaded.deployed.definition,
                    start_element=happening.start_element,
                    variables=happening.variables,
                    origin=happening.origin,
                    source=happening.source,
                    now=loaded.now,
                    new_id=rooms.new_id,
                )
            plan = plan_of(rooms, loaded, advance, cause)
        else:
            plan = plan_happening(rooms, loaded, happening, cause)
    except InterpretationFailed as error:
        raise CannotRepair(reason=f"it fails again: {error.message}") from error
    return close_incidents(plan, loaded, [incident.incident_id])


def _closed(rooms: Rooms, actor: Actor, loaded: Loaded, request: RepairRequest, incident: IncidentRow) -> Plan:
    """Return the plan that closes an incident that nothing hangs on; without open waits the case has then ended."""
    plan = _unchanged(loaded, _cause(actor, request, "closed", incident))
    plan = close_incidents(plan, loaded, [incident.incident_id])
    if plan.after.execution_state == ExecutionState.WAITING and not _waits(rooms, loaded):
        return replace(plan, after=finished(plan.after, loaded.deployed.definition.settings, loaded.now))
    return plan


def _waits(rooms: Rooms, loaded: Loaded) -> bool:
    """Whether an instance waits for anything."""
    state = loaded.instance.state
    return bool(state) and bool(rooms.interpreter.open_waits(loaded.deployed.definition, state, now=loaded.now))


def _unchanged(loaded: Loaded, cause: Cause) -> Plan:
    instance = loaded.instance
    after = replace(instance, version=instance.version + 1, updated_at=loaded.now)
    return Plan(before=instance, after=after, now=loaded.now, cause=cause, audit_detail=dict(cause.detail))


def _write(rooms: Rooms, plan: Plan) -> InstanceAnswer:
    with rooms.store.writing("repair") as session:
        apply(session, plan, rooms.new_id)
    announce(rooms, plan)
    return answer_of(plan.after)


def _release_key(rooms: Rooms, actor: Actor, workflow_id: str, reason: str) -> InstanceAnswer:
    with rooms.store.reading() as session:
        loaded = load_instance(rooms, session, actor.tenant_id, workflow_id)
    instance = loaded.instance
    if not is_finished(instance):
        raise CannotRepair(reason="the case has not ended, so it keeps its business key.")
    plan = _unchanged(
        loaded,
        Cause(event="key_released", actor=actor.person_id, person_id=actor.person_id, detail={"reason": reason}),
    )
    with rooms.store.writing("repair") as session:
        apply(session, plan, rooms.new_id)
        session.run(
            instances.RELEASE_KEY,
            {
                "tenant_id": instance.tenant_id,
                "workflow_id": instance.workflow_id,
                "expected_version": plan.after.version,
            },
        )
    return answer_of(replace(plan.after, version=plan.after.version + 1))
