"""Cancels an instance: at once where nothing was written yet, else as a message that the drawing answers (W14)."""

from __future__ import annotations

from dataclasses import replace

from engine.contract.ids import StepKey
from engine.contract.origin import Origin
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.failures import InterpretationFailed, WaitGone
from engine.interpreter.messages import Advance, CancelAll, MessageReceived, StatusEntered
from engine.interpreter.values import Value
from engine.runtime.advance import Loaded, advanced, load_instance, plan_of, plan_or_keep
from engine.runtime.after_commit import announce, meet
from engine.runtime.apply import apply
from engine.runtime.cause import Cause, Parameters
from engine.runtime.commands import CancelRequest, InstanceAnswer
from engine.runtime.encoding import pack
from engine.runtime.errors import CannotCancel
from engine.runtime.instances import answer_of, is_finished
from engine.runtime.plan import Plan
from engine.runtime.rooms import Overtaken, Rooms, starting_over
from engine.runtime.transitions import declared
from engine.runtime.wait_rows import Closed, message_key
from engine.store import messages, subscriptions
from engine.store.sessions import ReadSession
from engine.store.subscriptions import SubscriptionRow

#: Source of the message that a cancel command becomes.
CANCEL_SOURCE = "cancel"


def cancel(rooms: Rooms, actor: Actor, request: CancelRequest) -> InstanceAnswer:
    """Cancel an instance with a reason.

    Jobs that are being done are not waited for: their results are journalled as late. Sent again, the command is
    answered with how the instance stands.

    Raises
    ------
    PermissionDenied, UnknownInstance, CannotCancel
        When it has ended, or its process does not say how it is cancelled.
    """
    require(actor, Permission.CANCEL)
    if not request.reason.strip():
        raise CannotCancel(reason="say why.")
    return starting_over(lambda: _once(rooms, actor, request))


def _once(rooms: Rooms, actor: Actor, request: CancelRequest) -> InstanceAnswer:
    with rooms.store.reading() as session:
        loaded = load_instance(rooms, session, actor.tenant_id, request.workflow_id)
        if is_finished(loaded.instance) and loaded.instance.cancel_reason is not None:
            return answer_of(loaded.instance)
        _check(loaded)
        message_name = None if _is_direct(loaded) else _message_name(loaded)
        waiting = _waiting(session, loaded, message_name)
        is_kept = message_name is not None and _is_kept(session, loaded, message_name)
    cause = Cause(
        event="cancelled" if message_name is None else "cancel_requested",
        actor=actor.person_id,
        person_id=actor.person_id,
        detail={"reason": request.reason},
    )
    if message_name is None:
        return _write(rooms, _direct(rooms, loaded, cause, request), ())
    if waiting is not None:
        return _write(rooms, _delivered(rooms, loaded, cause, request, waiting, actor), ())
    if is_kept:
        return answer_of(loaded.instance)
    early = _early(rooms, loaded, message_name, request, actor)
    return _write(rooms, _noted(loaded, cause, request), (early,))


def _is_direct(loaded: Loaded) -> bool:
    """Whether the instance can end at once, because its status says that nothing was written yet."""
    settings = loaded.deployed.definition.settings
    if not settings.statuses:
        return True
    cancellation = settings.cancellation
    return cancellation is not None and loaded.instance.business_status in cancellation.directly_in


def _message_name(loaded: Loaded) -> str:
    cancellation = loaded.deployed.definition.settings.cancellation
    if cancellation is None or cancellation.message is None:
        status = loaded.instance.business_status
        raise CannotCancel(reason=f"its process does not say how, in status {status}.")
    return cancellation.message


def _waiting(session: ReadSession, loaded: Loaded, message_name: str | None) -> SubscriptionRow | None:
    """Return the instance's own wait for the message, if it waits for it now."""
    if message_name is None:
        return None
    this = {"tenant_id": loaded.instance.tenant_id, "workflow_id": loaded.instance.workflow_id}
    found = session.all(subscriptions.OF_INSTANCE, this)
    return next((each for each in found if each.message_name == message_name), None)


def _is_kept(session: ReadSession, loaded: Loaded, message_name: str) -> bool:
    """Whether an earlier request is kept already."""
    instance = loaded.instance
    names = {"message_name": message_name, "correlation_key": message_key(instance, None)}
    return bool(session.all(messages.MATCHING, {"tenant_id": instance.tenant_id, **names, "limit": 1}))


def _check(loaded: Loaded) -> None:
    instance = loaded.instance
    if is_finished(instance):
        raise CannotCancel(reason=f"it has ended as {instance.business_status or 'finished'}.")
    present = declared(loaded.deployed.definition.settings, instance.business_status)
    if present is not None and present.is_final:
        raise CannotCancel(reason=f"its status is {present.name}, which is final.")


def _direct(rooms: Rooms, loaded: Loaded, cause: Cause, request: CancelRequest) -> Plan:
    """Return the plan that ends every token and enters the declared status."""
    instance = loaded.instance
    cancellation = loaded.deployed.definition.settings.cancellation
    try:
        advance = _all_ended(rooms, loaded)
        if cancellation is not None:
            entered = StatusEntered(element_id=StepKey(instance.current_step or ""), status=cancellation.status)
            advance = replace(advance, statuses=(entered,))
        plan = plan_of(rooms, loaded, advance, cause)
    except InterpretationFailed as error:
        raise CannotCancel(reason=error.message) from error
    after = replace(plan.after, cancel_reason=request.reason[:500])
    return replace(plan, after=after, closed=Closed(everything=True))


def _all_ended(rooms: Rooms, loaded: Loaded) -> Advance:
    """Return the advance that ends every token; a case that could not take its first steps has none (P15)."""
    instance = loaded.instance
    if not instance.state:
        return Advance(state=instance.state, state_format=instance.state_format, is_finished=True)
    return advanced(rooms, loaded, CancelAll())


def _delivered(
    rooms: Rooms,
    loaded: Loaded,
    cause: Cause,
    request: CancelRequest,
    subscription: SubscriptionRow,
    actor: Actor,
) -> Plan:
    """Return the plan of the message that the drawing waits for."""
    happening = MessageReceived(
        wait_id=subscription.subscription_id,
        payload=_payload(request, actor),
        source=actor.person_id,
        origin=Origin.PERSON,
    )
    taken = Closed(subscriptions=(subscription.subscription_id,))
    try:
        plan = plan_or_keep(rooms, loaded, happening, cause, taken)
    except WaitGone as error:
        raise Overtaken from error
    return replace(plan, after=replace(plan.after, cancel_reason=request.reason[:500]))


def _noted(loaded: Loaded, cause: Cause, request: CancelRequest) -> Plan:
    """Return the plan that only notes the request: the drawing does not wait for it yet."""
    instance = loaded.instance
    after = replace(instance, version=instance.version + 1, updated_at=loaded.now, cancel_reason=request.reason[:500])
    return Plan(before=instance, after=after, now=loaded.now, cause=cause, audit_detail=dict(cause.detail))


def _early(rooms: Rooms, loaded: Loaded, message_name: str, request: CancelRequest, actor: Actor) -> Parameters:
    return {
        "tenant_id": loaded.instance.tenant_id,
        "message_id": rooms.new_id(),
        "message_name": message_name,
        "correlation_key": message_key(loaded.instance, None),
        "source": CANCEL_SOURCE,
        "payload": pack(_payload(request, actor)),
        "received_at": loaded.now,
    }


def _payload(request: CancelRequest, actor: Actor) -> dict[str, Value]:
    return {"reason": request.reason, "cancelled_by": actor.person_id}


def _write(rooms: Rooms, plan: Plan, kept: tuple[Parameters, ...]) -> InstanceAnswer:
    with rooms.store.writing("cancel") as session:
        apply(session, plan, rooms.new_id)
        session.run(messages.INSERT, kept)
    announce(rooms, plan)
    for each in kept:
        meet(rooms, each["tenant_id"], each["message_name"], each["correlation_key"])
    return answer_of(plan.after)
