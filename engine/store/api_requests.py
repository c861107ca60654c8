"""POST requests with an Idempotency-Key, bound to the caller and to what was sent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from engine.store.statements import InsertIfAbsent, Query, same
from engine.store.tables import api_request


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredRequest:
    """A request that was made before; ``fingerprint`` is the digest of what was sent then."""

    fingerprint: str
    status_code: int
    answer: bytes
    created_at: datetime


_THIS = same(api_request, "tenant_id", "person_id", "request_key")

INSERT_IF_ABSENT = InsertIfAbsent(
    "api_request.insert_if_absent", "Note a request; 0: the caller used the key before.", api_request
)
BY_KEY = Query(
    "api_request.by_key",
    "A request made before. Parameters: tenant_id, person_id, request_key.",
    select(api_request.c.fingerprint, api_request.c.status_code, api_request.c.answer, api_request.c.created_at).where(
        *_THIS
    ),
    AnsweredRequest,
    tells_time=True,
)
