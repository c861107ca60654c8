"""Everything that has a name in a shipped drawing has one in both languages."""

from __future__ import annotations

from engine.model import read_definition
from tests.processes.diagram import read_diagram
from tests.processes.shipped import files_of


def test_every_name_of_the_drawing_is_there_in_english_and_chinese() -> None:
    files = files_of("procurement")
    names = read_diagram(files["process.bpmn"]).names
    texts = read_definition(files).texts

    assert {key: texts["en"].get(key) for key in names} == names
    assert names.keys() - texts["zh"].keys() == set()
    assert [
        key for key, text in texts["zh"].items() if not any("\u4e00" <= letter <= "\u9fff" for letter in text)
    ] == []


def test_statuses_and_roles_have_titles_in_both_languages() -> None:
    settings = read_definition(files_of("procurement")).settings
    assert all({"en", "zh"} <= set(each.title) for each in (*settings.statuses, *settings.roles))
    assert {"en", "zh"} <= set(settings.title)
