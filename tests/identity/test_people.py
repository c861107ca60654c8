"""People are added once per login; demo people can be seeded again and again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.contract.ids import PersonId, TenantId
from engine.identity import (
    LoginTaken,
    NewPerson,
    Permission,
    UnknownRole,
    actor_of,
    add_person,
    change_person,
    find_person,
    list_people,
    seed_people,
)
from engine.store import Store
from engine.store.new_ids import NewIds
from engine.store.statements import FIRST

TENANT = TenantId("main")
MARA = NewPerson(
    login="mara", name="Mara Vogel 马拉", roles=("approver",), groups=("purchasing-managers",), language="zh"
)
new_id = NewIds()


def test_a_person_is_found_by_login_as_added(store: Store) -> None:
    with store.writing("people") as session:
        added = add_person(session, TENANT, MARA, new_id=new_id)

    with store.reading() as session:
        assert find_person(session, TENANT, "mara") == added
        assert find_person(session, TENANT, "MARA") is None
        assert find_person(session, TenantId("other"), "mara") is None
    assert (added.name, added.language, added.roles, added.groups) == (
        "Mara Vogel 马拉",
        "zh",
        ("approver",),
        ("purchasing-managers",),
    )
    assert (added.is_active, added.is_service) == (True, False)


def test_a_login_is_taken_once_per_tenant(store: Store) -> None:
    with store.writing("people") as session:
        add_person(session, TENANT, MARA, new_id=new_id)
        add_person(session, TenantId("other"), MARA, new_id=new_id)

    with pytest.raises(LoginTaken, match='"mara"'), store.writing("people") as session:
        add_person(session, TENANT, MARA, new_id=new_id)


def test_an_unknown_role_adds_nobody(sqlite_store: Store) -> None:
    with pytest.raises(UnknownRole), sqlite_store.writing("people") as session:
        add_person(session, TENANT, replace(MARA, roles=("boss",)), new_id=new_id)

    with sqlite_store.reading() as session:
        assert find_person(session, TENANT, "mara") is None


def test_seeding_again_leaves_everybody_as_they_are_now(store: Store) -> None:
    demo = [MARA, NewPerson(login="worker", name="Worker", roles=("service",), is_service=True)]
    with store.writing("people") as session:
        first = seed_people(session, TENANT, demo, new_id=new_id)
    with store.writing("people") as session:
        change_person(session, replace(first[0], name="Mara Berg", roles=("approver", "requester"), is_active=False))

    with store.writing("people") as session:
        again = seed_people(session, TENANT, demo, new_id=new_id)

    assert [person.login for person in again] == ["mara", "worker"]
    assert again[0] == replace(first[0], name="Mara Berg", roles=("approver", "requester"), is_active=False)
    assert again[1] == first[1]
    with store.reading() as session:
        assert list_people(session, TENANT, after=PersonId(FIRST), limit=10) == again


def test_people_are_listed_page_by_page(sqlite_store: Store) -> None:
    with sqlite_store.writing("people") as session:
        people = seed_people(
            session, TENANT, [replace(MARA, login=f"person-{number}") for number in range(5)], new_id=new_id
        )

    with sqlite_store.reading() as session:
        first = list_people(session, TENANT, after=PersonId(FIRST), limit=3)
        second = list_people(session, TENANT, after=first[-1].person_id, limit=3)

    assert first + second == people


def test_a_person_acts_with_the_permissions_of_all_roles(sqlite_store: Store) -> None:
    with sqlite_store.writing("people") as session:
        person = add_person(session, TENANT, replace(MARA, roles=("approver", "requester")), new_id=new_id)

    actor = actor_of(person)

    assert (actor.tenant_id, actor.person_id, actor.name) == (TENANT, person.person_id, person.name)
    assert actor.groups == {"purchasing-managers"}
    assert {Permission.DECIDE, Permission.START} < actor.permissions
    assert Permission.REPAIR not in actor.permissions
