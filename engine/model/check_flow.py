"""Checks how the nodes of a scope are connected (BPMN 2.0.2, 8.4.13, 10.5 and 10.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.model import check_rules, rules
from engine.model.bpmn_scopes import ACTIVITIES, EVENTS
from engine.model.definition import Definition
from engine.model.findings import Findings, Place
from engine.model.graph import FlowNode, MessageEvent, NodeKind, NoneEvent, Scope, SequenceFlow, TimerEvent
from engine.model.reader import every_node

_DECIDING = frozenset({NodeKind.EXCLUSIVE_GATEWAY, NodeKind.INCLUSIVE_GATEWAY})


@dataclass(frozen=True, kw_only=True)
class FlowCheck:
    """Checks the scopes of one definition."""

    definition: Definition
    places: Mapping[str, Place]
    findings: Findings

    def check(self) -> None:
        """Check every process and sub-process of the definition."""
        for scope in (self.definition.process, *self.definition.called.values()):
            self._scope(scope, is_inside=False)
        self._calls()

    def _place(self, identifier: str) -> Place:
        return self.places.get(identifier, Place(file="process.bpmn", element_id=identifier))

    def _scope(self, scope: Scope, *, is_inside: bool) -> None:
        self._reachable(scope)
        self._starts(scope, is_inside=is_inside)
        for node in scope.nodes.values():
            self._ends(node)
            self._conditions(scope, node)
            if node.kind is NodeKind.EVENT_BASED_GATEWAY:
                self._event_gateway(scope, node)
            if node.kind in ACTIVITIES and len(node.incoming) > 1:
                place = self._place(node.element_id)
                self.findings.add(check_rules.SEVERAL_INCOMING, place, count=len(node.incoming))
            if node.inner is not None:
                self._scope(node.inner, is_inside=True)

    def _reachable(self, scope: Scope) -> None:
        found: set[str] = set()
        todo = [node.element_id for node in scope.starts()]
        attached: dict[str, list[FlowNode]] = {}
        for node in scope.nodes.values():
            if node.attached_to is not None:
                attached.setdefault(node.attached_to, []).append(node)
        while todo:
            key = todo.pop()
            if key in found:
                continue
            found.add(key)
            todo.extend(scope.flows[flow_id].target for flow_id in scope.nodes[key].outgoing)
            todo.extend(node.element_id for node in attached.get(key, ()))
        for key, node in scope.nodes.items():
            is_inserted = node.drawn_id != key and (
                node.drawn_id in self.definition.nodes or node.drawn_id == scope.scope_id
            )
            if key not in found and not is_inserted:
                self.findings.add(check_rules.UNREACHABLE, self._place(key))

    def _starts(self, scope: Scope, *, is_inside: bool) -> None:
        plain = [node for node in scope.starts() if isinstance(node.event, NoneEvent)]
        if len(plain) > 1:
            kind = "sub-process" if is_inside else "process"
            for node in plain[1:]:
                place = self._place(node.element_id)
                self.findings.add(check_rules.SEVERAL_STARTS, place, scope=kind, count=len(plain))

    def _ends(self, node: FlowNode) -> None:
        place = self._place(node.element_id)
        if node.kind is NodeKind.START_EVENT and node.incoming:
            self.findings.add(check_rules.START_WITH_INCOMING, place)
        if node.kind is NodeKind.BOUNDARY_EVENT and node.incoming:
            self.findings.add(check_rules.BOUNDARY_WITH_INCOMING, place)
        if node.kind is NodeKind.END_EVENT and node.outgoing:
            self.findings.add(check_rules.END_WITH_OUTGOING, place)

    def _conditions(self, scope: Scope, node: FlowNode) -> None:
        drawn = self.definition.nodes.get(node.drawn_id, node)
        flows = [scope.flows[flow_id] for flow_id in node.outgoing]
        if node.kind not in _DECIDING or drawn.kind in EVENTS:
            for flow in flows:
                if flow.condition is not None and flow.condition.text != "true":
                    place = self._place(flow.flow_id)
                    self.findings.add(check_rules.CONDITION_NOT_HERE, place, kind=drawn.kind)
        is_inserted = node.element_id != node.drawn_id
        if is_inserted and len(flows) == 1 and flows[0].condition is not None and drawn.kind in ACTIVITIES:
            self.findings.add(check_rules.ONLY_FLOW_CONDITIONAL, self._place(node.element_id))
        if node.kind in _DECIDING and not is_inserted:
            self._decision(node, flows)

    def _decision(self, node: FlowNode, flows: list[SequenceFlow]) -> None:
        if len(flows) < 2:
            return
        for flow in flows:
            if flow.condition is None and flow.flow_id != node.default_flow:
                place = self._place(flow.flow_id)
                self.findings.add(check_rules.CONDITION_MISSING, place, kind=node.kind)

    def _event_gateway(self, scope: Scope, node: FlowNode) -> None:
        place = self._place(node.element_id)
        if len(node.outgoing) < 2:
            self.findings.add(check_rules.EVENT_GATEWAY_FLOWS, place, count=len(node.outgoing))
        for flow_id in node.outgoing:
            target = scope.nodes[scope.flows[flow_id].target]
            is_catch = target.kind is NodeKind.INTERMEDIATE_CATCH_EVENT
            if not is_catch or not isinstance(target.event, (MessageEvent, TimerEvent)):
                self.findings.add(check_rules.EVENT_GATEWAY_TARGET, place, target=target.drawn_id)
            if len(target.incoming) > 1:
                self.findings.add(check_rules.EVENT_GATEWAY_SHARED, place, target=target.drawn_id)

    # --- calls ---------------------------------------------------------------------------------------------------

    def _calls(self) -> None:
        processes = {self.definition.process.scope_id: self.definition.process, **self.definition.called}
        calls: dict[str, list[str]] = {key: [] for key in processes}
        for key, scope in processes.items():
            for node in every_node(scope):
                if node.kind is not NodeKind.CALL_ACTIVITY or node.called_process is None:
                    continue
                called = processes.get(node.called_process)
                place = self._place(node.element_id)
                if called is None:
                    self.findings.add(rules.CALLED_PROCESS_UNKNOWN, place, called=node.called_process)
                    continue
                calls[key].append(node.called_process)
                if not any(isinstance(start.event, NoneEvent) for start in called.starts()):
                    self.findings.add(rules.CALL_NEEDS_NONE_START, place, called=node.called_process)
        for key in processes:
            circle = _circle(key, calls)
            if circle:
                self.findings.add(rules.CALL_RECURSION, self._place(key), path=" → ".join(circle))


def _circle(start: str, calls: Mapping[str, list[str]]) -> list[str]:
    """Return a way of calls from a process back to itself, or nothing."""
    ways = [[start, called] for called in calls[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        if way[-1] == start:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            ways.extend([*way, called] for called in calls[way[-1]])
    return []
