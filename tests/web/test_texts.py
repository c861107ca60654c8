"""Every text of the pages is there in Chinese, with the same placeholders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from deploy.collect_texts import CATALOGUES, collect
from tests.web.house import House

_PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w+\}")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def _catalogue(file: Path) -> Catalog:
    with file.open("rb") as source:
        return read_po(source, locale=file.parent.parent.name)


@pytest.fixture(scope="module")
def chinese() -> Catalog:
    return _catalogue(CATALOGUES / "zh" / "LC_MESSAGES" / "messages.po")


def _ids(catalogue: Catalog) -> set[object]:
    return {_id(each) for each in catalogue if each.id}


def _id(message: Message) -> object:
    return message.id if isinstance(message.id, str) else tuple(message.id)


def _first(text: str | list[str] | tuple[str, ...]) -> str:
    return text if isinstance(text, str) else text[-1]


def test_the_catalogue_holds_exactly_the_texts_there_are(chinese: Catalog) -> None:
    wanted = _ids(collect())

    assert (wanted - _ids(chinese), _ids(chinese) - wanted) == (set(), set()), "run `make texts`"


def test_every_text_has_chinese_words_and_the_same_placeholders(chinese: Catalog) -> None:
    wrong: list[str] = []
    for each in chinese:
        if not each.id:
            continue
        english, translated = _first(each.id), _first(each.string or "")
        same = set(_PLACEHOLDER.findall(english)) - set(_PLACEHOLDER.findall(translated))
        is_words = bool(_HAN.search(translated)) or not re.search(r"[a-z]{2}", _PLACEHOLDER.sub("", english))
        if not translated or same or each.fuzzy or not is_words:
            wrong.append(english)

    assert wrong == []


def test_a_page_is_in_the_language_that_the_browser_asks_for(house: House) -> None:
    in_chinese = house.client.get("/sign-in", headers={"Accept-Language": "zh-CN,zh;q=0.9"}).get_data(as_text=True)
    in_english = house.client.get("/sign-in", headers={"Accept-Language": "fr"}).get_data(as_text=True)

    assert '<html lang="zh-Hans"' in in_chinese
    assert ("密码" in in_chinese, "密码" in in_english) == (True, False)
