"""Parses XML that may be hostile - no document types, no entities, no network, bounded - into plain elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from lxml import etree

from engine.model.findings import Findings, Place
from engine.model.rules import DOCTYPE, FILE_TOO_LARGE, NOT_XML

#: Most bytes of one file that are read. A drawing with a thousand elements has about one million.
LARGEST_FILE = 5_000_000
#: Namespace of the BPMN 2.0 model elements.
BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"


@dataclass(frozen=True, kw_only=True)
class Element:
    """One XML element.

    Attributes
    ----------
    attributes
        Those without a namespace.
    foreign_attributes
        Those with one, by namespace and name.
    text
        The text directly inside it, without outer white space.
    line
        Line of its start tag, from 1.
    """

    namespace: str
    name: str
    attributes: Mapping[str, str]
    foreign_attributes: Mapping[tuple[str, str], str]
    children: tuple[Element, ...]
    text: str
    line: int | None

    def get(self, attribute: str) -> str:
        """Return an attribute without outer white space; empty when it is not given."""
        return self.attributes.get(attribute, "").strip()

    def every(self, name: str) -> tuple[Element, ...]:
        """Return the child elements of this name in the element's own namespace."""
        return tuple(child for child in self.children if child.name == name and child.namespace == self.namespace)

    def one(self, name: str) -> Element | None:
        """Return the first child element of this name in the element's own namespace."""
        return next(iter(self.every(name)), None)

    def is_bpmn(self, name: str | None = None) -> bool:
        """Whether it is a BPMN element, of this name where one is given."""
        return self.namespace == BPMN and name in (None, self.name)

    def walk(self) -> Iterator[Element]:
        """Go over this element and everything inside it, in document order."""
        yield self
        for child in self.children:
            yield from child.walk()


class _DocumentInfo(Protocol):
    @property
    def internalDTD(self) -> object: ...  # noqa: N802 - lxml's name


class _Tree(Protocol):
    @property
    def docinfo(self) -> _DocumentInfo: ...


class _Node(Protocol):
    """What of lxml's elements is used here; its stubs name no public class."""

    @property
    def tag(self) -> object: ...
    @property
    def text(self) -> str | None: ...
    @property
    def tail(self) -> str | None: ...
    @property
    def sourceline(self) -> int | None: ...
    @property
    def attrib(self) -> Mapping[str, str]: ...
    def __iter__(self) -> Iterator[_Node]: ...
    def getroottree(self) -> _Tree: ...


def parse_xml(data: bytes, path: str, findings: Findings) -> Element | None:
    """Return the root element, or None with a finding that says why the file is not read."""
    place = Place(file=path)
    if len(data) > LARGEST_FILE:
        findings.add(FILE_TOO_LARGE, place, size=len(data), limit=LARGEST_FILE)
        return None
    # Looked for before parsing, so that no declaration is ever evaluated; without NULs it is found in UTF-16 too.
    if b"<!DOCTYPE" in data.replace(b"\0", b"").upper():
        findings.add(DOCTYPE, place)
        return None
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )
    try:
        root = cast("_Node", etree.fromstring(data, parser))
    except etree.XMLSyntaxError as wrong:
        findings.add(NOT_XML, Place(file=path, line=wrong.lineno or None), detail=_first_line(wrong))
        return None
    except (ValueError, LookupError) as wrong:
        findings.add(NOT_XML, place, detail=_first_line(wrong))
        return None
    if root.getroottree().docinfo.internalDTD is not None:
        findings.add(DOCTYPE, place)
        return None
    return _element(root)


def _first_line(wrong: Exception) -> str:
    return (str(wrong).splitlines() or ["unreadable"])[0]


def _element(node: _Node) -> Element:
    attributes: dict[str, str] = {}
    foreign: dict[tuple[str, str], str] = {}
    for name, value in node.attrib.items():
        space, local = split_name(name)
        if space:
            foreign[space, local] = value
        else:
            attributes[local] = value
    pieces = [node.text or ""]
    children: list[Element] = []
    for child in node:
        # Comments and processing instructions carry a function as their tag.
        if isinstance(child.tag, str):
            children.append(_element(child))
        pieces.append(child.tail or "")
    space, local = split_name(str(node.tag))
    return Element(
        namespace=space,
        name=local,
        attributes=attributes,
        foreign_attributes=foreign,
        children=tuple(children),
        text="".join(pieces).strip(),
        line=node.sourceline,
    )


def split_name(name: str) -> tuple[str, str]:
    """Return namespace and local name of a name as lxml writes it."""
    if name.startswith("{"):
        space, _, local = name[1:].partition("}")
        return space, local
    return "", name
