"""What follows a commit: jobs are announced, and early messages meet the subscriptions that opened for them.

A message is kept and a subscription opened by two transactions that do not see each other. Each side therefore looks
once more after its own commit: whoever commits last finds the other. A crash in between is healed by the sweep.
"""

from __future__ import annotations

from engine.contract.ids import TenantId
from engine.contract.origin import Origin
from engine.interpreter.failures import WaitGone
from engine.interpreter.messages import MessageReceived
from engine.runtime.advance import load_instance, plan_or_keep
from engine.runtime.apply import apply
from engine.runtime.cause import Cause
from engine.runtime.encoding import unpack
from engine.runtime.errors import TooManyWriters, UnknownInstance
from engine.runtime.plan import Plan
from engine.runtime.rooms import Rooms, starting_over
from engine.runtime.wait_rows import Closed
from engine.store import messages, subscriptions
from engine.store.failures import StoreError
from engine.store.jobs import JobStatus
from engine.store.messages import EarlyMessage
from engine.store.subscriptions import SubscriptionRow

#: Subscriptions that one kept message is offered to before it is left for later.
_MOST_OFFERS = 10


def announce(rooms: Rooms, *plans: Plan) -> None:
    """Ring for the jobs that became ready, and deliver messages that came before their subscriptions opened."""
    ready = [job["job_id"] for plan in plans for job in plan.jobs if job["status"] == JobStatus.READY]
    if ready:
        rooms.bell(ready)
    for plan in plans:
        for each in plan.subscriptions:
            meet(rooms, each["tenant_id"], each["message_name"], each["correlation_key"])


def meet(rooms: Rooms, tenant_id: TenantId, message_name: str, correlation_key: str) -> None:
    """Deliver the messages kept under a name and key to whoever waits for them, the oldest first.

    What fails here is not lost: message and subscription stay, and the sweep tries again.
    """
    try:
        while _deliver_one(rooms, tenant_id, message_name, correlation_key):
            pass
    except (StoreError, TooManyWriters):
        return


def _deliver_one(rooms: Rooms, tenant_id: TenantId, message_name: str, correlation_key: str) -> bool:
    names = {"tenant_id": tenant_id, "message_name": message_name, "correlation_key": correlation_key}
    with rooms.store.reading() as session:
        kept = session.all(messages.MATCHING, {**names, "limit": 1})
        waiting = session.all(subscriptions.MATCHING, {**names, "limit": _MOST_OFFERS}) if kept else []
    return any(deliver(rooms, kept[0], each) for each in waiting)


def deliver(rooms: Rooms, message: EarlyMessage, subscription: SubscriptionRow) -> bool:
    """Deliver a kept message to one wait. Returns whether this call delivered it."""
    try:
        plan = starting_over(lambda: _deliver(rooms, message, subscription))
    except (_MessageTaken, UnknownInstance, WaitGone):
        return False
    announce(rooms, plan)
    return True


class _MessageTaken(Exception):
    """Somebody else delivered the message."""


def _deliver(rooms: Rooms, message: EarlyMessage, subscription: SubscriptionRow) -> Plan:
    with rooms.store.reading() as session:
        loaded = load_instance(rooms, session, message.tenant_id, subscription.workflow_id)
    happening = MessageReceived(
        wait_id=subscription.subscription_id,
        payload=unpack(message.payload),
        source=message.source,
        origin=Origin.SYSTEM,
    )
    cause = Cause(
        event="message_correlated",
        actor=message.source[:80],
        detail={"message": message.message_name, "element": subscription.step_key, "kept_at": message.received_at},
    )
    plan = plan_or_keep(rooms, loaded, happening, cause, Closed(subscriptions=(subscription.subscription_id,)))
    with rooms.store.writing("correlate") as session:
        apply(session, plan, rooms.new_id)
        if session.run(messages.DELETE, {"tenant_id": message.tenant_id, "message_id": message.message_id}) == 0:
            raise _MessageTaken
    return plan
