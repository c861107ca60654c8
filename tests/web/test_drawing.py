"""The drawing that the viewer loads is in the reader's language."""

from __future__ import annotations

from engine.model.definition import Definition
from engine.model.reader import read_definition
from tests.processes.shipped import files_of
from web.pages.drawing import drawing_in


def _procurement() -> Definition:
    return read_definition(files_of("procurement"))


def test_names_are_those_of_the_language() -> None:
    drawn = drawing_in(_procurement(), "zh").decode()

    assert 'name="审批采购"' in drawn
    assert 'name="计划员"' in drawn
    assert 'name="Approve the purchase"' not in drawn


def test_without_texts_it_is_as_it_was_drawn() -> None:
    procurement = _procurement()

    assert drawing_in(procurement, "fr") == procurement.files["process.bpmn"]
