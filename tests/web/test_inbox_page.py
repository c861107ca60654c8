"""The inbox: what waits for the reader, and nothing else; its filters stand in the address."""

from __future__ import annotations

import re

import pytest

from tests.web.house import House
from tests.web.visitor import Page, Visitor


@pytest.fixture(scope="module")
def risks(house: House) -> list[str]:
    names = [f"INBOX-{number}" for number in range(3)]
    for name in names:
        house.approval(name)
    return names


def _keys(page: Page) -> list[str]:
    return page.texts("//main//table[@class='list']/tbody/tr/td[2]")


def test_it_lists_what_waits_with_process_and_age(house: House, risks: list[str]) -> None:
    page = Visitor(house, "wei").open("/inbox")

    assert page.heading == "Inbox"
    assert _keys(page) == risks
    assert page.texts("//main//tbody/tr[1]/td[1]/a/@href")[0].startswith("/tasks/")
    assert len(page.texts("//main//tbody//time/@datetime")) >= len(risks)


@pytest.mark.parametrize("login", ["anna", "adam"])
def test_others_find_nothing_and_read_why(house: House, risks: list[str], login: str) -> None:
    assert risks
    page = Visitor(house, login).open("/inbox")

    assert _keys(page) == []
    assert page.status == 403 or "Nothing waits for you" in page.text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("key=inbox-1", ["INBOX-1"]),
        ("key=INBOX", ["INBOX-0", "INBOX-1", "INBOX-2"]),
        ("key=nobody", []),
        ("process=procurement", ["INBOX-0", "INBOX-1", "INBOX-2"]),
        ("process=another", []),
        ("overdue=1", []),
        ("key=%00%3Cb%3E%27&process=%F0%9F%98%80", []),
    ],
)
def test_filters_stand_in_the_address(house: House, risks: list[str], query: str, expected: list[str]) -> None:
    assert risks
    page = Visitor(house, "wei").open(f"/inbox?{query}")

    assert page.status == 200
    assert _keys(page) == expected
    assert bool(expected) != ("Nothing fits" in page.text)


def test_a_cursor_of_nothing_is_a_sentence(house: House) -> None:
    page = Visitor(house, "wei").open("/inbox?cursor=nonsense")

    assert page.status in (400, 422)
    assert re.search(r"[a-z]+\.", page.text)
