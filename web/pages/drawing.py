"""The drawing of a process version as BPMN, with its names in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, cast

from flask import Response, make_response
from lxml import etree

from engine.model.definition import Definition

_DRAWING = "process.bpmn"


class _Element(Protocol):
    """What of lxml's elements is used here; its stubs name no public class."""

    def get(self, key: str) -> str | None: ...
    def set(self, key: str, value: str) -> None: ...
    def iter(self) -> Iterator[_Element]: ...


def _by_drawn_name(definition: Definition, language: str) -> dict[str, str]:
    """Return the names of lanes and of the process, which are drawn by their English titles."""
    titles = [definition.settings.title, *(role.title for role in definition.settings.roles)]
    by_language = [{str(code): name for code, name in title.items()} for title in titles]
    return {each["en"]: each[language] for each in by_language if "en" in each and language in each}


def drawing_in(definition: Definition, language: str) -> bytes:
    """Return the drawing with the names that the texts of a language give; a name without one stays as drawn."""
    drawing = definition.files[_DRAWING]
    texts = definition.texts.get(language, {})
    if not texts:
        return drawing
    named = _by_drawn_name(definition, language)
    root = etree.fromstring(drawing, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    for element in cast("_Element", root).iter():
        name = texts.get(element.get("id") or "") or named.get(element.get("name") or "")
        if name:
            element.set("name", name)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True)


def drawing_page(definition: Definition, language: str) -> Response:
    """Return the answer that the diagram viewer loads."""
    answer = make_response(drawing_in(definition, language))
    answer.content_type = "application/xml"
    return answer
