"""Messages that came before anybody waited for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from engine.contract.ids import TenantId
from engine.store.statements import Change, Query, limit, same
from engine.store.tables import early_message, subscription


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyMessage:
    """A message that waits for somebody to wait for it."""

    tenant_id: TenantId
    message_id: str
    message_name: str
    correlation_key: str
    source: str
    payload: bytes
    received_at: datetime


INSERT = Change("early_message.insert", "Keep a message until somebody waits for it.", insert(early_message))
MATCHING = Query(
    "early_message.matching",
    "Messages kept for a wait that opens, the oldest first. Parameters: tenant_id, message_name, correlation_key,"
    " limit.",
    select(early_message)
    .where(*same(early_message, "tenant_id", "message_name", "correlation_key"))
    .order_by(early_message.c.message_id)
    .limit(limit()),
    EarlyMessage,
)
DELIVERABLE = Query(
    "early_message.deliverable",
    "Messages kept although somebody waits for them, over all tenants, the oldest first. Parameter: limit.",
    select(early_message)
    .join(
        subscription,
        (subscription.c.tenant_id == early_message.c.tenant_id)
        & (subscription.c.message_name == early_message.c.message_name)
        & (subscription.c.correlation_key == early_message.c.correlation_key),
    )
    .order_by(early_message.c.message_id)
    .limit(limit()),
    EarlyMessage,
)
DELETE = Change(
    "early_message.delete",
    "Take a kept message; 1 row: it is mine. Parameters: tenant_id, message_id.",
    delete(early_message).where(*same(early_message, "tenant_id", "message_id")),
)
