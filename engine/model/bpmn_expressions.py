"""Reads BPMN's formal expressions as FEEL."""

from __future__ import annotations

from engine.model.bpmn_document import is_feel
from engine.model.extension_reader import feel
from engine.model.findings import Findings, Place
from engine.model.graph import Expression
from engine.model.rules import FOREIGN_LANGUAGE
from engine.model.safe_xml import Element


def read_expression(element: Element | None, place: Place, findings: Findings, where: str) -> Expression | None:
    """Return the expression of an element, or None when it has no text.

    A declared language other than FEEL is refused by name.
    """
    if element is None or not element.text:
        return None
    language = element.get("language")
    if not is_feel(language):
        findings.add(FOREIGN_LANGUAGE, place, language=language)
    return feel(element.text, place.element_id, where)
