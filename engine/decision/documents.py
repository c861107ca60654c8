"""Reading a DMN file as XML, safely, and finding one's way in it (DMN 1.1 to 1.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, cast

from lxml import etree

from engine.decision.errors import DecisionRefused

#: The model namespaces of DMN 1.1, 1.2, 1.3, 1.4 and 1.5.
NAMESPACES = frozenset(
    {
        "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
        "http://www.omg.org/spec/DMN/20180521/MODEL/",
        "https://www.omg.org/spec/DMN/20191111/MODEL/",
        "https://www.omg.org/spec/DMN/20211108/MODEL/",
        "https://www.omg.org/spec/DMN/20230324/MODEL/",
    }
)

#: Bytes of one file; a table of a thousand rules takes about a tenth of it.
SIZE_LIMIT = 5_000_000


class Element:
    """An element of the model, its diagram and extensions left out."""

    def __init__(self, path: str, node: etree._Element) -> None:  # pyright: ignore[reportPrivateUsage]
        self.path = path
        self._node = node

    @property
    def tag(self) -> str:
        """The element's name without its namespace."""
        return etree.QName(self._node).localname

    @property
    def element_id(self) -> str:
        """The id of this element, or of the nearest one around it that has an id or a name."""
        node = self._node
        while True:
            own = node.get("id") or node.get("name")
            parent = node.getparent()
            if own or parent is None:
                return own or ""
            node = parent

    def get(self, attribute: str, default: str = "") -> str:
        """Return an attribute."""
        return self._node.get(attribute, default)

    @property
    def name(self) -> str:
        """The name attribute with its white space normalised."""
        return " ".join(self.get("name").split())

    def children(self, *tags: str) -> Iterator[Element]:
        """Return the elements right inside this one, of some names or all, that belong to the model."""
        for child in self._node.iterchildren("{*}*"):
            name = etree.QName(child)
            if name.namespace in NAMESPACES and (not tags or name.localname in tags):
                yield Element(self.path, child)

    def child(self, *tags: str) -> Element | None:
        """Return the first of these elements right inside this one."""
        return next(self.children(*tags), None)

    def text_of(self, tag: str) -> str | None:
        """Return the text in ``<tag><text>`` or ``<tag>``; None when there is no such element."""
        child = self.child(tag)
        if child is None:
            return None
        inner = child.child("text")
        return (inner or child).text

    @property
    def text(self) -> str:
        """The text of the element without surrounding white space."""
        return (self._node.text or "").strip()

    def refused(self, reason: str, remedy: str) -> DecisionRefused:
        """Return the refusal of this element."""
        return DecisionRefused(self.path, self.element_id, reason, remedy)


class _DocumentInformation(Protocol):
    doctype: str


def _has_doctype(root: etree._Element) -> bool:  # pyright: ignore[reportPrivateUsage]
    return bool(cast("_DocumentInformation", root.getroottree().docinfo).doctype)


def read_document(xml: bytes, path: str) -> Element:
    """Return the root of a DMN file.

    Raises DecisionRefused for a file that is too large, not XML, declares entities, or is not DMN.
    """
    if len(xml) > SIZE_LIMIT:
        raise DecisionRefused(
            path, "", f"the file has {len(xml):,} bytes, more than {SIZE_LIMIT:,}", "Split it into several files."
        )
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )
    try:
        root = etree.fromstring(xml, parser)
    except etree.XMLSyntaxError as error:
        raise DecisionRefused(
            path, "", f"the file is not XML: {error.msg}", "Export it again from the editor."
        ) from None
    except ValueError as error:
        raise DecisionRefused(path, "", f"the file is not XML: {error}", "Export it again from the editor.") from None
    if _has_doctype(root):
        raise DecisionRefused(path, "", "the file has a document type declaration", "Remove the DOCTYPE.")
    name = etree.QName(root)
    if name.namespace not in NAMESPACES or name.localname != "definitions":
        raise DecisionRefused(
            path, "", f"the root element is {name.localname} of {name.namespace}, not DMN", "Save it as DMN 1.1 to 1.5."
        )
    return Element(path, root)
