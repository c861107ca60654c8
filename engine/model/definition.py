"""A readable, checked process version: everything that the runtime and the interpreter need to know of it."""

from __future__ import annotations

from collections.abc import Mapping
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
        """Return what to call an element in a language: the text, else the drawn name, else the id."""
        translated = self.texts.get(language, {}).get(element_id)
        node = self.nodes.get(element_id)
        return translated or (node.name if node else "") or element_id
