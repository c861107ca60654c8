"""Signing in on pages: nothing typed is lost, nobody is sent elsewhere, no other site acts in a reader's name."""

from __future__ import annotations

import pytest

from tests.web.house import House
from tests.web.visitor import PASSWORD, Visitor


@pytest.fixture
def visitor(house: House) -> Visitor:
    house.here.runtime.seed_password(house.here.tenant_id, "wei", PASSWORD)
    return Visitor(house)


def test_who_is_not_signed_in_comes_back_to_the_page_they_wanted(visitor: Visitor) -> None:
    asked = visitor.open("/work?state=waiting")
    assert (asked.path, asked.heading) == ("/sign-in", "Sign in")

    there = visitor.send(asked, {"login": "wei", "password": PASSWORD})

    assert (there.status, there.path, there.heading) == (200, "/work", "Work")


@pytest.mark.parametrize(
    "elsewhere", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_a_forged_link_sends_nobody_elsewhere(visitor: Visitor, elsewhere: str) -> None:
    page = visitor.open("/sign-in")
    fields = page.forms[-1].filled({"login": "wei", "password": PASSWORD, "next": elsewhere})

    answer = visitor.client.post("/sign-in", data=fields)

    assert (answer.status_code, answer.headers["Location"]) == (303, "/inbox")


def test_what_was_typed_while_the_session_ended_comes_back(house: House) -> None:
    approval = house.approval("TYPED-1")
    wei = Visitor(house, "wei")
    task = wei.open(f"/tasks/{approval['task_id']}")
    wei.client.delete_cookie("vermilion_session")

    asked = wei.send(task, {"action": "reject", "reason": "Too <dear> for us"})
    assert (asked.status, asked.heading) == (401, "Sign in")
    again = wei.send(asked, {"login": "wei", "password": PASSWORD})
    restored = wei.send(again, {})

    assert (restored.status, restored.forms[-1].value("reason")) == (200, "Too <dear> for us")
    assert house.get(f"/tasks/{approval['task_id']}", "wei").get_json()["decision"] is None
    done = wei.send(restored, {})
    assert done.path == "/inbox"
    assert house.get(f"/tasks/{approval['task_id']}", "wei").get_json()["decision"]["values"]["action"] == "reject"


def test_passwords_are_never_kept_in_a_page(visitor: Visitor) -> None:
    page = visitor.open("/sign-in")

    refused = visitor.send(page, {"login": "wei", "password": "not the right one"})

    assert (refused.status, refused.forms[-1].value("login")) == (422, "wei")
    assert "not the right one" not in refused.html


def test_too_many_wrong_passwords_are_answered_with_a_wait(visitor: Visitor) -> None:
    page = visitor.open("/sign-in")
    for _ in range(5):
        page = visitor.send(page, {"login": "stranger", "password": "not the right one"})

    page = visitor.send(page, {"login": "stranger", "password": "not the right one"})

    assert page.status == 429
    assert 0 < int(page.headers["Retry-After"]) <= 30


def test_another_site_cannot_act_in_a_readers_name(house: House) -> None:
    wei = Visitor(house, "wei")
    fields = wei.open("/me").forms[-1].filled({})

    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = wei.client.post("/theme", data={**fields, "theme": "dark"}, headers=headers)
        assert answer.status_code == 403
    assert wei.client.post("/theme", data={"theme": "dark"}).status_code == 403
    assert wei.client.post("/theme", data={**fields, "csrf_token": "0" * 64, "theme": "dark"}).status_code == 403
    assert wei.client.post("/theme", data={**fields, "theme": "dark"}).status_code == 303


def test_a_session_of_one_person_carries_no_token_for_another(house: House) -> None:
    wei, omar = Visitor(house, "wei"), Visitor(house, "omar")
    foreign = wei.open("/me").forms[-1].value("csrf_token")

    assert omar.client.post("/theme", data={"theme": "dark", "csrf_token": foreign}).status_code == 403


def test_cookies_are_kept_from_scripts_and_other_sites(house: House) -> None:
    wei = Visitor(house)
    house.here.runtime.seed_password(house.here.tenant_id, "wei", PASSWORD)
    page = wei.open("/sign-in")

    answer = wei.client.post("/sign-in", data=page.forms[-1].filled({"login": "wei", "password": PASSWORD}))

    (cookie,) = [each for each in answer.headers.getlist("Set-Cookie") if each.startswith("vermilion_session=")]
    assert {"HttpOnly", "SameSite=Lax"} <= {part.strip() for part in cookie.split(";")}


def test_signing_out_ends_the_session_on_the_server(house: House) -> None:
    wei = Visitor(house, "wei")
    cookie = wei.client.get_cookie("vermilion_session")
    assert cookie is not None
    token = wei.open("/me").forms[-1].value("csrf_token")

    wei.client.post("/sign-out", data={"csrf_token": token})
    wei.client.set_cookie("vermilion_session", cookie.value)

    assert wei.open("/inbox").path == "/sign-in"


def test_every_page_says_what_a_browser_may_load(house: House) -> None:
    for path in ("/sign-in", "/nowhere", "/inbox"):
        headers = Visitor(house, "wei").open(path).headers

        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "//", "evil"])
def test_an_origin_that_is_none_is_a_foreign_one(house: House, origin: str) -> None:
    wei = Visitor(house, "wei")
    fields = wei.open("/me").forms[-1].filled({})

    assert wei.client.post("/theme", data={**fields, "theme": "dark"}, headers={"Origin": origin}).status_code == 403


def test_a_broken_address_under_a_form_is_a_page_and_no_surprise(house: House) -> None:
    adam = Visitor(house, "adam")

    for path in ("/people/%0d%0aX/change", "/people/%3f/password", "/people/..%2f/password"):
        assert adam.client.get(path).status_code in (303, 404)


def test_buttons_of_a_page_of_nothing_work_for_a_new_visitor(house: House) -> None:
    stranger = Visitor(house)
    page = stranger.open("/nothing-here")
    token = page.texts("//input[@name='csrf_token']/@value")[0]

    assert stranger.client.post("/theme", data={"csrf_token": token, "theme": "dark"}).status_code == 303


def test_a_restored_page_of_ones_own_counts_as_no_attempt(house: House) -> None:
    wei = Visitor(house, "wei")
    fields = wei.open("/me").forms[-1].filled({"_restored": "1"})

    assert {wei.client.post("/me", data=fields).status_code for _ in range(7)} == {200}
