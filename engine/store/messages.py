"""Messages that came before anybody waited for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, insert, literal, select

from engine.contract.ids import TenantId
from engine.store.statements import Change, Query, after, limit, same
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


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMessage:
    """A kept message as the sweep goes over it; ``is_awaited``: somebody waits for it."""

    message_id: str
    tenant_id: TenantId
    message_name: str
    correlation_key: str
    is_awaited: bool


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
_IS_AWAITED = exists(
    select(literal(1)).where(
        *(subscription.c[name] == early_message.c[name] for name in ("tenant_id", "message_name", "correlation_key"))
    )
).label("is_awaited")

KEPT = Query(
    "early_message.kept",
    "Messages kept, over all tenants, the oldest first, with whether somebody waits for them by now. Parameters: after,"
    " limit: as many are read, however many are kept.",
    select(
        early_message.c.message_id,
        early_message.c.tenant_id,
        early_message.c.message_name,
        early_message.c.correlation_key,
        _IS_AWAITED,
    )
    .where(after(early_message.c.message_id))
    .order_by(early_message.c.message_id)
    .limit(limit()),
    KeptMessage,
)
DELETE = Change(
    "early_message.delete",
    "Take a kept message; 1 row: it is mine. Parameters: tenant_id, message_id.",
    delete(early_message).where(*same(early_message, "tenant_id", "message_id")),
)
