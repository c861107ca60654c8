"""Receives a business event: once per source and id, it starts, continues or waits for instances (W15).

An event is an announcement: every process that listens to its type is told, and in each of them every instance that
waits with its correlation key. Within one instance it ends one wait, the one that began first (BPMN 2.0.2, 10.5.1: a
message is consumed by one catch). Nobody waiting: it starts an instance if the process has such a start, else it is
kept until somebody waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from engine.contract.ids import BusinessKey, StepKey, WorkflowId
from engine.contract.origin import Origin
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.failures import InterpretationFailed, WaitGone
from engine.interpreter.messages import MessageReceived
from engine.model.graph import MessageEvent
from engine.model.settings import Message
from engine.runtime.advance import Loaded, load_instance, plan_or_keep
from engine.runtime.after_commit import announce, meet
from engine.runtime.apply import apply
from engine.runtime.cause import Cause, Parameters
from engine.runtime.commands import EventAnswer, EventFate, InstanceAnswer, ReceivedEvent
from engine.runtime.definitions import Deployed
from engine.runtime.encoding import pack
from engine.runtime.errors import EventConflict, InvalidEvent
from engine.runtime.expressions import ExpressionFailed, evaluate_key
from engine.runtime.instances import answer_of
from engine.runtime.plan import Plan
from engine.runtime.rooms import Overtaken, Rooms, starting_over
from engine.runtime.schemas import first_breach
from engine.runtime.start import Start, holder, keep_start, plan_start
from engine.runtime.wait_rows import Closed
from engine.store import definitions, inbox, instances, messages, subscriptions
from engine.store.definitions import Listener
from engine.store.failures import DuplicateRow
from engine.store.instances import InstanceHead
from engine.store.sessions import ReadSession
from engine.store.subscriptions import SubscriptionRow
from engine.store.tables import KEY

#: Waits with one key that one event can end; more share their key by mistake.
_MOST_WAITS = 200


@dataclass(frozen=True, kw_only=True)
class _Route:
    """One listener, with what the event means to it."""

    listener: Listener
    deployed: Deployed
    key: str
    waiting: tuple[tuple[SubscriptionRow, Loaded], ...]
    held: InstanceHead | None


@dataclass(kw_only=True)
class _Effects:
    """What the event changes, over all listeners."""

    fates: list[EventFate] = field(default_factory=list[EventFate])
    answers: list[InstanceAnswer] = field(default_factory=list[InstanceAnswer])
    plans: list[Plan] = field(default_factory=list[Plan])
    kept: list[Parameters] = field(default_factory=list[Parameters])


def receive(rooms: Rooms, actor: Actor, event: ReceivedEvent) -> EventAnswer:
    """Take an event in, in one unit of work with everything that it brings about.

    A repeat is answered with what became of the first, and with how its instances stand now.

    Raises
    ------
    PermissionDenied, InvalidEvent, EventConflict
        When the event cannot be taken; nothing is stored.
    """
    require(actor, Permission.SEND_EVENTS)
    return starting_over(lambda: _once(rooms, actor, event))


def _once(rooms: Rooms, actor: Actor, event: ReceivedEvent) -> EventAnswer:
    with rooms.store.reading() as session:
        repeated = _repeated(session, actor, event)
        if repeated is not None:
            return repeated
        listeners = session.all(definitions.LISTENERS, {"tenant_id": actor.tenant_id, "event_type": event.event_type})
        if not listeners:
            return EventAnswer(event_id=event.event_id, fate=EventFate.UNKNOWN_TYPE, instances=(), is_repeat=False)
        now = session.now()
        routes = [_route(rooms, session, actor, event, each, now) for each in listeners]
    effects = _Effects()
    for route in routes:
        _follow(rooms, actor, event, route, effects, now)
    answer = EventAnswer(
        event_id=event.event_id, fate=_strongest(effects.fates), instances=tuple(effects.answers), is_repeat=False
    )
    _write(rooms, actor, event, effects, answer, now)
    announce(rooms, *effects.plans)
    for each in effects.kept:
        meet(rooms, each["tenant_id"], each["message_name"], each["correlation_key"])
    return answer


def _repeated(session: ReadSession, actor: Actor, event: ReceivedEvent) -> EventAnswer | None:
    received = session.one(
        inbox.BY_ID, {"tenant_id": actor.tenant_id, "source": event.source, "event_id": event.event_id}
    )
    if received is None:
        return None
    if received.body_digest != event.body_digest or received.event_type != event.event_type:
        raise EventConflict(event_id=event.event_id, source=event.source)
    first = cast(Mapping[str, Any], received.answer)
    heads = (
        session.one(instances.HEAD, {"tenant_id": actor.tenant_id, "workflow_id": WorkflowId(workflow_id)})
        for workflow_id in first["instances"]
    )
    return EventAnswer(
        event_id=event.event_id,
        fate=EventFate(first["fate"]),
        instances=tuple(answer_of(head) for head in heads if head is not None),
        is_repeat=True,
    )


def _route(
    rooms: Rooms, session: ReadSession, actor: Actor, event: ReceivedEvent, listener: Listener, now: datetime
) -> _Route:
    """Return what the event means to a listener: its key, who waits for it, who holds the key."""
    deployed = rooms.definitions.get(session, actor.tenant_id, listener.definition_id)
    message = next(each for each in deployed.definition.settings.messages if each.name == listener.message_name)
    key = _checked_key(event, message, now)
    found = session.all(
        subscriptions.MATCHING,
        {
            "tenant_id": actor.tenant_id,
            "message_name": listener.message_name,
            "correlation_key": key,
            "limit": _MOST_WAITS,
        },
    )
    first_of_each: dict[str, SubscriptionRow] = {}
    for subscription in found:
        first_of_each.setdefault(subscription.workflow_id, subscription)
    loaded = (
        (subscription, load_instance(rooms, session, actor.tenant_id, workflow_id))
        for workflow_id, subscription in first_of_each.items()
    )
    waiting = tuple(each for each in loaded if each[1].instance.workflow_type == listener.workflow_type)
    held = None
    if listener.start_element is not None and not waiting:
        held = holder(session, actor.tenant_id, listener.workflow_type, _start_key(deployed, key))
    return _Route(listener=listener, deployed=deployed, key=key, waiting=waiting, held=held)


def _checked_key(event: ReceivedEvent, message: Message, now: datetime) -> str:
    breach = first_breach(message.data_schema, event.data)
    if breach is not None:
        raise InvalidEvent(event_type=event.event_type, field=breach.field, reason=breach.reason)
    try:
        return evaluate_key(message.key, event.data, now, longest=KEY)
    except ExpressionFailed as error:
        raise InvalidEvent(event_type=event.event_type, field=message.key, reason=str(error)) from error


def _start_key(deployed: Deployed, key: str) -> BusinessKey | None:
    """Return the business key of an instance that the event starts; a process without keys starts anew each time."""
    return BusinessKey(key) if deployed.definition.settings.business_key is not None else None


def _follow(rooms: Rooms, actor: Actor, event: ReceivedEvent, route: _Route, effects: _Effects, now: datetime) -> None:
    """Add what the event changes through one listener."""
    if _correlate(rooms, actor, event, route, effects):
        return
    if route.held is not None:
        effects.fates.append(EventFate.EXISTING)
        effects.answers.append(answer_of(route.held))
    elif route.listener.start_element is not None:
        plan = _start(rooms, actor, event, route, route.listener.start_element, now)
        effects.fates.append(EventFate.STARTED)
        effects.plans.append(plan)
        effects.answers.append(answer_of(plan.after, is_new=True))
    else:
        effects.fates.append(EventFate.KEPT)
        effects.kept.append(_early(rooms, actor, event, route, now))


def _correlate(rooms: Rooms, actor: Actor, event: ReceivedEvent, route: _Route, effects: _Effects) -> bool:
    """Deliver the event to the instances that wait for it. Returns whether there was one."""
    planned = {plan.after.workflow_id for plan in effects.plans}
    delivered = False
    for subscription, loaded in route.waiting:
        if subscription.workflow_id in planned:
            continue
        happening = MessageReceived(
            wait_id=subscription.subscription_id, payload=event.data, source=event.source, origin=Origin.SYSTEM
        )
        cause = Cause(
            event="message_correlated",
            actor=actor.person_id,
            person_id=actor.person_id,
            detail={
                "message": route.listener.message_name,
                "element": subscription.step_key,
                "event_id": event.event_id,
                **({"trace_id": event.trace_id} if event.trace_id else {}),
            },
            event_id=event.event_id,
        )
        try:
            plan = plan_or_keep(rooms, loaded, happening, cause, Closed(subscriptions=(subscription.subscription_id,)))
        except WaitGone as error:
            raise Overtaken from error
        effects.fates.append(EventFate.CORRELATED)
        effects.plans.append(plan)
        effects.answers.append(answer_of(plan.after))
        delivered = True
    return delivered


def _start(rooms: Rooms, actor: Actor, event: ReceivedEvent, route: _Route, element: StepKey, now: datetime) -> Plan:
    node = route.deployed.definition.node(element)
    result = node.event.result if isinstance(node.event, MessageEvent) else None
    prepared = Start(
        tenant_id=actor.tenant_id,
        deployed=route.deployed,
        start_element=element,
        variables={result: event.data} if result is not None else event.data,
        business_key=_start_key(route.deployed, route.key),
        trace_id=event.trace_id,
        origin=Origin.SYSTEM,
        source=event.source,
        started_by=actor.person_id,
        now=now,
    )
    cause = Cause(
        event="started",
        actor=actor.person_id,
        person_id=actor.person_id,
        detail={"event_id": event.event_id, "source": event.source},
        event_id=event.event_id,
    )
    try:
        return plan_start(rooms, prepared, cause)
    except InterpretationFailed as error:
        return keep_start(rooms, prepared, cause, error)


def _early(rooms: Rooms, actor: Actor, event: ReceivedEvent, route: _Route, now: datetime) -> Parameters:
    return {
        "tenant_id": actor.tenant_id,
        "message_id": rooms.new_id(),
        "message_name": route.listener.message_name,
        "correlation_key": route.key,
        "source": event.source,
        "payload": pack(event.data),
        "received_at": now,
    }


def _strongest(fates: Sequence[EventFate]) -> EventFate:
    """Return what to call the fate of an event that met several listeners: the first that changed something."""
    order = (EventFate.STARTED, EventFate.CORRELATED, EventFate.EXISTING, EventFate.KEPT)
    return next(fate for fate in order if fate in fates)


def _write(
    rooms: Rooms, actor: Actor, event: ReceivedEvent, effects: _Effects, answer: EventAnswer, now: datetime
) -> None:
    row = {
        "tenant_id": actor.tenant_id,
        "source": event.source,
        "event_id": event.event_id,
        "event_type": event.event_type,
        "body_digest": event.body_digest,
        "received_at": now,
        "answer": {"fate": answer.fate, "instances": [each.workflow_id for each in answer.instances]},
    }
    try:
        with rooms.store.writing("inbox") as session:
            if session.run(inbox.INSERT_IF_ABSENT, row) == 0:
                raise Overtaken
            for plan in effects.plans:
                apply(session, plan, rooms.new_id)
            session.run(messages.INSERT, effects.kept)
    except DuplicateRow as error:
        raise Overtaken from error
