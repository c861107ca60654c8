"""What was received: every event once per source and event id, with the answer that was given (W15)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from engine.store.statements import InsertIfAbsent, Query, same
from engine.store.tables import inbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """An event that was received before."""

    event_type: str
    body_digest: str
    received_at: datetime
    answer: Any


INSERT_IF_ABSENT = InsertIfAbsent(
    "inbox.insert_if_absent", "Store an event as received; 0: it was received before.", inbox
)
BY_ID = Query(
    "inbox.by_id",
    "An event received before. Parameters: tenant_id, source, event_id.",
    select(inbox.c.event_type, inbox.c.body_digest, inbox.c.received_at, inbox.c.answer).where(
        *same(inbox, "tenant_id", "source", "event_id")
    ),
    Received,
)
