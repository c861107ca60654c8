"""Sessions of people in browsers: rows on the server, so that they can be ended; and the delay after failed sign-ins.

As with tokens, a plain hash of the secret is enough, because it is 256 random bits.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from engine.contract.ids import PersonId, TenantId
from engine.identity.actor import Actor
from engine.identity.people import NewId
from engine.identity.permissions import permissions_of
from engine.store import ReadSession, WriteSession
from engine.store import web_sessions as rows
from engine.store.people import PersonRow

#: How long a session lasts, however much it is used.
LONGEST_SESSION = timedelta(hours=12)
#: How long a session lasts that nobody uses.
LONGEST_PAUSE = timedelta(hours=2)
#: How often the use of a session is written down.
SEEN_EVERY = timedelta(minutes=1)
#: Failed sign-ins in a row that cost no delay.
FREE_FAILURES = 4
FIRST_DELAY = timedelta(seconds=30)
LONGEST_DELAY = timedelta(minutes=15)
_RANDOM_BYTES = 32


class SessionEnded(Exception):
    """You are not signed in, or your session ended. Sign in, and go on where you were."""

    code = "session_ended"

    def __init__(self) -> None:
        super().__init__((type(self).__doc__ or "").strip())


class SignInRefused(Exception):
    """Login and password do not fit. Type them again, or ask an administrator for a new password."""

    code = "sign_in_refused"

    def __init__(self) -> None:
        super().__init__((type(self).__doc__ or "").strip())


class SignInDelayed(Exception):
    """There were too many failed sign-ins with this login. Try again in {seconds} seconds."""

    code = "sign_in_delayed"

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self.fields = {"seconds": str(seconds)}
        super().__init__((type(self).__doc__ or "").format_map(self.fields))


@dataclass(frozen=True, kw_only=True)
class SignedIn:
    """Who reads a page, by their session. ``language`` is ``en`` or ``zh``."""

    actor: Actor
    login: str
    language: str
    session_id: str
    expires_at: datetime
    is_seen_long_ago: bool = False


@dataclass(frozen=True, kw_only=True)
class OpenedSession:
    """A new session. ``secret`` is for the browser alone."""

    reader: SignedIn
    secret: str = field(repr=False)


def delay_after(failure_count: int) -> timedelta | None:
    """Return how long a login is refused after so many failures in a row; None for not at all.

    30 seconds after the fifth, doubled with each further one, never more than 15 minutes.
    """
    beyond = failure_count - FREE_FAILURES - 1
    if beyond < 0:
        return None
    return min(FIRST_DELAY * 2 ** min(beyond, 10), LONGEST_DELAY)


def note_attempt(session: WriteSession, tenant_id: TenantId, login: str) -> None:
    """Count an attempt as failed before its password is looked at; one that succeeds forgets it.

    The row's lock makes attempts that come at once wait for each other, so that no burst is faster than the delay.

    Raises
    ------
    SignInDelayed
        While the login is refused; the attempt then counts nothing.
    """
    this = {"tenant_id": tenant_id, "login": login}
    now = session.now()
    counted = {**this, "new_failed_at": now}
    # Counted first: a duplicate insert would leave MariaDB with a shared lock that two attempts cannot both turn into
    # their own.
    if not session.run(rows.COUNT_FAILURE, counted) and not session.run(
        rows.INSERT_FAILURE, {**this, "failure_count": 1, "failed_at": now}
    ):
        session.run(rows.COUNT_FAILURE, counted)
    found = session.one(rows.FAILURES, this)
    if found is None:
        return
    if found.blocked_until is not None and found.blocked_until > now:
        raise SignInDelayed(max(1, round((found.blocked_until - now).total_seconds())))
    delay = delay_after(found.failure_count)
    if delay is not None:
        session.run(rows.BLOCK, {**this, "new_blocked_until": now + delay})


def forget_failures(session: WriteSession, tenant_id: TenantId, login: str) -> None:
    """Refuse a login no longer: it signed in, or got a new password."""
    session.run(rows.FORGET_FAILURES, {"tenant_id": tenant_id, "login": login})


def open_session(
    session: WriteSession,
    person: PersonRow,
    *,
    new_id: NewId,
    random: Callable[[int], str] = secrets.token_urlsafe,
) -> OpenedSession:
    """Open a session for a person whose password was right, and forget their failures."""
    now = session.now()
    secret, session_id = random(_RANDOM_BYTES), new_id()
    forget_failures(session, person.tenant_id, person.login)
    session.run(
        rows.INSERT,
        {
            "session_hash": _hash(secret),
            "session_id": session_id,
            "tenant_id": person.tenant_id,
            "person_id": person.person_id,
            "created_at": now,
            "seen_at": now,
            "expires_at": now + LONGEST_SESSION,
        },
    )
    reader = SignedIn(
        actor=_actor(person),
        login=person.login,
        language=person.language,
        session_id=session_id,
        expires_at=now + LONGEST_SESSION,
    )
    return OpenedSession(reader=reader, secret=secret)


def reader_of(session: ReadSession, secret: str) -> SignedIn:
    """Return who reads with a session; one statement. Raises SessionEnded."""
    row = session.one(rows.READER, {"session_hash": _hash(secret)})
    if row is None or not row.is_active:
        raise SessionEnded
    now = session.now()
    if row.expires_at <= now or row.seen_at + LONGEST_PAUSE <= now:
        raise SessionEnded
    return SignedIn(
        actor=_actor(row),
        login=row.login,
        language=row.language,
        session_id=row.session_id,
        expires_at=row.expires_at,
        is_seen_long_ago=row.seen_at + SEEN_EVERY <= now,
    )


def mark_seen(session: WriteSession, session_id: str) -> None:
    """Write down that a session is used."""
    session.run(rows.SEEN, {"session_id": session_id})


def end_session(session: WriteSession, secret: str) -> None:
    """End one session; nothing when it ended before."""
    session.run(rows.END, {"session_hash": _hash(secret)})


def end_sessions(session: WriteSession, tenant_id: TenantId, person_id: PersonId, *, but: str = "") -> None:
    """End a person's sessions, all but the one with the id ``but``."""
    session.run(rows.END_OTHERS, {"tenant_id": tenant_id, "person_id": person_id, "kept": but or "0" * 32})


def _actor(row: PersonRow | rows.SessionRow) -> Actor:
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
