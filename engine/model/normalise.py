"""Rewrites a drawn scope into an equivalent one that the interpreter runs exactly; drawn ids are kept.

What is rewritten, and by which clause of BPMN 2.0.2:

* link event pairs become sequence flows (10.5.5);
* several, or conditional, sequence flows out of an activity or event become an explicit gateway (8.4.13, 13.3.1);
* a scope without start event starts at every node without incoming flow, and a node without outgoing flow ends its
  token (10.3.5, 13.2): such scopes get a start and an end event;
* element ids that the interpreter keeps for itself are renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from engine.contract.ids import StepKey
from engine.model.bpmn_events import LinkEnd
from engine.model.bpmn_scopes import ACTIVITIES, EVENTS, DrawnScope, new_id
from engine.model.graph import Expression, FlowNode, NodeKind, NoneEvent, Scope, SequenceFlow

#: Ids, and endings of ids, that SpiffWorkflow gives to nodes of its own.
RESERVED_IDS = frozenset({"Start", "End", "Root"})
RESERVED_ENDINGS = (".EndJoin", ".BoundaryEventSplit", ".BoundaryEventJoin")


def is_reserved(element_id: str) -> bool:
    """Whether the interpreter keeps this id for itself."""
    return element_id in RESERVED_IDS or element_id.endswith(RESERVED_ENDINGS)


def normalise(drawn: DrawnScope, taken: Iterable[str]) -> Scope:
    """Return the scope rewritten. ``taken`` are all ids of the file set, which new nodes must not have."""
    return _Normaliser(drawn.links, set(taken)).scope(drawn.scope)


class _Normaliser:
    def __init__(self, links: Mapping[str, LinkEnd], taken: set[str]) -> None:
        self._links = links
        self._taken = taken

    def scope(self, scope: Scope) -> Scope:
        nodes = dict(scope.nodes)
        flows = dict(scope.flows)
        for key, node in scope.nodes.items():
            if node.inner is not None:
                nodes[key] = replace(node, inner=self.scope(node.inner))
        self._join_links(nodes, flows)
        self._add_start(scope, nodes, flows)
        self._add_end(scope, nodes, flows)
        leaving: dict[str, list[SequenceFlow]] = {key: [] for key in nodes}
        for flow in flows.values():
            leaving[flow.source].append(flow)
        for node in list(nodes.values()):
            self._split(node, leaving[node.element_id], nodes, flows)
        self._drop_default_conditions(nodes, flows)
        self._rename(nodes, flows)
        return replace(scope, nodes=_connected(nodes, flows), flows=flows)

    def _new(self, wanted: str) -> str:
        made = new_id(wanted, self._taken)
        self._taken.add(made)
        return made

    def _flow(self, flows: dict[str, SequenceFlow], source: str, target: str) -> SequenceFlow:
        flow = SequenceFlow(
            flow_id=self._new(f"flow_{source}_{target}"), source=StepKey(source), target=StepKey(target)
        )
        flows[flow.flow_id] = flow
        return flow

    def _node(self, nodes: dict[str, FlowNode], wanted: str, kind: NodeKind, drawn: str, name: str = "") -> FlowNode:
        event = NoneEvent() if kind in EVENTS else None
        node = FlowNode(element_id=StepKey(self._new(wanted)), kind=kind, drawn_id=drawn, name=name, event=event)
        nodes[node.element_id] = node
        return node

    def _join_links(self, nodes: dict[str, FlowNode], flows: dict[str, SequenceFlow]) -> None:
        ends = [(key, self._links[key]) for key in nodes if key in self._links]
        for key, end in ends:
            nodes[key] = replace(nodes[key], kind=NodeKind.INTERMEDIATE_THROW_EVENT)
            if end.is_throw:
                for other, catch in ends:
                    if not catch.is_throw and catch.name == end.name:
                        self._flow(flows, key, other)

    def _add_start(self, scope: Scope, nodes: dict[str, FlowNode], flows: dict[str, SequenceFlow]) -> None:
        if any(node.kind is NodeKind.START_EVENT for node in nodes.values()):
            return
        entered = {flow.target for flow in flows.values()}
        entries = [
            key for key, node in nodes.items() if key not in entered and node.kind is not NodeKind.BOUNDARY_EVENT
        ]
        start = self._node(nodes, f"{scope.scope_id}_start", NodeKind.START_EVENT, scope.scope_id)
        for entry in entries:
            self._flow(flows, start.element_id, entry)

    def _add_end(self, scope: Scope, nodes: dict[str, FlowNode], flows: dict[str, SequenceFlow]) -> None:
        left = {flow.source for flow in flows.values()}
        leaves = [key for key, node in nodes.items() if key not in left and node.kind is not NodeKind.END_EVENT]
        if leaves:
            end = self._node(nodes, f"{scope.scope_id}_end", NodeKind.END_EVENT, scope.scope_id)
            for leaf in leaves:
                self._flow(flows, leaf, end.element_id)

    def _split(
        self, node: FlowNode, outgoing: list[SequenceFlow], nodes: dict[str, FlowNode], flows: dict[str, SequenceFlow]
    ) -> None:
        if node.kind not in ACTIVITIES | EVENTS:
            return
        conditional = [flow for flow in outgoing if flow.condition or flow.flow_id == node.default_flow]
        plain = [flow for flow in outgoing if flow not in conditional]
        if len(outgoing) <= 1 and not any(flow.condition for flow in outgoing):
            nodes[node.element_id] = replace(node, default_flow=None)
            return
        nodes[node.element_id] = replace(node, default_flow=None)
        if not conditional:
            self._gateway(node, NodeKind.PARALLEL_GATEWAY, plain, nodes, flows)
        elif plain and node.default_flow is not None:
            # The default is taken when no *condition* holds, whatever flows without condition there are (8.4.13).
            choice = self._gateway(node, NodeKind.INCLUSIVE_GATEWAY, conditional, nodes, flows, is_entered=False)
            split = self._gateway(node, NodeKind.PARALLEL_GATEWAY, plain, nodes, flows)
            self._flow(flows, split, choice)
        else:
            for flow in plain:
                always = Expression(text="true", element_id=flow.flow_id, place="condition")
                flows[flow.flow_id] = replace(flow, condition=always)
            both = [flows[flow.flow_id] for flow in outgoing]
            self._gateway(node, NodeKind.INCLUSIVE_GATEWAY, both, nodes, flows)

    def _gateway(
        self,
        node: FlowNode,
        kind: NodeKind,
        outgoing: list[SequenceFlow],
        nodes: dict[str, FlowNode],
        flows: dict[str, SequenceFlow],
        *,
        is_entered: bool = True,
    ) -> str:
        wanted = f"{node.element_id}_{'split' if is_entered else 'choice'}"
        gateway = self._node(nodes, wanted, kind, node.drawn_id)
        moved = {flow.flow_id for flow in outgoing}
        if node.default_flow in moved:
            nodes[gateway.element_id] = replace(gateway, default_flow=node.default_flow)
        for flow in outgoing:
            flows[flow.flow_id] = replace(flow, source=gateway.element_id)
        if is_entered:
            self._flow(flows, node.element_id, gateway.element_id)
        return gateway.element_id

    def _drop_default_conditions(self, nodes: Mapping[str, FlowNode], flows: dict[str, SequenceFlow]) -> None:
        """A default flow's own condition is not evaluated (BPMN 2.0.2, 8.4.13)."""
        for node in nodes.values():
            if node.default_flow is not None and node.default_flow in flows:
                flows[node.default_flow] = replace(flows[node.default_flow], condition=None)

    def _rename(self, nodes: dict[str, FlowNode], flows: dict[str, SequenceFlow]) -> None:
        renamed = {key: self._new(f"{key}_") for key in nodes if is_reserved(key)}
        if not renamed:
            return
        for key, node in list(nodes.items()):
            attached = renamed.get(node.attached_to or "", node.attached_to)
            nodes[key] = replace(node, element_id=StepKey(renamed.get(key, key)), attached_to=attached)
        in_order = list(nodes.values())
        nodes.clear()
        for node in in_order:
            nodes[node.element_id] = node
        for key, flow in flows.items():
            flows[key] = replace(
                flow,
                source=StepKey(renamed.get(flow.source, flow.source)),
                target=StepKey(renamed.get(flow.target, flow.target)),
            )


def _connected(nodes: Mapping[str, FlowNode], flows: Mapping[str, SequenceFlow]) -> dict[str, FlowNode]:
    incoming: dict[str, list[str]] = {key: [] for key in nodes}
    outgoing: dict[str, list[str]] = {key: [] for key in nodes}
    for flow in flows.values():
        incoming[flow.target].append(flow.flow_id)
        outgoing[flow.source].append(flow.flow_id)
    return {
        key: replace(node, incoming=tuple(incoming[key]), outgoing=tuple(outgoing[key])) for key, node in nodes.items()
    }
