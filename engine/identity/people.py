"""People and service identities: who exists, which roles and groups they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from engine.contract.ids import PersonId, TenantId
from engine.identity.actor import Actor
from engine.identity.permissions import permissions_of
from engine.store import ReadSession, WriteSession
from engine.store import people as rows

NewId = Callable[[], str]


class LoginTaken(Exception):
    """There is already somebody with the login "{login}". Choose another, or change that person."""

    code = "login_taken"

    def __init__(self, login: str) -> None:
        self.login = login
        super().__init__((type(self).__doc__ or "").format(login=login))


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody, or a service, that can sign in. ``groups`` decide which roles of a process the person holds."""

    tenant_id: TenantId
    person_id: PersonId
    login: str
    name: str
    language: str
    roles: tuple[str, ...]
    groups: tuple[str, ...]
    is_active: bool
    is_service: bool
    created_at: datetime

    @classmethod
    def of(cls, row: rows.PersonRow) -> Person:
        """Make a person of a row."""
        return cls(
            tenant_id=row.tenant_id,
            person_id=row.person_id,
            login=row.login,
            name=row.name,
            language=row.language,
            roles=tuple(row.roles),
            groups=tuple(row.groups),
            is_active=row.is_active,
            is_service=row.is_service,
            created_at=row.created_at,
        )


@dataclass(frozen=True, kw_only=True)
class NewPerson:
    """Somebody to add. ``roles`` are names of ``Role``; ``language`` is ``en`` or ``zh``."""

    login: str
    name: str
    roles: tuple[str, ...]
    groups: tuple[str, ...] = ()
    language: str = "en"
    is_service: bool = False


def add_person(session: WriteSession, tenant_id: TenantId, new: NewPerson, *, new_id: NewId) -> Person:
    """Add a person. Raises LoginTaken, UnknownRole."""
    person, is_new = _added(session, tenant_id, new, new_id)
    if not is_new:
        raise LoginTaken(new.login)
    return person


def seed_people(
    session: WriteSession, tenant_id: TenantId, people: Iterable[NewPerson], *, new_id: NewId
) -> tuple[Person, ...]:
    """Make sure that people exist, and return them as they are now, in the given order.

    Somebody who exists already is left alone, whatever was changed since. Raises UnknownRole.
    """
    return tuple(_added(session, tenant_id, new, new_id)[0] for new in people)


def find_person(session: ReadSession, tenant_id: TenantId, login: str) -> Person | None:
    """Return the person with a login, None if there is none."""
    row = session.one(rows.BY_LOGIN, {"tenant_id": tenant_id, "login": login})
    return None if row is None else Person.of(row)


def list_people(session: ReadSession, tenant_id: TenantId, *, after: PersonId, limit: int) -> tuple[Person, ...]:
    """Return people in the order they were added, after one of them (``FIRST`` of the store for the first page)."""
    found = session.all(rows.ALL, {"tenant_id": tenant_id, "after": after, "limit": limit})
    return tuple(Person.of(row) for row in found)


def change_person(session: WriteSession, changed: Person) -> None:
    """Store a person's name, language, roles, groups and whether they may sign in. Raises UnknownRole."""
    permissions_of(changed.roles)
    session.run(
        rows.UPDATE,
        {
            "tenant_id": changed.tenant_id,
            "person_id": changed.person_id,
            "new_name": changed.name,
            "new_language": changed.language,
            "new_roles": list(changed.roles),
            "new_groups": list(changed.groups),
            "new_is_active": changed.is_active,
        },
    )


def actor_of(person: Person) -> Actor:
    """Return a person as commands take them. Raises UnknownRole."""
    return Actor(
        tenant_id=person.tenant_id,
        person_id=person.person_id,
        name=person.name,
        permissions=permissions_of(person.roles),
        groups=frozenset(person.groups),
        is_service=person.is_service,
    )


def _added(session: WriteSession, tenant_id: TenantId, new: NewPerson, new_id: NewId) -> tuple[Person, bool]:
    permissions_of(new.roles)
    inserted = session.run(
        rows.INSERT_IF_ABSENT,
        {
            "tenant_id": tenant_id,
            "person_id": new_id(),
            "login": new.login,
            "name": new.name,
            "language": new.language,
            "roles": list(new.roles),
            "groups": list(new.groups),
            "is_active": True,
            "is_service": new.is_service,
            "created_at": session.now(),
        },
    )
    person = find_person(session, tenant_id, new.login)
    if person is None:
        raise LoginTaken(new.login)
    return person, bool(inserted)
