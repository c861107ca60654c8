"""What is to be published: written with the change that causes it, sent after the commit, at least once (W15)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, insert, null, select, update

from engine.contract.ids import TenantId, WorkflowId
from engine.store.clock import now_for_row, now_for_scan
from engine.store.columns import Duration
from engine.store.statements import Change, Query, limit, same
from engine.store.tables import outbox


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """A message to publish. ``next_at`` is None once it was sent."""

    tenant_id: TenantId
    message_id: str
    workflow_id: WorkflowId | None
    topic: str
    payload: bytes
    created_at: datetime
    next_at: datetime | None
    sent_at: datetime | None
    failure_count: int


INSERT = Change("outbox.insert", "Put messages out.", insert(outbox))
DUE = Query(
    "outbox.due",
    "Messages to publish now, over all tenants, the oldest first. Parameter: limit.",
    select(outbox).where(outbox.c.next_at <= now_for_scan()).order_by(outbox.c.next_at).limit(limit()),
    OutboxRow,
)
CLAIM = Change(
    "outbox.claim",
    "Take a message to publish it; 1 row: it is mine until the lease is over. Parameters: message_id, lease.",
    update(outbox)
    .where(*same(outbox, "message_id"), outbox.c.next_at <= now_for_row())
    .values({outbox.c.next_at: now_for_row() + bindparam("lease", type_=Duration)}),
)
SENT = Change(
    "outbox.sent",
    "Mark a message as sent. Parameter: message_id.",
    update(outbox)
    .where(*same(outbox, "message_id"), outbox.c.sent_at.is_(None))
    .values({outbox.c.sent_at: now_for_row(), outbox.c.next_at: null()}),
)
FAILED = Change(
    "outbox.failed",
    "Try a message again later. Parameters: message_id, pause.",
    update(outbox)
    .where(*same(outbox, "message_id"), outbox.c.sent_at.is_(None))
    .values(
        {
            outbox.c.next_at: now_for_row() + bindparam("pause", type_=Duration),
            outbox.c.failure_count: outbox.c.failure_count + 1,
        }
    ),
)
