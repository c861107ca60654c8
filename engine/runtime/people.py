"""People and their tokens as commands; an installation's first people come from set-up."""

from __future__ import annotations

from collections.abc import Sequence
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
from engine.identity import issue_token as issued_token
from engine.runtime.errors import UnknownPerson
from engine.runtime.rooms import Rooms


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
