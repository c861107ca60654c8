"""Starts an instance by hand or by API; a business key that is held gives the instance that holds it (W2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from engine.contract.ids import BusinessKey, PersonId, StepKey, TenantId, TraceId, WorkflowId, WorkflowType
from engine.contract.origin import Origin
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.failures import InterpretationFailed
from engine.interpreter.values import Value
from engine.model.graph import FlowNode, NoneEvent
from engine.model.iso_time import parse_duration
from engine.runtime.advance import surroundings
from engine.runtime.after_commit import announce
from engine.runtime.apply import apply
from engine.runtime.cause import Cause, Trouble
from engine.runtime.commands import ExecutionState, InstanceAnswer, StartRequest
from engine.runtime.definitions import Deployed
from engine.runtime.errors import StartRefused, UnknownProcess
from engine.runtime.expressions import ExpressionFailed, evaluate_key
from engine.runtime.form_values import submitted
from engine.runtime.happenings import InstanceStarted, pack_happening
from engine.runtime.instances import answer_of
from engine.runtime.interpreting import InternalError, interpreting
from engine.runtime.plan import Plan, plan_advance
from engine.runtime.process_view import may_start
from engine.runtime.request_keys import first_answer, note_request
from engine.runtime.roles import title_of
from engine.runtime.rooms import Overtaken, Rooms, starting_over
from engine.store import definitions, instances
from engine.store.failures import DuplicateRow
from engine.store.instances import InstanceHead, InstanceRow
from engine.store.sessions import ReadSession
from engine.store.tables import KEY


@dataclass(frozen=True, kw_only=True)
class Start:
    """Everything that an instance starts from. ``source`` vouches for the variables."""

    tenant_id: TenantId
    deployed: Deployed
    start_element: StepKey
    variables: Mapping[str, Value]
    business_key: BusinessKey | None
    trace_id: TraceId | None
    origin: Origin
    source: str
    started_by: PersonId
    now: datetime


def start(rooms: Rooms, actor: Actor, request: StartRequest) -> InstanceAnswer:
    """Start an instance, or answer with the one that holds the business key, also after its end.

    The values of a start form that has a result variable get ``started_by``, so that the drawing can exclude whoever
    asked from the decision (four eyes).

    Raises
    ------
    PermissionDenied, UnknownProcess, StartRefused, InvalidValues, KeyReused, UnknownInstance
        When the process cannot be started like this; nothing is stored.
    """
    require(actor, Permission.START)
    return starting_over(lambda: _once(rooms, actor, request))


def _once(rooms: Rooms, actor: Actor, request: StartRequest) -> InstanceAnswer:
    with rooms.store.reading() as session:
        repeated = first_answer(session, actor, request.request_key)
        if repeated is not None:
            return repeated
        found = {"tenant_id": actor.tenant_id, "workflow_type": request.workflow_type}
        current = session.one(definitions.CURRENT, found)
        if current is None:
            raise UnknownProcess(workflow_type=request.workflow_type)
        deployed = rooms.definitions.get(session, actor.tenant_id, current.definition_id)
        prepared = _prepared(actor, request, deployed, session.now())
        held = holder(session, actor.tenant_id, request.workflow_type, prepared.business_key)
    if held is not None:
        return answer_of(held)
    try:
        plan = plan_start(rooms, prepared, Cause(event="started", actor=actor.person_id, person_id=actor.person_id))
    except InternalError:
        # Nothing was received that could be kept, and it is no fault of the request.
        raise
    except InterpretationFailed as error:
        raise StartRefused(workflow_type=request.workflow_type, reason=error.message) from error
    try:
        with rooms.store.writing("start") as session:
            apply(session, plan, rooms.new_id)
            if request.request_key is not None:
                note_request(session, actor, request.request_key, plan.after)
    except DuplicateRow as error:
        raise Overtaken from error
    announce(rooms, plan)
    return answer_of(plan.after, is_new=True)


def _prepared(actor: Actor, request: StartRequest, deployed: Deployed, now: datetime) -> Start:
    """Return what the request asks to start from, checked."""
    definition = deployed.definition
    settings = definition.settings
    if not may_start(actor, definition):
        roles = ", ".join(title_of(settings, name) for name in settings.starts)
        raise StartRefused(workflow_type=request.workflow_type, reason=f"only {roles} may start it.")
    element = _start_element(request, deployed)
    binding = element.task.form if element.task is not None else None
    variables: Mapping[str, Value] = request.variables
    if binding is not None:
        values = submitted(definition, binding, request.variables)
        started = {**values, "started_by": actor.person_id}
        variables = {binding.result: started} if binding.result is not None else values
    business_key = None if request.business_key is None else _given_key(request, request.business_key)
    if business_key is None and settings.business_key is not None:
        try:
            business_key = BusinessKey(evaluate_key(settings.business_key, variables, now, longest=KEY))
        except ExpressionFailed as error:
            raise StartRefused(workflow_type=request.workflow_type, reason=f"its business key: {error}") from error
    return Start(
        tenant_id=actor.tenant_id,
        deployed=deployed,
        start_element=element.element_id,
        variables=variables,
        business_key=business_key,
        trace_id=request.trace_id,
        origin=Origin.SYSTEM if actor.is_service else Origin.PERSON,
        source=actor.person_id,
        started_by=actor.person_id,
        now=now,
    )


def _given_key(request: StartRequest, given: BusinessKey) -> BusinessKey:
    """Return a business key as it is kept: blanks around it mean nothing, as in a key that an expression gives."""
    key = given.strip()
    if not key or len(key) > KEY:
        reason = f"its business key has {len(key)} characters; 1 to {KEY} are possible."
        raise StartRefused(workflow_type=request.workflow_type, reason=reason)
    return BusinessKey(key)


def _start_element(request: StartRequest, deployed: Deployed) -> FlowNode:
    plain = [
        node for node in deployed.definition.process.starts() if node.event is None or isinstance(node.event, NoneEvent)
    ]
    for node in plain:
        if request.start_element in (None, node.element_id):
            return node
    reason = "it starts with an event only." if not plain else f"{request.start_element} is no start of it."
    raise StartRefused(workflow_type=request.workflow_type, reason=reason)


def holder(
    session: ReadSession, tenant_id: TenantId, workflow_type: WorkflowType, business_key: BusinessKey | None
) -> InstanceHead | None:
    """Return the instance that holds a business key; None without a key, or when nobody holds it."""
    if business_key is None:
        return None
    return session.one(
        instances.BY_HELD_KEY,
        {"tenant_id": tenant_id, "workflow_type": workflow_type, "held_key": business_key},
    )


def blank_instance(rooms: Rooms, start: Start) -> InstanceRow:
    """Return the row of an instance that is about to start: version 0, without state."""
    deadline = start.deployed.definition.settings.deadline
    return InstanceRow(
        tenant_id=start.tenant_id,
        workflow_id=WorkflowId(rooms.new_id()),
        workflow_type=start.deployed.workflow_type,
        definition_id=start.deployed.definition_id,
        business_key=start.business_key,
        held_key=start.business_key,
        business_status=None,
        execution_state=ExecutionState.RUNNING,
        version=0,
        current_step=start.start_element,
        retry_count=0,
        parent_workflow_id=None,
        parent_wait_id=None,
        started_by=start.started_by,
        trace_id=start.trace_id or TraceId(rooms.new_id()),
        deadline_at=start.now + parse_duration(deadline).total if deadline else None,
        cancel_reason=None,
        created_at=start.now,
        updated_at=start.now,
        finished_at=None,
        expires_at=None,
        state_format=0,
        state=b"",
    )


def plan_start(rooms: Rooms, start: Start, cause: Cause) -> Plan:
    """Return the plan that starts an instance. Raises InterpretationFailed when it cannot take its first steps."""
    blank = blank_instance(rooms, start)
    with interpreting(blank, start.start_element):
        advance = rooms.interpreter.start(
            start.deployed.definition,
            start_element=start.start_element,
            variables=start.variables,
            origin=start.origin,
            source=start.source,
            now=start.now,
            new_id=rooms.new_id,
        )
        around = surroundings(rooms, start.deployed, start.now)
        return plan_advance(blank, advance, cause, around)


def keep_start(rooms: Rooms, start: Start, cause: Cause, error: InterpretationFailed) -> Plan:
    """Return the plan that keeps a start with an incident: the instance exists, its first steps are repaired (P15)."""
    blank = blank_instance(rooms, start)
    started = InstanceStarted(
        start_element=start.start_element, variables=start.variables, origin=start.origin, source=start.source
    )
    after = replace(
        blank,
        version=1,
        execution_state=ExecutionState.INCIDENT,
        business_status=start.deployed.definition.settings.initial_status,
    )
    trouble = Trouble(
        code=error.code,
        message=error.message,
        step_key=error.element_id or start.start_element,
        happening=pack_happening(started),
    )
    return Plan(
        before=blank,
        after=after,
        now=start.now,
        cause=cause,
        troubles=(trouble,),
        audit_detail={**cause.detail, "incident": error.code},
    )
