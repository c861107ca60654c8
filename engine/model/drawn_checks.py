"""Checks of a scope as drawn, for what normalising hides: links, and tokens that begin or end by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.model import rules
from engine.model.bpmn_events import LinkEnd
from engine.model.bpmn_scopes import DrawnScope
from engine.model.findings import Findings, Place
from engine.model.graph import FlowNode, NodeKind, Scope

_GATEWAYS = frozenset(
    {
        NodeKind.EXCLUSIVE_GATEWAY,
        NodeKind.PARALLEL_GATEWAY,
        NodeKind.INCLUSIVE_GATEWAY,
        NodeKind.EVENT_BASED_GATEWAY,
    }
)
_INTERMEDIATE = frozenset({NodeKind.INTERMEDIATE_CATCH_EVENT, NodeKind.INTERMEDIATE_THROW_EVENT})


def check_drawn(drawn: DrawnScope, places: Mapping[str, Place], findings: Findings) -> None:
    """Note what is wrong with the ends of links and of levels, in this scope and all inside it."""
    _DrawnCheck(drawn.links, places, findings).check(drawn.scope)


@dataclass(frozen=True)
class _DrawnCheck:
    links: Mapping[str, LinkEnd]
    places: Mapping[str, Place]
    findings: Findings

    def check(self, scope: Scope) -> None:
        self._links(scope)
        self._level(scope)
        for node in scope.nodes.values():
            if node.kind in _INTERMEDIATE and node.element_id not in self.links:
                self._intermediate(node)
            if node.kind in _GATEWAYS and len(node.incoming) <= 1 and len(node.outgoing) <= 1:
                self.findings.add(rules.IDLE_GATEWAY, self.places[node.element_id])
            if node.inner is not None:
                self.check(node.inner)

    def _links(self, scope: Scope) -> None:
        """A link has one catching end, on the level of its throwing ends (BPMN 2.0.2, 10.5.5: link events)."""
        ends = {key: self.links[key] for key in scope.nodes if key in self.links}
        for key, end in ends.items():
            throws = sum(1 for each in ends.values() if each.name == end.name and each.is_throw)
            catches = sum(1 for each in ends.values() if each.name == end.name and not each.is_throw)
            if throws < 1 or catches != 1 or not end.name:
                label = end.name or "without name"
                self.findings.add(rules.LINK_WITHOUT_PARTNER, end.place, link=label, throws=throws, catches=catches)
            if end.is_throw and scope.nodes[key].outgoing:
                self.findings.add(rules.LINK_FLOW, end.place, end="throwing", direction="outgoing")
            if not end.is_throw and scope.nodes[key].incoming:
                self.findings.add(rules.LINK_FLOW, end.place, end="catching", direction="incoming")

    def _level(self, scope: Scope) -> None:
        starts = [node for node in scope.nodes.values() if node.kind is NodeKind.START_EVENT]
        ends = [node for node in scope.nodes.values() if node.kind is NodeKind.END_EVENT]
        if starts and not ends:
            self.findings.add(rules.START_WITHOUT_END, self.places[starts[0].element_id])
        if ends and not starts:
            self.findings.add(rules.END_WITHOUT_START, self.places[ends[0].element_id])

    def _intermediate(self, node: FlowNode) -> None:
        place = self.places[node.element_id]
        if not node.incoming:
            self.findings.add(rules.INTERMEDIATE_WITHOUT_INCOMING, place)
        if not node.outgoing:
            self.findings.add(rules.INTERMEDIATE_WITHOUT_OUTGOING, place)
