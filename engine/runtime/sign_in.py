"""Signing in with a password, and what a signed-in person changes of themselves.

Passwords are hashed between transactions, never inside one: it takes tens of milliseconds.
"""

from __future__ import annotations

from engine.contract.ids import TenantId
from engine.identity import Actor, Permission, require
from engine.identity.passwords import WrongPassword, fits, hashed
from engine.identity.web_sessions import (
    OpenedSession,
    SignedIn,
    SignInRefused,
    end_session,
    end_sessions,
    forget_failures,
    mark_seen,
    note_attempt,
    open_session,
    reader_of,
)
from engine.runtime.errors import UnknownPerson
from engine.runtime.rooms import Rooms, starting_over
from engine.store import people as rows
from engine.store.people import PersonRow
from engine.store.sessions import ReadSession

#: Longest login that is looked up; what the column takes.
_LONGEST_LOGIN = 120


def sign_in_with_password(rooms: Rooms, tenant_id: TenantId, login: str, password: str) -> OpenedSession:
    """Open a session for somebody.

    Unknown logins, service identities and barred people are refused with the same sentence, after the same work and
    with the same delays as a wrong password.

    Raises
    ------
    SignInRefused
    SignInDelayed
        After five failures in a row, for 30 seconds at first and 15 minutes at most.
    """
    login = "".join(each for each in login.strip()[:_LONGEST_LOGIN] if each.isprintable())
    person = starting_over(lambda: _attempted(rooms, tenant_id, login))
    may_sign_in = person is not None and person.is_active and not person.is_service
    is_right = fits(person.password_hash if person is not None and may_sign_in else None, password)
    if person is None or not is_right:
        raise SignInRefused
    with rooms.store.writing("sign_in") as session:
        return open_session(session, person, new_id=rooms.new_id)


def reader(rooms: Rooms, secret: str) -> SignedIn:
    """Return who reads with a session; its use is written down once a minute at most. Raises SessionEnded."""
    with rooms.store.reading() as session:
        found = reader_of(session, secret)
    if found.is_seen_long_ago:
        with rooms.store.writing("session") as session:
            mark_seen(session, found.session_id)
    return found


def sign_out(rooms: Rooms, secret: str) -> None:
    """End a session at once."""
    with rooms.store.writing("session") as session:
        end_session(session, secret)


def set_password(rooms: Rooms, actor: Actor, login: str, password: str) -> None:
    """Give somebody a new password; their sessions end. Raises PermissionDenied, UnknownPerson, PasswordRefused."""
    require(actor, Permission.MANAGE_PEOPLE)
    stored = hashed(password)
    with rooms.store.writing("password") as session:
        person = _find(session, actor.tenant_id, login)
        if person is None or person.is_service:
            raise UnknownPerson(login=login)
        session.run(rows.SET_PASSWORD, {**_this(person), "new_password_hash": stored})
        end_sessions(session, person.tenant_id, person.person_id)
        forget_failures(session, person.tenant_id, person.login)


def seed_password(rooms: Rooms, tenant_id: TenantId, login: str, password: str) -> None:
    """Give somebody a first password; only set-up calls this. One who has a password keeps it. Raises UnknownPerson."""
    with rooms.store.reading() as session:
        person = _find(session, tenant_id, login)
    if person is None:
        raise UnknownPerson(login=login)
    if person.password_hash is not None:
        return
    stored = hashed(password)
    with rooms.store.writing("password") as session:
        session.run(rows.SET_PASSWORD, {**_this(person), "new_password_hash": stored})


def change_own_password(rooms: Rooms, reader: SignedIn, old: str, new: str) -> None:
    """Change one's own password; one's other sessions end. Raises WrongPassword, PasswordRefused, SignInDelayed."""
    actor = reader.actor
    person = starting_over(lambda: _attempted(rooms, actor.tenant_id, reader.login))
    if person is None:
        raise UnknownPerson(login=reader.login)
    if not fits(person.password_hash, old):
        raise WrongPassword
    stored = hashed(new)
    with rooms.store.writing("password") as session:
        session.run(rows.SET_PASSWORD, {**_this(person), "new_password_hash": stored})
        end_sessions(session, person.tenant_id, person.person_id, but=reader.session_id)
        forget_failures(session, person.tenant_id, person.login)


def change_own_language(rooms: Rooms, actor: Actor, language: str) -> None:
    """Read and get pages in another language from now on."""
    with rooms.store.writing("people") as session:
        session.run(
            rows.SET_LANGUAGE,
            {"tenant_id": actor.tenant_id, "person_id": actor.person_id, "new_language": language},
        )


def _attempted(rooms: Rooms, tenant_id: TenantId, login: str) -> PersonRow | None:
    """Count an attempt and return whose it claims to be. Raises SignInDelayed."""
    with rooms.store.writing("sign_in") as session:
        note_attempt(session, tenant_id, login)
        return _find(session, tenant_id, login)


def _find(session: ReadSession, tenant_id: TenantId, login: str) -> PersonRow | None:
    return session.one(rows.BY_LOGIN, {"tenant_id": tenant_id, "login": login})


def _this(person: PersonRow) -> dict[str, str]:
    return {"tenant_id": person.tenant_id, "person_id": person.person_id}
