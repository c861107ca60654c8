"""People, service identities and their bearer tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, null, select, update

from engine.contract.ids import PersonId, TenantId
from engine.store.clock import now_for_row
from engine.store.statements import Change, InsertIfAbsent, Query, after, limit, new, same
from engine.store.tables import person, token


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    """A person or service identity; ``roles`` and ``groups`` are lists of names."""

    tenant_id: TenantId
    person_id: PersonId
    login: str
    name: str
    language: str
    roles: Any
    groups: Any
    password_hash: str | None
    is_active: bool
    is_service: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRow:
    """What somebody is called."""

    person_id: PersonId
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Who a token belongs to, and whether it still signs in."""

    tenant_id: TenantId
    person_id: PersonId
    name: str
    roles: Any
    groups: Any
    is_active: bool
    is_service: bool
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    """A token as its owner may see it: without anything that signs in."""

    token_id: str
    person_id: PersonId
    name: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


_THIS = same(person, "tenant_id", "person_id")

INSERT_IF_ABSENT = InsertIfAbsent("person.insert_if_absent", "Add a person unless the login is taken.", person)
BY_LOGIN = Query(
    "person.by_login",
    "A person by login. Parameters: tenant_id, login.",
    select(person).where(*same(person, "tenant_id", "login")),
    PersonRow,
)
BY_ID = Query("person.by_id", "One person. Parameters: tenant_id, person_id.", select(person).where(*_THIS), PersonRow)
ALL = Query(
    "person.all",
    "People in the order they were added. Parameters: tenant_id, after, limit.",
    select(person)
    .where(*same(person, "tenant_id"), after(person.c.person_id))
    .order_by(person.c.person_id)
    .limit(limit()),
    PersonRow,
)
#: Ids that one statement finds names for.
MOST_NAMES = 16
_NAMED = [bindparam(f"person_{number}", type_=person.c.person_id.type) for number in range(MOST_NAMES)]
NAMES = Query(
    "person.names",
    "What people are called. Parameters: tenant_id, person_0 and so on; the same id again where there are fewer.",
    select(person.c.person_id, person.c.name).where(*same(person, "tenant_id"), person.c.person_id.in_(_NAMED)),
    NameRow,
)
UPDATE = Change(
    "person.update",
    "Change a person. Parameters: tenant_id, person_id, new_name, new_language, new_roles, new_groups, new_is_active.",
    update(person).where(*_THIS).values(new(person, "name", "language", "roles", "groups", "is_active")),
)
SET_PASSWORD = Change(
    "person.set_password",
    "Store the hash of a new password. Parameters: tenant_id, person_id, new_password_hash.",
    update(person).where(*_THIS).values(new(person, "password_hash")),
)
SET_LANGUAGE = Change(
    "person.set_language",
    "Change the language of a person's pages. Parameters: tenant_id, person_id, new_language.",
    update(person).where(*_THIS).values(new(person, "language")),
)

# --- tokens ------------------------------------------------------------------------------------------------------

INSERT_TOKEN = Change("token.insert", "Add a bearer token.", insert(token))
SIGN_IN = Query(
    "token.sign_in",
    "Whom a token signs in. Parameter: token_hash.",
    select(
        person.c.tenant_id,
        person.c.person_id,
        person.c.name,
        person.c.roles,
        person.c.groups,
        person.c.is_active,
        person.c.is_service,
        token.c.expires_at,
        token.c.revoked_at,
    )
    .join_from(token, person, (person.c.tenant_id == token.c.tenant_id) & (person.c.person_id == token.c.person_id))
    .where(*same(token, "token_hash")),
    SignIn,
    tells_time=True,
)
TOKENS_OF_PERSON = Query(
    "token.of_person",
    "Tokens of a person. Parameters: tenant_id, person_id, limit.",
    select(
        token.c.token_id,
        token.c.person_id,
        token.c.name,
        token.c.created_at,
        token.c.expires_at,
        token.c.revoked_at,
    )
    .where(*same(token, "tenant_id", "person_id"))
    .order_by(token.c.token_id)
    .limit(limit()),
    TokenRow,
)
REVOKE_TOKEN = Change(
    "token.revoke",
    "A token signs in no more; 1 row: it did until now. Parameters: tenant_id, token_id.",
    update(token)
    .where(*same(token, "tenant_id", "token_id"), token.c.revoked_at.is_(null()))
    .values({token.c.revoked_at: now_for_row()}),
)
