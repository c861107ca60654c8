"""One BPMN file as a checked document: its elements, what it declares at its root, and where everything stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.model.bpmn_allowed import NAMED, REFUSED, SHAPES
from engine.model.extension_reader import SILENT_NAMESPACES
from engine.model.extensions import NAMESPACE
from engine.model.findings import Findings, Place
from engine.model.rules import (
    DUPLICATE_ID,
    FOREIGN_DEFAULT_LANGUAGE,
    FOREIGN_EXTENSION,
    MUST_UNDERSTAND,
    NESTED_TOO_DEEP,
    NOT_BPMN,
    UNKNOWN_ATTRIBUTE,
    UNKNOWN_ELEMENT,
)
from engine.model.safe_xml import BPMN, Element, parse_xml

_XML = "http://www.w3.org/XML/1998/namespace"
#: Sub-processes inside one another: the interpreter opens no more.
DEEPEST = 50
_AROUND = frozenset({"subProcess", "transaction", "adHocSubProcess"})
_FEEL = ("feel", "https://www.omg.org/spec/DMN/", "http://www.omg.org/spec/FEEL/", "http://www.omg.org/spec/DMN/")


@dataclass(frozen=True, kw_only=True)
class Document:
    """A BPMN file whose root is fit to be read; findings on its shape have been made."""

    path: str
    root: Element

    def processes(self) -> tuple[Element, ...]:
        """Return the processes in document order."""
        return self.root.every("process")


@dataclass(frozen=True, kw_only=True)
class Library:
    """What the files of a process declare at their roots, by id: elements of any file can refer to it.

    ``elements`` holds every BPMN element that has an id, with the file it stands in.
    """

    messages: Mapping[str, Element] = field(default_factory=dict[str, Element])
    errors: Mapping[str, Element] = field(default_factory=dict[str, Element])
    event_definitions: Mapping[str, Element] = field(default_factory=dict[str, Element])
    elements: Mapping[str, Element] = field(default_factory=dict[str, Element])


def is_feel(language: str) -> bool:
    """Whether a declared expression language is FEEL; none declared counts as FEEL."""
    return not language or language.lower() == "feel" or language.startswith(_FEEL[1:])


def local_reference(reference: str) -> str:
    """Return the id that a reference names, without its namespace prefix (BPMN references are qualified names)."""
    return reference.strip().rpartition(":")[2]


def place_of(element: Element, around: Place) -> Place:
    """Return where an element stands: itself when an analyst can point at it, else what is around it."""
    if element.name in NAMED and element.get("id"):
        return Place(
            file=around.file, line=element.line, element_id=element.get("id"), element_name=element.get("name")
        )
    return Place(file=around.file, line=element.line, element_id=around.element_id, element_name=around.element_name)


def read_document(data: bytes, path: str, findings: Findings) -> Document | None:
    """Parse one BPMN file and check every element and attribute against the allow-list.

    Returns None, with a finding, for a file that is no BPMN at all.
    """
    root = parse_xml(data, path, findings)
    if root is None:
        return None
    if not root.is_bpmn("definitions"):
        findings.add(NOT_BPMN, Place(file=path, line=root.line), root=root.name)
        return None
    _check_root(root, Place(file=path, line=root.line), findings)
    _check_shape(root, Place(file=path, line=root.line), findings)
    _check_ids(root, path, findings)
    if _is_too_deep(root, path, findings):
        return None
    return Document(path=path, root=root)


def _is_too_deep(root: Element, path: str, findings: Findings) -> bool:
    """Whether more sub-processes stand inside one another than can be open at once; a finding names the first."""
    level = [(root, 0)]
    while level:
        element, depth = level.pop()
        if depth > DEEPEST:
            findings.add(NESTED_TOO_DEEP, place_of(element, Place(file=path)), limit=DEEPEST)
            return True
        level += [(child, depth + (child.is_bpmn() and child.name in _AROUND)) for child in element.children]
    return False


def collect_library(documents: Iterable[Document]) -> Library:
    """Return what the documents declare for each other."""
    messages: dict[str, Element] = {}
    errors: dict[str, Element] = {}
    definitions: dict[str, Element] = {}
    elements: dict[str, Element] = {}
    for document in documents:
        for element in document.root.walk():
            identifier = element.get("id")
            if element.namespace != BPMN or not identifier:
                continue
            elements.setdefault(identifier, element)
            if element.name == "message":
                messages.setdefault(identifier, element)
            elif element.name == "error":
                errors.setdefault(identifier, element)
            elif element.name.endswith("EventDefinition"):
                definitions.setdefault(identifier, element)
    return Library(messages=messages, errors=errors, event_definitions=definitions, elements=elements)


def _check_root(root: Element, place: Place, findings: Findings) -> None:
    language = root.get("expressionLanguage")
    if not is_feel(language):
        findings.add(FOREIGN_DEFAULT_LANGUAGE, place, language=language)
    for extension in root.every("extension"):
        if extension.get("mustUnderstand") == "true":
            findings.add(MUST_UNDERSTAND, place, extension=extension.get("definition") or "unnamed")


def _check_shape(element: Element, place: Place, findings: Findings) -> None:
    shape = SHAPES[element.name]
    for name in element.attributes:
        if name not in shape.attributes and not shape.is_opaque:
            findings.add(UNKNOWN_ATTRIBUTE, place, attribute=name, element=element.name)
    for space, name in element.foreign_attributes:
        if space not in SILENT_NAMESPACES and space not in (_XML, NAMESPACE):
            findings.add(FOREIGN_EXTENSION, place, what=f"The attribute {name}")
        elif space == NAMESPACE:
            findings.add(UNKNOWN_ATTRIBUTE, place, attribute=f"vermilion:{name}", element=element.name)
    if shape.is_opaque:
        return
    for child in element.children:
        if child.namespace != BPMN:
            if child.namespace not in SILENT_NAMESPACES:
                findings.add(UNKNOWN_ELEMENT, place_of(child, place), element=child.name, parent=element.name)
            continue
        inside = place_of(child, place)
        refused = REFUSED.get(child.name)
        if refused is not None:
            findings.add(refused, inside)
            _check_refused_inside(child, inside, findings)
        elif child.name not in shape.children:
            findings.add(UNKNOWN_ELEMENT, inside, element=child.name, parent=element.name)
        else:
            _check_shape(child, inside, findings)


def _check_refused_inside(element: Element, place: Place, findings: Findings) -> None:
    """Note what does not run inside something that does not run, so that all of it is known at once."""
    for child in element.children:
        inside = place_of(child, place)
        if child.name in NAMED and child.name in REFUSED:
            findings.add(REFUSED[child.name], inside)
        _check_refused_inside(child, inside, findings)


def _check_ids(root: Element, path: str, findings: Findings) -> None:
    seen: set[str] = set()
    for element in root.walk():
        identifier = element.get("id")
        if element.namespace != BPMN or not identifier:
            continue
        if identifier in seen:
            place = Place(file=path, line=element.line, element_id=identifier, element_name=element.get("name"))
            findings.add(DUPLICATE_ID, place, id=identifier)
        seen.add(identifier)
