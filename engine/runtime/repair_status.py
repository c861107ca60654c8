"""An operator's transition: legal by ``process.yaml``, after every key is settled (PROCUREMENT, legal transitions)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.identity.actor import Actor
from engine.interpreter.failures import InterpretationFailed
from engine.interpreter.messages import CancelAll, Restarted
from engine.model.statuses import is_legal, reentry
from engine.runtime.advance import Loaded, advanced, close_incidents, plan_of
from engine.runtime.after_commit import announce
from engine.runtime.apply import apply
from engine.runtime.cause import Cause
from engine.runtime.claimed import operation_of
from engine.runtime.commands import ExecutionState, InstanceAnswer, RepairRequest
from engine.runtime.errors import CannotRepair
from engine.runtime.instances import answer_of
from engine.runtime.limits import MOST_ROWS
from engine.runtime.plan import Plan
from engine.runtime.rooms import Overtaken, Rooms
from engine.runtime.transitions import Transition, as_detail, declared
from engine.runtime.wait_rows import Closed
from engine.store import effects
from engine.store.effects import EffectState
from engine.store.sessions import ReadSession


def unsettled(rooms: Rooms, session: ReadSession, loaded: Loaded) -> tuple[str, ...]:
    """Return what keeps a case from being moved by hand: documents of which nobody knows, or that can be undone."""
    names = {"tenant_id": loaded.instance.tenant_id, "workflow_id": loaded.instance.workflow_id}
    found = session.all(effects.OF_INSTANCE, {**names, "limit": MOST_ROWS})
    blocking: list[str] = []
    for each in found:
        operation = operation_of(rooms.registry, each.operation)
        can_be_undone = operation is not None and operation.compensate is not None
        is_open = each.state in (EffectState.SENT, EffectState.UNKNOWN)
        if is_open or (each.state == EffectState.DONE and can_be_undone):
            blocking.append(f"{each.operation} {each.idempotency_key} is {each.state}")
    return tuple(blocking)


def repair_status(
    rooms: Rooms, actor: Actor, loaded: Loaded, request: RepairRequest, status: str, blocking: Sequence[str]
) -> InstanceAnswer:
    """Move an instance to a status, and let it end or go on there, in one transaction.

    In a final status everything that is open ends. In one with a ``reentry`` it ends too, and the instance goes on at
    that element, as a failed one does that has nothing left to go on from. Either closes the incidents. In any other
    status only the status changes, and incidents stay for what they ask.

    Parameters
    ----------
    blocking
        What is not settled, by ``unsettled``.

    Raises
    ------
    CannotRepair
        When the transition is not legal for an operator, a key is not settled, or nothing is left to go on from.
    Overtaken
        When the instance was changed, or a write begun, in between.
    """
    definition = loaded.deployed.definition
    before = loaded.instance.business_status
    target = declared(definition.settings, status)
    if target is None or before == status or not is_legal(definition.settings, before, status, by_operator=True):
        raise CannotRepair(reason=f"{status} may not follow {before}.")
    if blocking:
        raise CannotRepair(reason=f"settle first: {'; '.join(blocking)}.")
    node = reentry(definition, status)
    if target.is_final:
        plan = _moved(rooms, actor, loaded, request, status, CancelAll())
        plan = replace(plan, after=replace(plan.after, cancel_reason=request.reason[:500]))
    elif node is not None:
        restarted = Restarted(element_id=node.element_id, source=actor.person_id)
        plan = _moved(rooms, actor, loaded, request, status, restarted)
        plan = replace(plan, after=replace(plan.after, cancel_reason=None))
    elif _waits(rooms, loaded):
        plan = _renamed(actor, loaded, request, status)
    else:
        raise CannotRepair(reason="no step is left to go on from. Close it, release its key and start a new case.")
    with rooms.store.writing("repair") as session:
        apply(session, plan, rooms.new_id)
        if unsettled(rooms, session, loaded):
            # A worker claimed a write since the reading; the plan may have taken its job away.
            raise Overtaken
    announce(rooms, plan)
    return answer_of(plan.after)


def _waits(rooms: Rooms, loaded: Loaded) -> bool:
    """Whether an instance waits for anything."""
    state = loaded.instance.state
    return bool(state) and bool(rooms.interpreter.open_waits(loaded.deployed.definition, state, now=loaded.now))


def _cause(actor: Actor, request: RepairRequest, closed: Sequence[str]) -> Cause:
    detail: dict[str, object] = {"done": "status", "reason": request.reason}
    if len(closed) == 1:
        detail["incident_id"] = closed[0]
    elif closed:
        detail["incidents"] = list(closed)
    return Cause(event="repaired", actor=actor.person_id, person_id=actor.person_id, detail=detail)


def _moved(
    rooms: Rooms, actor: Actor, loaded: Loaded, request: RepairRequest, status: str, happening: CancelAll | Restarted
) -> Plan:
    """Return the plan of a transition after which nothing that was open is left, an incident neither."""
    instance = loaded.instance
    element_id = happening.element_id if isinstance(happening, Restarted) else instance.current_step or ""
    moved = Transition(before=instance.business_status, after=status, element_id=element_id)
    entered = replace(instance, business_status=status, execution_state=ExecutionState.WAITING)
    incidents = [each.incident_id for each in loaded.incidents]
    try:
        advance = advanced(rooms, loaded, happening)
        plan = plan_of(
            rooms, replace(loaded, instance=entered, incidents=()), advance, _cause(actor, request, incidents)
        )
    except InterpretationFailed as error:
        raise CannotRepair(reason=error.message) from error
    transitions = (moved, *plan.transitions)
    plan = replace(
        plan,
        before=instance,
        transitions=transitions,
        closed=Closed(everything=True),
        audit_detail={**plan.audit_detail, "status": as_detail(transitions)},
    )
    return close_incidents(plan, loaded, incidents)


def _renamed(actor: Actor, loaded: Loaded, request: RepairRequest, status: str) -> Plan:
    """Return the plan of a transition that leaves every wait as it is."""
    instance = loaded.instance
    cause = _cause(actor, request, ())
    moved = (Transition(before=instance.business_status, after=status, element_id=instance.current_step or ""),)
    after = replace(instance, version=instance.version + 1, updated_at=loaded.now, business_status=status)
    detail = {**cause.detail, "status": as_detail(moved)}
    return Plan(before=instance, after=after, now=loaded.now, cause=cause, transitions=moved, audit_detail=detail)
