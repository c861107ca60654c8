"""Bearer tokens: a secret shown once, of which only the SHA-256 is kept.

A plain hash is enough where the secret is 256 random bits: there is nothing to guess (a password needs a slow hash).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from engine.contract.ids import PersonId, TenantId
from engine.identity.actor import Actor
from engine.identity.people import NewId, Person
from engine.identity.permissions import permissions_of
from engine.store import ReadSession, WriteSession
from engine.store import people as rows

#: Every secret begins like this, so that scanners of code and logs recognise a leaked one.
PREFIX = "vmt_"
_RANDOM_BYTES = 32


class NotSignedIn(Exception):
    """The token does not sign in: it is unknown, expired, revoked, or its owner is not active. Ask for a new one."""

    code = "not_signed_in"

    def __init__(self) -> None:
        super().__init__((type(self).__doc__ or "").strip())


@dataclass(frozen=True, kw_only=True)
class IssuedToken:
    """A new token. ``secret`` is shown to its owner now and never again."""

    token_id: str
    name: str
    expires_at: datetime | None
    secret: str = field(repr=False)


def issue_token(
    session: WriteSession,
    person: Person,
    *,
    name: str,
    lifetime: timedelta | None,
    new_id: NewId,
    random: Callable[[int], str] = secrets.token_urlsafe,
) -> IssuedToken:
    """Make a token for a person.

    Parameters
    ----------
    name
        What it is for, as its owner will see it in the list.
    lifetime
        How long it signs in; None for ever.
    random
        A random text of so many bytes; for tests.
    """
    now = session.now()
    token = IssuedToken(
        token_id=new_id(),
        name=name,
        expires_at=None if lifetime is None else now + lifetime,
        secret=PREFIX + random(_RANDOM_BYTES),
    )
    session.run(
        rows.INSERT_TOKEN,
        {
            "token_hash": _hash(token.secret),
            "token_id": token.token_id,
            "tenant_id": person.tenant_id,
            "person_id": person.person_id,
            "name": name,
            "created_at": now,
            "expires_at": token.expires_at,
        },
    )
    return token


def revoke_token(session: WriteSession, tenant_id: TenantId, token_id: str) -> bool:
    """End a token; False when it had ended already or there is none."""
    return bool(session.run(rows.REVOKE_TOKEN, {"tenant_id": tenant_id, "token_id": token_id}))


def list_tokens(
    session: ReadSession, tenant_id: TenantId, person_id: PersonId, *, limit: int
) -> tuple[rows.TokenRow, ...]:
    """Return a person's tokens, without anything that signs in."""
    return tuple(session.all(rows.TOKENS_OF_PERSON, {"tenant_id": tenant_id, "person_id": person_id, "limit": limit}))


def actor_for_token(session: ReadSession, secret: str) -> Actor:
    """Return whom a secret signs in; one statement, which also tells the unit of work the time.

    Raises NotSignedIn, always with the same sentence, so that nobody learns which tokens exist.
    """
    if not secret.startswith(PREFIX) or not secret.isascii():
        raise NotSignedIn
    row = session.one(rows.SIGN_IN, {"token_hash": _hash(secret)})
    if row is None or not row.is_active or row.revoked_at is not None:
        raise NotSignedIn
    if row.expires_at is not None and row.expires_at <= session.now():
        raise NotSignedIn
    return Actor(
        tenant_id=row.tenant_id,
        person_id=row.person_id,
        name=row.name,
        permissions=permissions_of(row.roles),
        groups=frozenset(row.groups),
        is_service=row.is_service,
    )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
