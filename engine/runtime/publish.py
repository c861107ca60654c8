"""Hands out what is to be published: at least once, in the order it was written, with a lease per message (W15)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.contract.ids import TenantId, WorkflowId
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.runtime.limits import OUTBOX_LEASE
from engine.runtime.rooms import Rooms
from engine.store import outbox


@dataclass(frozen=True, kw_only=True)
class OutgoingMessage:
    """A message to publish. ``message_id`` is its event id: consumers dedupe by it. ``payload`` is JSON."""

    tenant_id: TenantId
    message_id: str
    workflow_id: WorkflowId | None
    topic: str
    payload: bytes
    created_at: datetime
    failure_count: int


def take_outbox(rooms: Rooms, actor: Actor, limit: int) -> tuple[OutgoingMessage, ...]:
    """Take messages to publish; each is this publisher's until its lease is over. Raises PermissionDenied."""
    require(actor, Permission.WORK)
    with rooms.store.reading() as session:
        found = session.all(outbox.DUE, {"limit": limit})
    if not found:
        return ()
    with rooms.store.writing("outbox_take") as session:
        mine = [
            each
            for each in found
            if session.run(outbox.CLAIM, {"message_id": each.message_id, "lease": OUTBOX_LEASE}) == 1
        ]
        if not mine:
            session.abandon()
    return tuple(
        OutgoingMessage(
            tenant_id=each.tenant_id,
            message_id=each.message_id,
            workflow_id=each.workflow_id,
            topic=each.topic,
            payload=each.payload,
            created_at=each.created_at,
            failure_count=each.failure_count,
        )
        for each in mine
    )


def mark_sent(rooms: Rooms, actor: Actor, message_id: str) -> None:
    """Note that a message was published. Raises PermissionDenied."""
    require(actor, Permission.WORK)
    with rooms.store.writing("outbox_mark") as session:
        session.run(outbox.SENT, {"message_id": message_id})


def mark_failed(rooms: Rooms, actor: Actor, message_id: str, pause: timedelta) -> None:
    """Publish a message again after ``pause``. Raises PermissionDenied."""
    require(actor, Permission.WORK)
    with rooms.store.writing("outbox_mark") as session:
        session.run(outbox.FAILED, {"message_id": message_id, "pause": pause})
