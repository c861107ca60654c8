"""Remembers answers by the caller's Idempotency-Key, bound to the caller and to a fingerprint of what was asked."""

from __future__ import annotations

from dataclasses import dataclass

from engine.identity.actor import Actor
from engine.runtime.errors import KeyReused
from engine.runtime.rooms import Rooms
from engine.store import api_requests


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """What a request was answered with."""

    status_code: int
    answer: bytes


def recall(rooms: Rooms, actor: Actor, key: str, fingerprint: str) -> StoredAnswer | None:
    """Return the answer to an earlier request with this key; None when there was none.

    Raises
    ------
    KeyReused
        When the key was used with another request.
    """
    with rooms.store.reading() as session:
        found = session.one(api_requests.BY_KEY, _named(actor, key))
    if found is None:
        return None
    if found.fingerprint != fingerprint:
        raise KeyReused(key=key)
    return StoredAnswer(status_code=found.status_code, answer=found.answer)


def remember(
    rooms: Rooms, actor: Actor, key: str, fingerprint: str, *, status_code: int, answer: bytes
) -> StoredAnswer:
    """Store an answer under the caller's key and return the one that counts: the first.

    The commands themselves are idempotent; this spares a repeat their work and gives it the very same bytes.

    Raises
    ------
    KeyReused
        When the key was used with another request meanwhile.
    """
    with rooms.store.writing("api_request") as session:
        session.run(
            api_requests.INSERT_IF_ABSENT,
            {
                **_named(actor, key),
                "fingerprint": fingerprint,
                "status_code": status_code,
                "answer": answer,
                "created_at": session.now(),
            },
        )
    found = recall(rooms, actor, key, fingerprint)
    return found or StoredAnswer(status_code=status_code, answer=answer)


def _named(actor: Actor, key: str) -> dict[str, str]:
    return {"tenant_id": actor.tenant_id, "person_id": actor.person_id, "request_key": key}
