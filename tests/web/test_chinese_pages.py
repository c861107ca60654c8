"""Pages in Chinese hold no English words of ours: only names, codes, and what a suggestion said."""

from __future__ import annotations

import re

import pytest

from tests.web.house import House
from tests.web.visitor import Visitor

_PLACES = ("/inbox", "/start", "/work", "/work/incidents", "/processes", "/people", "/me")
_WORDS = re.compile(r"[A-Za-z]{3,}(?: [a-z]{2,})+")
_TEXTS = "//body//text()[not(ancestor::script) and not(ancestor::pre) and not(ancestor::code)]"


@pytest.mark.parametrize("login", ["lin", "wei", "zhao", "omar", "adam"])
def test_no_phrase_of_a_place_in_the_rail_is_english(house: House, login: str) -> None:
    visitor = Visitor(house, login, language="zh")
    found = [
        (place, text)
        for place in _PLACES
        for page in (visitor.open(place),)
        for text in page.texts(_TEXTS)
        if _WORDS.search(text)
    ]

    assert found == []


def test_the_check_finds_the_english_page(house: House) -> None:
    page = Visitor(house, "wei").open("/inbox")

    assert any(_WORDS.search(text) for text in page.texts(_TEXTS))
