"""People and their tokens as commands; an installation's first people come from set-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import timedelta

from engine.contract.ids import PersonId, TenantId
from engine.identity import (
    Actor,
    IssuedToken,
    NewPerson,
    Permission,
    Person,
    actor_of,
    add_person,
    find_person,
    list_people,
    require,
    seed_people,
)
from engine.identity import change_person as store_person
from engine.identity import issue_token as issued_token
from engine.identity import list_tokens as tokens_of
from engine.identity import revoke_token as end_token
from engine.identity.permissions import permissions_of
from engine.identity.web_sessions import end_sessions
from engine.runtime.errors import OwnAccess, ServiceIdentity, UnknownPerson, UnknownToken
from engine.runtime.limits import MOST_LISTED
from engine.runtime.rooms import Rooms
from engine.store.people import TokenRow
from engine.store.sessions import ReadSession


@dataclass(frozen=True, kw_only=True)
class PersonChange:
    """What to change of a person; None leaves it as it is. ``is_active`` False: the person signs in no more."""

    name: str | None = None
    language: str | None = None
    roles: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    is_active: bool | None = None


def seed(rooms: Rooms, tenant_id: TenantId, people: Sequence[NewPerson]) -> tuple[Person, ...]:
    """Make sure that people exist, and return them in the given order.

    Only set-up calls this: it asks for no permission, because there may be nobody yet who could hold one. Somebody who
    exists is left alone. Raises UnknownRole.
    """
    with rooms.store.reading() as session:
        found = [find_person(session, tenant_id, each.login) for each in people]
    known = tuple(each for each in found if each is not None)
    if len(known) == len(people):
        return known
    with rooms.store.writing("people") as session:
        return seed_people(session, tenant_id, people, new_id=rooms.new_id)


def add(rooms: Rooms, actor: Actor, new: NewPerson) -> Person:
    """Add somebody to the actor's tenant. Raises PermissionDenied, LoginTaken, UnknownRole."""
    require(actor, Permission.MANAGE_PEOPLE)
    with rooms.store.writing("people") as session:
        return add_person(session, actor.tenant_id, new, new_id=rooms.new_id)


def change(rooms: Rooms, actor: Actor, login: str, change: PersonChange) -> Person:
    """Change somebody of the actor's tenant, and return them as they are now.

    What they may do changes at once, for every session and token they have. Sessions of one who is barred end.

    Raises
    ------
    PermissionDenied, UnknownPerson, UnknownRole, ServiceIdentity
    OwnAccess
        When the actor would lose the right to manage people by it.
    """
    require(actor, Permission.MANAGE_PEOPLE)
    given = {each.name: value for each in fields(change) if (value := getattr(change, each.name)) is not None}
    with rooms.store.writing("people") as session:
        present = _person(session, actor, login)
        if present.is_service:
            raise ServiceIdentity(login=login)
        changed = replace(present, **given)
        keeps_access = changed.is_active and Permission.MANAGE_PEOPLE in permissions_of(changed.roles)
        if changed.person_id == actor.person_id and not keeps_access:
            raise OwnAccess
        store_person(session, changed)
        if not changed.is_active:
            end_sessions(session, changed.tenant_id, changed.person_id)
    return changed


def actor_by_login(rooms: Rooms, tenant_id: TenantId, login: str) -> Actor:
    """Return somebody as commands take them; for processes that act in a configured name. Raises UnknownPerson."""
    with rooms.store.reading() as session:
        found = find_person(session, tenant_id, login)
    if found is None or not found.is_active:
        raise UnknownPerson(login=login)
    return actor_of(found)


def show_people(rooms: Rooms, actor: Actor, *, after: PersonId, limit: int) -> tuple[Person, ...]:
    """Return people in the order they were added, after one of them. Raises PermissionDenied."""
    require(actor, Permission.MANAGE_PEOPLE)
    with rooms.store.reading() as session:
        return list_people(session, actor.tenant_id, after=after, limit=limit)


def show_person(rooms: Rooms, actor: Actor, login: str) -> Person:
    """Return somebody by their login. Raises PermissionDenied, UnknownPerson."""
    require(actor, Permission.MANAGE_PEOPLE)
    with rooms.store.reading() as session:
        return _person(session, actor, login)


def issue_token(rooms: Rooms, actor: Actor, login: str, *, name: str, lifetime: timedelta | None) -> IssuedToken:
    """Make a bearer token for somebody. Its secret is in the answer, this once.

    Raises
    ------
    PermissionDenied
    UnknownPerson
        When nobody active has the login.
    """
    require(actor, Permission.MANAGE_TOKENS)
    with rooms.store.writing("token") as session:
        person = find_person(session, actor.tenant_id, login)
        if person is None or not person.is_active:
            raise UnknownPerson(login=login)
        return issued_token(session, person, name=name, lifetime=lifetime, new_id=rooms.new_id)


def show_tokens(rooms: Rooms, actor: Actor, login: str) -> tuple[TokenRow, ...]:
    """Return somebody's tokens, without anything that signs in. Raises PermissionDenied, UnknownPerson."""
    require(actor, Permission.MANAGE_TOKENS)
    with rooms.store.reading() as session:
        person = _person(session, actor, login)
        return tokens_of(session, actor.tenant_id, person.person_id, limit=MOST_LISTED)


def revoke_token(rooms: Rooms, actor: Actor, token_id: str) -> None:
    """End a token at once. Raises PermissionDenied; UnknownToken when there is none, or it was revoked before."""
    require(actor, Permission.MANAGE_TOKENS)
    with rooms.store.writing("token") as session:
        if not end_token(session, actor.tenant_id, token_id):
            raise UnknownToken(token_id=token_id)


def _person(session: ReadSession, actor: Actor, login: str) -> Person:
    person = find_person(session, actor.tenant_id, login)
    if person is None:
        raise UnknownPerson(login=login)
    return person
