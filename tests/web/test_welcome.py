"""The first page of a demo."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest
from flask.testing import FlaskClient
from lxml import etree

from tests.web.house import House, open_house
from vermilion.people import DEMO_PEOPLE, SERVICE_LOGIN
from vermilion.shipped import PROCUREMENT
from web.pages.site import Demo, DemoPerson

_PASSWORD = "a password for tests"
_LOGINS = ("lin", "wei", "mara", "anna", "zhao")
_MOST_STATEMENTS = 12


@pytest.fixture
def house(tmp_path: Path) -> Generator[House]:
    with open_house(tmp_path, f"sqlite:///{tmp_path}/house.sqlite") as opened:
        yield opened


def _browser(house: House) -> FlaskClient:
    here = house.here
    for login in _LOGINS:
        here.runtime.seed_password(here.tenant_id, login, _PASSWORD)
    demo = Demo(
        people=tuple(DemoPerson(login=login, actor=here.actor(login), password=_PASSWORD) for login in _LOGINS),
        sandbox={"erp": "http://127.0.0.1:8401"},
        watcher=here.actor(SERVICE_LOGIN),
        process=PROCUREMENT,
    )
    return here.application(demo).test_client()


def _found(browser: FlaskClient, path: str) -> list[str]:
    """Return the texts that an XPath finds on the welcome page."""
    tree = etree.fromstring(browser.get("/welcome").get_data(), etree.HTMLParser(encoding="utf-8"))
    return [" ".join(each.split()) for each in cast("list[str]", tree.xpath(path))]


def _card(name: str) -> str:
    return f"//ul[@class='people-cards']/li[h3='{name}']"


def _states(browser: FlaskClient) -> list[str]:
    return _found(browser, "//ol[@class='steps']/li/@data-state")


def test_it_says_who_can_sign_in_and_what_waits_for_them(house: House) -> None:
    house.approval("RISK-1")
    browser = _browser(house)

    names = _found(browser, "//ul[@class='people-cards']/li/h3/text()")
    assert names == [each.name for each in DEMO_PEOPLE if each.login in _LOGINS]
    assert "One task waits" in _found(browser, _card("Li Wei") + "/p/text()")
    assert _found(browser, _card("Zhao Min") + "/p/text()") == ["Auditor. Reads everything, changes nothing."]


def test_one_click_signs_in(house: House) -> None:
    browser = _browser(house)
    inputs = _card("Li Wei") + "//input"
    names, values = _found(browser, inputs + "/@name"), _found(browser, inputs + "/@value")
    answer = browser.post("/sign-in", data=dict(zip(names, values, strict=True)))

    assert answer.status_code == 303
    assert answer.headers["Location"] == "/inbox"


def test_the_path_follows_the_purchase(house: House) -> None:
    browser = _browser(house)
    assert _states(browser) == ["now", "later", "later", "later", "later"]
    house.approval("RISK-1")
    assert _states(browser) == ["done", "done", "now", "later", "later"]


def test_the_root_leads_to_the_welcome_page_in_a_demo_and_to_sign_in_elsewhere(house: House) -> None:
    assert _browser(house).get("/").headers["Location"] == "/welcome"
    assert house.client.get("/").headers["Location"] == "/sign-in"
    assert house.client.get("/welcome").status_code == 404


def test_the_page_costs_few_statements(house: House) -> None:
    house.approval("RISK-1")
    browser = _browser(house)
    browser.get("/welcome")
    with house.here.store.counting() as counted:
        browser.get("/welcome")

    assert counted.statements <= _MOST_STATEMENTS, counted
