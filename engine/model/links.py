"""Checks that the ends of links fit together (BPMN 2.0.2, 10.5.5: link events)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.model import rules
from engine.model.bpmn_events import LinkEnd
from engine.model.bpmn_scopes import DrawnScope
from engine.model.findings import Findings
from engine.model.graph import Scope


def check_links(drawn: DrawnScope, findings: Findings) -> None:
    """Note links without exactly one catching end on their throwing ends' level, and flows at the wrong side."""
    _check(drawn.scope, drawn.links, findings)


def _check(scope: Scope, links: Mapping[str, LinkEnd], findings: Findings) -> None:
    ends = {key: links[key] for key in scope.nodes if key in links}
    for key, end in ends.items():
        throws = sum(1 for each in ends.values() if each.name == end.name and each.is_throw)
        catches = sum(1 for each in ends.values() if each.name == end.name and not each.is_throw)
        if throws < 1 or catches != 1 or not end.name:
            findings.add(
                rules.LINK_WITHOUT_PARTNER, end.place, link=end.name or "without name", throws=throws, catches=catches
            )
        if end.is_throw and scope.nodes[key].outgoing:
            findings.add(rules.LINK_FLOW, end.place, end="throwing", direction="outgoing")
        if not end.is_throw and scope.nodes[key].incoming:
            findings.add(rules.LINK_FLOW, end.place, end="catching", direction="incoming")
    for node in scope.nodes.values():
        if node.inner is not None:
            _check(node.inner, links, findings)
