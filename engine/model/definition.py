"""A readable, checked process version: everything that the runtime and the interpreter need to know of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.decision.definitions import DecisionModel
from engine.model.form_texts import in_language
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
        Texts by language and key, from ``i18n/``: labels by element id, those of forms as ``form_texts`` names them.
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

    def documentation(self, element_id: str, language: str) -> str:
        """Return what is written about an element in a language, else in the drawing's own."""
        node = self.nodes.get(element_id)
        return (node.documentation_texts.get(language) or node.documentation) if node is not None else ""

    def form(self, key: str, language: str) -> Form | None:
        """Return a form with its texts in a language, where there are some; None when there is no such form."""
        form = self.forms.get(key)
        return in_language(form, self.texts.get(language, {})) if form is not None else None

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
