"""Reads a process or sub-process into the typed graph, as drawn (BPMN 2.0.2, 8.4 and 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.contract.ids import StepKey
from engine.model import rules
from engine.model.bpmn_activities import ActivityReader, form_binding
from engine.model.bpmn_allowed import REFUSED
from engine.model.bpmn_document import Library, local_reference, place_of
from engine.model.bpmn_events import EventReader, LinkEnd
from engine.model.bpmn_expressions import read_expression
from engine.model.extension_reader import GivenAll, read_extensions
from engine.model.findings import Findings, Place
from engine.model.graph import (
    DataObject,
    ErrorEvent,
    EventDefinition,
    FlowNode,
    NodeKind,
    NoneEvent,
    Scope,
    SequenceFlow,
    TaskSettings,
)
from engine.model.safe_xml import Element

#: The kinds a boundary event can be attached to, and that can loop.
ACTIVITIES = frozenset(
    {
        NodeKind.TASK,
        NodeKind.MANUAL_TASK,
        NodeKind.USER_TASK,
        NodeKind.SERVICE_TASK,
        NodeKind.SEND_TASK,
        NodeKind.RECEIVE_TASK,
        NodeKind.SCRIPT_TASK,
        NodeKind.BUSINESS_RULE_TASK,
        NodeKind.SUB_PROCESS,
        NodeKind.CALL_ACTIVITY,
    }
)
EVENTS = frozenset(
    {
        NodeKind.START_EVENT,
        NodeKind.END_EVENT,
        NodeKind.INTERMEDIATE_CATCH_EVENT,
        NodeKind.INTERMEDIATE_THROW_EVENT,
        NodeKind.BOUNDARY_EVENT,
    }
)
_KINDS: Mapping[str, NodeKind] = {kind.value: kind for kind in NodeKind}


@dataclass(frozen=True, kw_only=True)
class DrawnScope:
    """A scope as drawn, with the ends of links that the typed graph has no place for, by node id."""

    scope: Scope
    links: Mapping[str, LinkEnd] = field(default_factory=dict[str, LinkEnd])


class ScopeReader:
    """Reads scopes; ``places`` tells where each element that was read stands."""

    def __init__(self, library: Library, findings: Findings) -> None:
        self._library = library
        self._findings = findings
        self._events = EventReader(library=library, findings=findings)
        self._activities = ActivityReader(library=library, findings=findings, events=self._events)
        self.places: dict[str, Place] = {}

    def read(self, element: Element, around: Place, *, is_inside: bool = False) -> DrawnScope:
        """Return a process or, ``is_inside``, the inside of a sub-process."""
        place = place_of(element, around)
        lanes = _lanes(element)
        links: dict[str, LinkEnd] = {}
        nodes: dict[str, FlowNode] = {}
        for child in element.children:
            kind = _KINDS.get(child.name)
            if not child.is_bpmn() or kind is None:
                continue
            inside = place_of(child, place)
            if not child.get("id"):
                self._findings.add(rules.MISSING_ID, inside, kind=kind)
                continue
            self.places.setdefault(child.get("id"), inside)
            node = self._node(child, kind, inside, lanes.get(child.get("id")), links, is_inside=is_inside)
            nodes.setdefault(node.element_id, node)
        flows = self._flows(element, nodes, place)
        connected = _connected(nodes, flows)
        for child in element.children:
            if child.is_bpmn() and child.name in _KINDS and child.get("id") in connected:
                self._check_node(connected[child.get("id")], connected, child)
        scope = Scope(
            scope_id=element.get("id"),
            name=element.get("name"),
            nodes=connected,
            flows=flows,
            data_objects=self._data_objects(element, place),
        )
        return DrawnScope(scope=scope, links=links)

    # --- nodes ---------------------------------------------------------------------------------------------------

    def _node(
        self,
        element: Element,
        kind: NodeKind,
        place: Place,
        lane: str | None,
        links: dict[str, LinkEnd],
        *,
        is_inside: bool,
    ) -> FlowNode:
        given = read_extensions(element.every("extensionElements"), element.name, place, self._findings)
        status = given.one("status")
        node = FlowNode(
            element_id=StepKey(element.get("id")),
            kind=kind,
            name=element.get("name"),
            drawn_id=element.get("id"),
            lane=lane,
            documentation="\n\n".join(each.text for each in element.every("documentation") if each.text),
            documentation_texts={each.values.get("language", ""): each.text for each in given.every("documentation")},
            status=status.values.get("name") if status else None,
            default_flow=element.get("default") or None,
        )
        if kind in EVENTS:
            return self._event(element, node, place, given, links, is_inside=is_inside)
        if kind is NodeKind.SUB_PROCESS:
            return self._sub_process(element, node, place, links)
        if kind in ACTIVITIES:
            activity = self._activities.read(element, kind, place, given, lane)
            return replace(
                node,
                event=activity.event,
                operation=activity.operation,
                decision=activity.decision,
                task=activity.task,
                script=activity.script,
                script_language=activity.script_language,
                called_process=activity.called_process,
                loop=self._activities.loop(element, place),
            )
        return self._gateway(element, node, place)

    def _event(
        self,
        element: Element,
        node: FlowNode,
        place: Place,
        given: GivenAll,
        links: dict[str, LinkEnd],
        *,
        is_inside: bool,
    ) -> FlowNode:
        read = self._events.read(element, node.kind, place, given, is_inside=is_inside)
        event: EventDefinition
        if isinstance(read, LinkEnd):
            links[node.element_id] = read
            event = NoneEvent()
        else:
            event = read
        form = form_binding(given)
        is_interrupting = element.get("cancelActivity") != "false"
        if node.kind is NodeKind.BOUNDARY_EVENT and isinstance(event, ErrorEvent) and not is_interrupting:
            self._findings.add(rules.ERROR_NEVER_CONTINUES, place)
        return replace(
            node,
            event=event,
            attached_to=local_reference(element.get("attachedToRef")) or None,
            is_interrupting=is_interrupting,
            task=TaskSettings(form=form) if form is not None else None,
        )

    def _sub_process(self, element: Element, node: FlowNode, place: Place, links: dict[str, LinkEnd]) -> FlowNode:
        if element.get("triggeredByEvent") == "true":
            self._findings.add(rules.EVENT_SUB_PROCESS, place)
        self._activities.read(element, node.kind, place, GivenAll(), None)
        inner = self.read(element, place, is_inside=True)
        links.update(inner.links)
        return replace(node, inner=inner.scope, loop=self._activities.loop(element, place))

    def _gateway(self, element: Element, node: FlowNode, place: Place) -> FlowNode:
        if element.get("instantiate") == "true" or element.get("eventGatewayType") == "Parallel":
            self._findings.add(rules.INSTANTIATING_GATEWAY, place)
        return node

    # --- flows ---------------------------------------------------------------------------------------------------

    def _flows(self, element: Element, nodes: Mapping[str, FlowNode], around: Place) -> dict[str, SequenceFlow]:
        flows: dict[str, SequenceFlow] = {}
        taken = set(self._library.elements)
        for child in element.every("sequenceFlow"):
            place = place_of(child, around)
            ends = {name: local_reference(child.get(name)) for name in ("sourceRef", "targetRef")}
            lost = [name for name, target in ends.items() if target not in nodes]
            for name in lost:
                if self._is_refused(ends[name]):
                    continue
                self._findings.add(rules.FLOW_END, place, attribute=name, target=ends[name] or "nothing")
            if lost:
                continue
            flow_id = child.get("id") or new_id(f"flow_{ends['sourceRef']}_{ends['targetRef']}", taken)
            taken.add(flow_id)
            self.places.setdefault(flow_id, replace(place, element_id=flow_id))
            condition = child.one("conditionExpression")
            if condition is not None and not condition.text:
                self._findings.add(rules.EMPTY_CONDITION, place)
            flows[flow_id] = SequenceFlow(
                flow_id=flow_id,
                source=StepKey(ends["sourceRef"]),
                target=StepKey(ends["targetRef"]),
                name=child.get("name"),
                condition=read_expression(condition, replace(place, element_id=flow_id), self._findings, "condition"),
            )
        return flows

    def _check_node(self, node: FlowNode, nodes: Mapping[str, FlowNode], drawn: Element) -> None:
        place = self.places[node.element_id]
        if node.default_flow is not None and node.default_flow not in node.outgoing:
            self._findings.add(rules.BAD_DEFAULT, place, flow=node.default_flow)
        if node.kind is NodeKind.BOUNDARY_EVENT:
            host = nodes.get(node.attached_to or "")
            is_lost = host is None and not self._is_refused(node.attached_to or "")
            if is_lost or (host is not None and host.kind not in ACTIVITIES):
                self._findings.add(rules.BOUNDARY_ON_THIS, place, host=node.attached_to or "nothing")
        direction = drawn.get("gatewayDirection")
        if not _fits(direction, len(node.incoming), len(node.outgoing)):
            self._findings.add(rules.GATEWAY_DIRECTION, place, direction=direction)
        for name, flows in (("incoming", node.incoming), ("outgoing", node.outgoing)):
            lost = {local_reference(each.text) for each in drawn.every(name)} - set(flows)
            if lost:
                self._findings.add(rules.FLOW_LIST, place, list=name, flows=", ".join(sorted(lost)))

    def _is_refused(self, element_id: str) -> bool:
        """Whether the element is one that findings name already, so that its flows need none of their own."""
        named = self._library.elements.get(element_id)
        return named is not None and named.name in REFUSED

    def _data_objects(self, element: Element, around: Place) -> dict[str, DataObject]:
        labels = {
            local_reference(each.get("dataObjectRef")): each.get("name")
            for each in element.every("dataObjectReference")
        }
        for each in element.every("dataObjectReference"):
            target = local_reference(each.get("dataObjectRef"))
            named = self._library.elements.get(target)
            if named is None or named.name != "dataObject":
                self._findings.add(
                    rules.UNKNOWN_REFERENCE,
                    place_of(each, around),
                    attribute="dataObjectRef",
                    target=target or "nothing",
                    wanted="data object",
                )
        return {
            each.get("id"): DataObject(
                object_id=each.get("id"),
                name=each.get("name") or labels.get(each.get("id")) or each.get("id"),
                is_collection=each.get("isCollection") == "true",
            )
            for each in element.every("dataObject")
            if each.get("id")
        }


def _connected(nodes: Mapping[str, FlowNode], flows: Mapping[str, SequenceFlow]) -> dict[str, FlowNode]:
    incoming: dict[str, list[str]] = {key: [] for key in nodes}
    outgoing: dict[str, list[str]] = {key: [] for key in nodes}
    for flow in flows.values():
        incoming[flow.target].append(flow.flow_id)
        outgoing[flow.source].append(flow.flow_id)
    return {
        key: replace(node, incoming=tuple(incoming[key]), outgoing=tuple(outgoing[key])) for key, node in nodes.items()
    }


def _fits(direction: str, incoming_count: int, outgoing_count: int) -> bool:
    """Whether ``gatewayDirection`` agrees with the flows (BPMN 2.0.2, 8.4.9)."""
    match direction:
        case "Converging":
            return outgoing_count <= 1
        case "Diverging":
            return incoming_count <= 1
        case "Mixed":
            return incoming_count > 1 and outgoing_count > 1
        case _:
            return True


def new_id(wanted: str, taken: set[str]) -> str:
    """Return an id that nothing has yet, as near to the wanted one as can be."""
    number, candidate = 1, wanted
    while candidate in taken:
        number += 1
        candidate = f"{wanted}_{number}"
    return candidate


def _lanes(element: Element) -> dict[str, str]:
    """Return the name of the innermost lane by node id."""
    found: dict[str, str] = {}

    def visit(holder: Element) -> None:
        for lane in holder.every("lane"):
            for reference in lane.every("flowNodeRef"):
                found[local_reference(reference.text)] = lane.get("name") or lane.get("id")
            for inner in lane.every("childLaneSet"):
                visit(inner)

    for lanes in element.every("laneSet"):
        visit(lanes)
    return found
