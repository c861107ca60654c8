"""A token signs in until it ends; its secret is shown once and stored nowhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from engine.contract.ids import TenantId
from engine.identity import (
    IssuedToken,
    NewPerson,
    NotSignedIn,
    Person,
    actor_for_token,
    actor_of,
    add_person,
    change_person,
    issue_token,
    list_tokens,
    revoke_token,
)
from engine.store import Store
from engine.store.new_ids import NewIds
from engine.store.tables import metadata

TENANT = TenantId("main")
new_id = NewIds()


def signed_up(store: Store, *, lifetime: timedelta | None = timedelta(days=1)) -> tuple[Person, IssuedToken]:
    with store.writing("people") as session:
        person = add_person(
            session, TENANT, NewPerson(login="mara", name="Mara", roles=("approver",), groups=("a",)), new_id=new_id
        )
        return person, issue_token(session, person, name="laptop", lifetime=lifetime, new_id=new_id)


def test_a_token_signs_its_owner_in_with_one_statement(store: Store) -> None:
    person, token = signed_up(store)

    with store.counting() as counts, store.reading() as session:
        actor = actor_for_token(session, token.secret)

    assert actor == actor_of(person)
    assert counts.by_name == {"token.sign_in": 1}
    assert token.secret.startswith("vmt_")


def expire(store: Store, person: Person, token: IssuedToken) -> None:
    del person, token
    store.move_clock(timedelta(days=1, seconds=1))


def revoke(store: Store, person: Person, token: IssuedToken) -> None:
    with store.writing("token") as session:
        assert revoke_token(session, person.tenant_id, token.token_id)
        assert not revoke_token(session, person.tenant_id, token.token_id)


def deactivate(store: Store, person: Person, token: IssuedToken) -> None:
    del token
    with store.writing("people") as session:
        change_person(session, replace(person, is_active=False))


@pytest.mark.parametrize("end", [expire, revoke, deactivate])
def test_a_token_that_ended_signs_nobody_in(store: Store, end: Callable[[Store, Person, IssuedToken], None]) -> None:
    person, token = signed_up(store)
    end(store, person, token)

    with store.reading() as session, pytest.raises(NotSignedIn, match="Ask for a new one"):
        actor_for_token(session, token.secret)


@pytest.mark.parametrize("secret", ["", "vmt_", "vmt_guess", "guess", "vmt_\U0001f4a5", "vmt_\ud800"])
def test_a_made_up_secret_signs_nobody_in(sqlite_store: Store, secret: str) -> None:
    signed_up(sqlite_store)

    with sqlite_store.reading() as session, pytest.raises(NotSignedIn):
        actor_for_token(session, secret)


def test_a_token_without_end_signs_in_for_ever(sqlite_store: Store) -> None:
    person, token = signed_up(sqlite_store, lifetime=None)
    sqlite_store.move_clock(timedelta(days=3650))

    with sqlite_store.reading() as session:
        assert actor_for_token(session, token.secret).person_id == person.person_id


def test_nobody_revokes_another_tenants_token(sqlite_store: Store) -> None:
    _, token = signed_up(sqlite_store)

    with sqlite_store.writing("token") as session:
        assert not revoke_token(session, TenantId("other"), token.token_id)


def test_the_secret_is_stored_nowhere_and_not_printed(sqlite_store: Store) -> None:
    person, token = signed_up(sqlite_store)

    assert token.secret not in repr(token)
    with sqlite_store.reading() as session:
        (listed,) = list_tokens(session, TENANT, person.person_id, limit=10)
    assert (listed.token_id, listed.name, listed.expires_at) == (token.token_id, "laptop", token.expires_at)
    with sqlite_store.database.engine.connect() as connection:
        for table in metadata.tables:
            for row in connection.execute(text(f'SELECT * FROM "{table}"')):  # noqa: S608 - our own table names
                assert token.secret not in str(tuple(row))
                assert token.secret.encode() not in b"".join(value for value in row if isinstance(value, bytes))


def test_two_tokens_differ(sqlite_store: Store) -> None:
    person, first = signed_up(sqlite_store)

    with sqlite_store.writing("token") as session:
        second = issue_token(session, person, name="phone", lifetime=None, new_id=new_id)

    assert first.secret != second.secret
