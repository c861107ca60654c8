"""Administration on pages: people, their passwords and tokens; what is refused keeps what was typed."""

from __future__ import annotations

import pytest

from tests.web.house import House
from tests.web.visitor import Page, Visitor


@pytest.fixture
def adam(house: House) -> Visitor:
    return Visitor(house, "adam")


def _form(page: Page, ending: str) -> int:
    return next(index for index, each in enumerate(page.forms) if each.action.endswith(ending))


def test_somebody_added_signs_in_with_the_password_they_were_given(house: House, adam: Visitor) -> None:
    there = adam.send(
        adam.open("/people"),
        {"login": "rosa", "name": "Rosa <b>", "groups": "planning，finance,", "roles": "requester"},
    )
    assert (there.status, there.path, there.heading) == (200, "/people/rosa", "Rosa <b>")
    assert there.forms[_form(there, "/change")].value("groups") == "planning, finance"

    adam.send(there, {"password": "a password for Rosa"}, form=_form(there, "/password"))
    rosa = Visitor(house)
    inside = rosa.send(rosa.open("/sign-in"), {"login": "rosa", "password": "a password for Rosa"})

    assert (inside.status, "Start" in inside.html) == (200, True)
    assert rosa.open("/people").status == 403


@pytest.mark.parametrize(
    ("login", "name", "status"),
    [
        ("", "Somebody", 422),
        ("somebody", " ", 422),
        ("some body", "Somebody", 422),
        ("some/body", "Somebody", 422),
        ("somebody", "x" * 121, 422),
        ("somebody", "Some\x00body", 422),
        ("x" * 1_000_000, "Somebody", 422),
        ("wei", "Another Wei", 409),
    ],
)
def test_who_cannot_be_added_stays_in_the_form(adam: Visitor, login: str, name: str, status: int) -> None:
    page = adam.send(adam.open("/people"), {"login": login, "name": name, "groups": "planning"})

    assert page.status == status
    assert len(page.errors) == 1
    assert page.forms[-1].value("groups") == "planning"


def test_a_role_that_no_person_may_have_is_left_out(house: House, adam: Visitor) -> None:
    adam.send(adam.open("/people"), {"login": "forged", "name": "Forged", "roles": "service"})

    assert house.here.runtime.person(house.here.actor("adam"), "forged").roles == ()


def test_an_administrator_keeps_managing_people_and_what_they_typed(adam: Visitor) -> None:
    page = adam.open("/people/adam")

    refused = adam.send(page, {"name": "Adam the Second", "is_active": None}, form=_form(page, "/change"))

    assert refused.status == 409
    assert "second administrator" in refused.errors[0]
    assert refused.forms[_form(refused, "/change")].value("name") == "Adam the Second"
    assert adam.open("/people/adam").heading == "Adam Novak"


def test_who_is_barred_is_out_at_once(house: House, adam: Visitor) -> None:
    anna = Visitor(house, "anna")
    page = adam.open("/people/anna")

    adam.send(page, {"is_active": None}, form=_form(page, "/change"))
    assert anna.open("/inbox").path == "/sign-in"

    page = adam.open("/people/anna")
    assert "barred" in page.heading
    adam.send(page, {}, form=_form(page, "/change"))
    adam.client.post("/people/anna/change", data=page.forms[_form(page, "/change")].filled({"is_active": "true"}))


def test_a_tokens_secret_is_shown_once_and_signs_in_until_it_is_taken_away(house: House, adam: Visitor) -> None:
    page = adam.open("/people/lin")

    made = adam.send(page, {"name": "Planning", "days": "999999999"}, form=_form(page, "/tokens"))
    secret = made.texts("//*[contains(@class, 'notice')]//code")[0]
    headers = {"Authorization": f"Bearer {secret}"}

    assert house.client.get("/api/v1/tasks", headers=headers).status_code == 200
    again = adam.open("/people/lin")
    assert secret not in again.html
    adam.send(again, {}, form=_form(again, "/revoke"))
    assert house.client.get("/api/v1/tasks", headers=headers).status_code == 401


@pytest.mark.parametrize("login", ["nobody", "x" * 2_000, "no%00body", "%3Cb%3E"])
def test_nobody_has_that_login(adam: Visitor, login: str) -> None:
    page = adam.open(f"/people/{login}")

    assert page.status == 404
    assert "<b>" not in page.html


def test_a_change_typed_while_the_session_ended_comes_back_and_changes_nothing_yet(adam: Visitor) -> None:
    page = adam.open("/people/ines")
    adam.client.delete_cookie("vermilion_session")

    asked = adam.send(page, {"name": "Ines the Second"}, form=_form(page, "/change"))
    assert asked.heading == "Sign in"
    again = adam.send(asked, {"login": "adam", "password": "a password of the tests"})
    restored = adam.send(again, {})

    assert restored.forms[_form(restored, "/change")].value("name") == "Ines the Second"
    assert adam.open("/people/ines").heading == "Ines Costa"


def test_after_a_password_was_not_set_for_want_of_a_session_one_may_set_it_again(adam: Visitor) -> None:
    page = adam.open("/people/ines")
    adam.client.delete_cookie("vermilion_session")

    asked = adam.send(page, {"password": "a password for Ines"}, form=_form(page, "/password"))
    there = adam.send(asked, {"login": "adam", "password": "a password of the tests"})

    assert (there.status, there.heading) == (200, "Ines Costa")


def test_ones_own_password_is_changed_with_the_present_one(house: House) -> None:
    mara = Visitor(house, "mara")
    page = mara.open("/me")
    new = {"new_password": "quite another password", "new_password_again": "quite another password"}

    assert mara.send(page, {**new, "old_password": "wrong"}).status == 422
    twice = mara.send(page, {**new, "old_password": "a password of the tests", "new_password_again": "otherwise typed"})
    assert (twice.status, len(twice.errors)) == (422, 1)
    done = mara.send(page, {**new, "old_password": "a password of the tests"})

    assert (done.status, done.path) == (200, "/me")
    assert "quite another password" not in done.html
    assert mara.open("/inbox").path == "/inbox"
