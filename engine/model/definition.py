"""A readable, checked process version: everything that the runtime and the interpreter need to know of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.decision.definitions import DecisionModel
from engine.model.forms import Form
from engine.model.graph import FlowNode, Scope
from engine.model.settings import ProcessSettings


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One version of a process.

    Attributes
    ----------
    digest
        SHA-256 over BPMN, DMN, forms, ``process.yaml`` and texts, in hex; scenarios do not change it.
    process
        The executable process of ``process.bpmn``.
    called
        Further processes in the same file set that call activities run inside the caller's state, by process id.
    texts
        Label by language and element id, from ``i18n/``.
    files
        The files as given, by their path inside the process's folder.
    """

    digest: str
    settings: ProcessSettings
    process: Scope
    called: Mapping[str, Scope] = field(default_factory=dict[str, Scope])
    decisions: Mapping[str, DecisionModel] = field(default_factory=dict[str, DecisionModel])
    forms: Mapping[str, Form] = field(default_factory=dict[str, Form])
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    nodes: Mapping[str, FlowNode] = field(default_factory=dict[str, FlowNode])

    def node(self, element_id: str) -> FlowNode:
        """Return the node of any scope of this definition. Raises KeyError when there is none."""
        return self.nodes[element_id]

    def label(self, element_id: str, language: str) -> str:
        """Return what to call an element in a language: the text, else the drawn name, else the drawn id."""
        node = self.nodes.get(element_id)
        drawn_id = node.drawn_id if node is not None and node.drawn_id else element_id
        translated = self.texts.get(language, {}).get(drawn_id)
        return translated or (node.name if node else "") or drawn_id

    def way(self, element_ids: Iterable[str]) -> str:
        """Return a path of the drawing for a person: names, or drawn ids, in order; inserted nodes are left out."""
        shown: list[str] = []
        for element_id in element_ids:
            node = self.nodes.get(element_id)
            is_inserted = node is not None and node.drawn_id != element_id and node.drawn_id in self.nodes
            label = (node.name or node.drawn_id) if node is not None else element_id
            if not is_inserted and shown[-1:] != [label]:
                shown.append(label)
        return " → ".join(shown)
