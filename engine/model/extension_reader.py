"""Reads the ``extensionElements`` of one BPMN element against the schema of ``engine.model.extensions``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.model.extensions import BY_NAME, NAMESPACE, Extension, ValueKind
from engine.model.findings import Findings, Place
from engine.model.graph import Expression
from engine.model.iso_time import NotATime, parse_duration
from engine.model.rules import BAD_EXTENSION, FOREIGN_EXTENSION
from engine.model.safe_xml import Element

#: What a variable may be called so that FEEL and Python scripts can both name it.
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPERATION = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*(?:@[1-9][0-9]*)?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_LARGEST_COUNT = 1000


@dataclass(frozen=True, kw_only=True)
class Given:
    """One extension element as written, its values checked."""

    name: str
    place: Place
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    text: str = ""
    children: tuple[Given, ...] = ()

    def expression(self, place: str, attribute: str | None = None) -> Expression | None:
        """Return the text, or an attribute, as FEEL; None when it is not given."""
        text = self.text if attribute is None else self.values.get(attribute, "")
        return feel(text, self.place.element_id, place) if text else None

    def truth(self, attribute: str, *, default: bool) -> bool:
        """Return a yes/no attribute."""
        return self.values.get(attribute, str(default).lower()) == "true"


@dataclass(frozen=True, kw_only=True)
class GivenAll:
    """The extension elements of one place."""

    given: tuple[Given, ...] = ()

    def one(self, name: str) -> Given | None:
        """Return the extension of this name, if there is one."""
        return next((each for each in self.given if each.name == name), None)

    def every(self, name: str) -> tuple[Given, ...]:
        """Return all extensions of this name."""
        return tuple(each for each in self.given if each.name == name)

    def __add__(self, other: GivenAll) -> GivenAll:
        """Join those of an event and of its definition."""
        return GivenAll(given=self.given + other.given)


def feel(text: str, element_id: str, place: str) -> Expression:
    """Return a FEEL expression without its optional leading ``=``."""
    return Expression(text=text.strip().removeprefix("=").strip(), element_id=element_id, place=place)


def read_extensions(holders: Iterable[Element], parent: str, place: Place, findings: Findings) -> GivenAll:
    """Return the vermilion extensions in these ``extensionElements``.

    Extensions of other namespaces may be ignored (BPMN 2.0.2, 8.2.3) and are noted as warnings.
    """
    given: list[Given] = []
    for holder in holders:
        for element in holder.children:
            if element.namespace != NAMESPACE:
                if element.namespace not in SILENT_NAMESPACES:
                    findings.add(FOREIGN_EXTENSION, place, what=f"The extension {element.name}")
                continue
            extension = BY_NAME.get(element.name)
            if extension is None or parent not in extension.allowed_in:
                _bad(findings, place, element.name, f"it has no meaning on a {parent}", "Remove it.")
                continue
            if not extension.is_repeatable and any(each.name == extension.name for each in given):
                _bad(findings, place, extension.name, "it is given twice", "Keep one.")
                continue
            given.append(_read(element, extension, place, findings))
    return GivenAll(given=tuple(given))


#: Namespaces of editors that say nothing about running: layout, colours, the tool's own version.
SILENT_NAMESPACES = frozenset(
    {
        "http://www.omg.org/spec/BPMN/20100524/DI",
        "http://www.omg.org/spec/DD/20100524/DC",
        "http://www.omg.org/spec/DD/20100524/DI",
        "http://www.omg.org/spec/BPMN/non-normative/color/1.0",
        "http://bpmn.io/schema/bpmn/biocolor/1.0",
        "http://camunda.org/schema/modeler/1.0",
        "http://www.w3.org/2001/XMLSchema-instance",
    }
)


def _bad(findings: Findings, place: Place, extension: str, problem: str, remedy: str) -> None:
    findings.add(BAD_EXTENSION, place, extension=extension, problem=problem, remedy=remedy)


def _read(element: Element, extension: Extension, place: Place, findings: Findings) -> Given:
    place = Place(file=place.file, line=element.line, element_id=place.element_id, element_name=place.element_name)
    values = _attributes(element, extension, place, findings)
    inner: list[Given] = []
    for child in element.children:
        found = BY_NAME.get(child.name)
        if child.namespace != NAMESPACE or found is None or found.name not in extension.children:
            _bad(findings, place, extension.name, f"it cannot hold {child.name}", "Remove it.")
        else:
            inner.append(_read(child, found, place, findings))
    text = element.text
    if extension.content is not None:
        problem = "its text is empty" if not text else wrong_value(extension.content, text)
        if problem:
            _bad(findings, place, extension.name, problem, "Write its text.")
    elif text:
        _bad(findings, place, extension.name, "it holds text, which has no meaning there", "Remove the text.")
    return Given(name=extension.name, place=place, values=values, text=text, children=tuple(inner))


def _attributes(element: Element, extension: Extension, place: Place, findings: Findings) -> dict[str, str]:
    values = {name: value.strip() for name, value in element.attributes.items()}
    known = {attribute.name for attribute in extension.attributes}
    for name in values.keys() - known:
        _bad(findings, place, extension.name, f"it has no attribute {name}", "Remove the attribute.")
    for attribute in extension.attributes:
        value = values.get(attribute.name, "")
        if not value and attribute.is_required:
            _bad(findings, place, extension.name, f"{attribute.name} is missing", f"Give {attribute.name}.")
        elif value:
            problem = wrong_value(attribute.kind, value)
            if problem:
                _bad(findings, place, extension.name, f"{attribute.name}: {problem}", f"Correct {attribute.name}.")
    return {name: value for name, value in values.items() if name in known and value}


def wrong_value(kind: ValueKind, value: str) -> str | None:
    """Return what is wrong with a value of this kind, or None. FEEL is parsed by the checker, not here."""
    match kind:
        case ValueKind.VARIABLE if not VARIABLE.fullmatch(value):
            return f"{value!r} is no variable name: letters, digits and underscores, not starting with a digit"
        case ValueKind.OPERATION if not _OPERATION.fullmatch(value):
            return f"{value!r} is no operation name such as erp.read_stock or erp.read_stock@1"
        case ValueKind.NAME if not _NAME.fullmatch(value):
            return f"{value!r} is no name"
        case ValueKind.TRUTH if value not in ("true", "false"):
            return f"{value!r} is neither true nor false"
        case ValueKind.COUNT if not (value.isascii() and value.isdigit() and 1 <= len(value) <= 4) or not (
            1 <= int(value) <= _LARGEST_COUNT
        ):
            return f"{value!r} is no whole number from 1 to {_LARGEST_COUNT}"
        case ValueKind.PRIORITY if not (value.isascii() and value.isdigit() and len(value) <= 3 and int(value) <= 100):
            return f"{value!r} is no whole number from 0 to 100"
        case ValueKind.LANGUAGE if value not in ("en", "zh"):
            return f"{value!r} is neither en nor zh"
        case ValueKind.DURATION:
            return _wrong_duration(value)
        case _:
            return None


def _wrong_duration(value: str) -> str | None:
    try:
        parse_duration(value)
    except NotATime as wrong:
        return str(wrong)
    return None
