"""The token game of a definition: how tokens can move through the drawing, data left out (BPMN 2.0.2, 13.3).

Every choice that data decides is open, so that each real run is one of the game's. Positions are values; a marking is a
sorted tuple of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations
from typing import NamedTuple

from engine.model.definition import Definition
from engine.model.graph import (
    ErrorEvent,
    FlowNode,
    MessageEvent,
    MultiInstance,
    NodeKind,
    NoneEvent,
    Scope,
    StandardLoop,
    TerminateEvent,
)

#: An inclusive gateway with more optional flows than this is explored by single flows, pairs and all together.
_MOST_SUBSETS_OF = 4
_TASKS = frozenset(
    {
        NodeKind.TASK,
        NodeKind.MANUAL_TASK,
        NodeKind.USER_TASK,
        NodeKind.SERVICE_TASK,
        NodeKind.SEND_TASK,
        NodeKind.RECEIVE_TASK,
        NodeKind.SCRIPT_TASK,
        NodeKind.BUSINESS_RULE_TASK,
    }
)


class Standing(IntEnum):
    """What a token does where it is."""

    #: About to enter a node: the status of the node is entered with it.
    ENTERING = 0
    #: In a node.
    INSIDE = 1
    #: Arrived at a join over one of its flows.
    AT_JOIN = 2
    #: A non-interrupting boundary event that can fire.
    ARMED = 3


#: Ids of the sub-processes and call activities around a scope, outermost first.
Path = tuple[str, ...]


class Position(NamedTuple):
    """One token: in which scope, doing what, where (a node's id, or a flow's for ``AT_JOIN``)."""

    path: Path
    standing: Standing
    where: str


Marking = tuple[Position, ...]


@dataclass(frozen=True, kw_only=True)
class Move:
    """One step: the marking after it.

    ``entered`` is set where a node was entered, ``fired_join`` where a join let its tokens through, ``failed`` where an
    error left the process uncaught. ``is_local`` says that the step neither hinders nor is hindered by other tokens.
    """

    marking: Marking
    entered: FlowNode | None = None
    fired_join: str | None = None
    failed: FlowNode | None = None
    is_local: bool = True


class TokenGame:
    """The moves of one definition."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._scopes: dict[Path, Scope] = {}
        self._attached: dict[Path, dict[str, tuple[FlowNode, ...]]] = {}
        self._reach: dict[Path, Mapping[str, frozenset[str]]] = {}

    def start(self, node: FlowNode) -> Marking:
        """Return the marking of an instance with one token before a node of the process itself."""
        return (Position((), Standing.ENTERING, node.element_id),)

    def scope(self, path: Path) -> Scope:
        """Return the scope at the end of a path: a process, or the inside of a sub-process or called process."""
        found = self._scopes.get(path)
        if found is None:
            if not path:
                found = self._definition.process
            else:
                node = self.scope(path[:-1]).nodes[path[-1]]
                found = node.inner or self._called(node)
            self._scopes[path] = found
        return found

    def node(self, position: Position) -> FlowNode:
        """Return the node of a position; for a token at a join, the join."""
        scope = self.scope(position.path)
        if position.standing is Standing.AT_JOIN:
            return scope.nodes[scope.flows[position.where].target]
        return scope.nodes[position.where]

    def _boundary_events(self, path: Path, node: FlowNode) -> tuple[FlowNode, ...]:
        found = self._attached.get(path)
        if found is None:
            found = dict[str, tuple[FlowNode, ...]]()
            for each in self.scope(path).nodes.values():
                if each.attached_to is not None:
                    found[each.attached_to] = (*found.get(each.attached_to, ()), each)
            self._attached[path] = found
        return found.get(node.element_id, ())

    def _called(self, node: FlowNode) -> Scope:
        called = node.called_process or ""
        if called == self._definition.process.scope_id:
            return self._definition.process
        return self._definition.called[called]

    # --- moves ---------------------------------------------------------------------------------------------------

    def moves(self, marking: Marking) -> Iterator[tuple[Position, tuple[Move, ...]]]:
        """Go over the moves by token: those of one token are alternatives to each other."""
        for position in dict.fromkeys(marking):
            group = tuple(self._moves_of(position, marking))
            if group:
                yield position, group

    def _moves_of(self, position: Position, marking: Marking) -> Iterator[Move]:
        match position.standing:
            case Standing.ENTERING:
                yield self._enter(position, marking)
            case Standing.AT_JOIN:
                yield from self._join(position, marking)
            case Standing.INSIDE:
                yield from self._leave(position, marking)
            case Standing.ARMED:
                # Fires as an alternative of the activity it is attached to.
                return

    def _enter(self, position: Position, marking: Marking) -> Move:
        node = self.node(position)
        added = [Position(position.path, Standing.INSIDE, position.where)]
        for boundary in self._boundary_events(position.path, node):
            if not boundary.is_interrupting:
                added += [Position(position.path, Standing.ARMED, boundary.element_id)] * _firings(boundary)
        if self._is_scope(node) and _must_run(node):
            added.append(self._inner_start(position, node))
        return Move(marking=_with(_without(marking, position), *added), entered=node)

    def _inner_start(self, position: Position, node: FlowNode) -> Position:
        path = (*position.path, node.element_id)
        start = next(each for each in self.scope(path).starts() if isinstance(each.event, NoneEvent))
        return Position(path, Standing.ENTERING, start.element_id)

    def _is_scope(self, node: FlowNode) -> bool:
        return node.kind in (NodeKind.SUB_PROCESS, NodeKind.CALL_ACTIVITY)

    def _out(self, path: Path, node: FlowNode, flow_ids: Iterable[str]) -> list[Position]:
        scope = self.scope(path)
        positions: list[Position] = []
        for flow_id in flow_ids:
            target = scope.nodes[scope.flows[flow_id].target]
            if is_join(target):
                positions.append(Position(path, Standing.AT_JOIN, flow_id))
            else:
                positions.append(Position(path, Standing.ENTERING, target.element_id))
        return positions

    def _leave(self, position: Position, marking: Marking) -> Iterator[Move]:
        node = self.node(position)
        if node.kind is NodeKind.END_EVENT:
            yield self._end(position, node, marking)
            return
        if self._is_scope(node):
            yield from self._leave_scope(position, node, marking)
            return
        alone = _without(marking, position)
        for flows in _choices(node, self.scope(position.path)):
            after = self._disarm(alone, position.path, node)
            yield Move(marking=_with(after, *self._out(position.path, node, flows)))
        if node.kind in _TASKS:
            yield from self._interrupts(position, node, marking, is_local=True)

    def _leave_scope(self, position: Position, node: FlowNode, marking: Marking) -> Iterator[Move]:
        path = (*position.path, node.element_id)
        is_running = any(each.path[: len(path)] == path for each in marking)
        if not is_running:
            after = self._disarm(_without(marking, position), position.path, node)
            yield Move(marking=_with(after, *self._out(position.path, node, node.outgoing)))
            if node.loop is not None:
                yield Move(marking=_with(marking, self._inner_start(position, node)))
        yield from self._interrupts(position, node, marking, is_local=not is_running)

    def _interrupts(self, position: Position, node: FlowNode, marking: Marking, *, is_local: bool) -> Iterator[Move]:
        for boundary in self._boundary_events(position.path, node):
            entering = Position(position.path, Standing.ENTERING, boundary.element_id)
            armed = Position(position.path, Standing.ARMED, boundary.element_id)
            if boundary.is_interrupting:
                after = self._kill(marking, position, node)
                yield Move(marking=_with(after, entering), is_local=is_local)
            elif armed in marking:
                yield Move(marking=_with(_without(marking, armed), entering), is_local=is_local)

    def _kill(self, marking: Marking, position: Position, node: FlowNode) -> Marking:
        path = (*position.path, node.element_id)
        rest = tuple(each for each in _without(marking, position) if each.path[: len(path)] != path)
        return self._disarm(rest, position.path, node)

    def _disarm(self, marking: Marking, path: Path, node: FlowNode) -> Marking:
        armed = {Position(path, Standing.ARMED, each.element_id) for each in self._boundary_events(path, node)}
        return tuple(each for each in marking if each not in armed) if armed else marking

    def _end(self, position: Position, node: FlowNode, marking: Marking) -> Move:
        after = _without(marking, position)
        if isinstance(node.event, ErrorEvent):
            return self._throw(position, node, marking)
        if isinstance(node.event, TerminateEvent):
            inside = tuple(each for each in after if each.path[: len(position.path)] != position.path)
            return Move(marking=inside, is_local=inside == after)
        return Move(marking=after)

    def _throw(self, position: Position, node: FlowNode, marking: Marking) -> Move:
        code = node.event.code if isinstance(node.event, ErrorEvent) else None
        path = position.path
        while path:
            around, host_id = path[:-1], path[-1]
            host = self.scope(around).nodes[host_id]
            caught = [
                (boundary.event.code is None, boundary)
                for boundary in self._boundary_events(around, host)
                if isinstance(boundary.event, ErrorEvent) and boundary.event.code in (None, code)
            ]
            if caught:
                boundary = min(caught, key=lambda each: each[0])[1]
                after = self._kill(marking, Position(around, Standing.INSIDE, host_id), host)
                entering = Position(around, Standing.ENTERING, boundary.element_id)
                return Move(marking=_with(after, entering), is_local=len(marking) == len(path) + 1)
            path = around
        return Move(marking=(), failed=node, is_local=len(marking) == len(position.path) + 1)

    # --- joins ---------------------------------------------------------------------------------------------------

    def _join(self, position: Position, marking: Marking) -> Iterator[Move]:
        gateway = self.node(position)
        arrived = {
            each.where
            for each in marking
            if each.path == position.path and each.standing is Standing.AT_JOIN and each.where in gateway.incoming
        }
        if min(arrived) != position.where:
            return
        if gateway.kind is NodeKind.PARALLEL_GATEWAY and len(arrived) < len(gateway.incoming):
            return
        if gateway.kind is NodeKind.INCLUSIVE_GATEWAY and self._others_can_come(position, gateway, arrived, marking):
            return
        after = marking
        for flow_id in arrived:
            after = _without(after, Position(position.path, Standing.AT_JOIN, flow_id))
        entering = Position(position.path, Standing.ENTERING, gateway.element_id)
        yield Move(marking=_with(after, entering), fired_join=gateway.element_id)

    def _others_can_come(self, position: Position, gateway: FlowNode, arrived: set[str], marking: Marking) -> bool:
        """Whether an inclusive join waits on (BPMN 2.0.2, 13.3.3).

        It does while a token can reach a flow without a token but no flow with one, not passing the gateway itself.
        """
        reach = self._reachable_flows(position.path)
        missing = set(gateway.incoming) - arrived
        for each in marking:
            if each.path[: len(position.path)] != position.path or each == position:
                continue
            at = each.path[len(position.path)] if len(each.path) > len(position.path) else each.where
            if each.standing is Standing.AT_JOIN and len(each.path) == len(position.path):
                if each.where in gateway.incoming:
                    continue
                at = self.scope(position.path).flows[each.where].target
            comes = reach.get(at, frozenset())
            if comes & missing and not comes & arrived:
                return True
        return False

    def _reachable_flows(self, path: Path) -> Mapping[str, frozenset[str]]:
        """Flows into joins that a token in a node can come over, by node; ways through the join itself left out."""
        found = self._reach.get(path)
        if found is None:
            scope = self.scope(path)
            reach: dict[str, set[str]] = {key: set() for key in scope.nodes}
            for join in scope.nodes.values():
                if is_join(join):
                    for flow_id in join.incoming:
                        for key in _sources(scope, flow_id, join.element_id):
                            reach[key].add(flow_id)
            found = {key: frozenset(flows) for key, flows in reach.items()}
            self._reach[path] = found
        return found


def is_join(node: FlowNode) -> bool:
    """Whether a gateway waits for several tokens."""
    return node.kind in (NodeKind.PARALLEL_GATEWAY, NodeKind.INCLUSIVE_GATEWAY) and len(node.incoming) > 1


def _firings(boundary: FlowNode) -> int:
    """Return how often a non-interrupting boundary event is explored to fire while its activity is open.

    A timer fires once. Messages come any number of times; each two of the tokens that they send out meet each other as
    any two do, and what is looked for - a status after a status, a write in a status - concerns two tokens.
    """
    return 2 if isinstance(boundary.event, MessageEvent) else 1


def _must_run(node: FlowNode) -> bool:
    """Whether the inside of a scope runs at least once."""
    match node.loop:
        case StandardLoop(is_tested_before=is_tested_before):
            return not is_tested_before
        case MultiInstance():
            return False
        case _:
            return True


def _sources(scope: Scope, flow_id: str, barrier: str) -> set[str]:
    """Return the nodes from which a token can come to a flow without passing the barrier."""
    found: set[str] = set()
    todo: list[str] = [scope.flows[flow_id].source]
    while todo:
        key = todo.pop()
        if key in found or key == barrier:
            continue
        found.add(key)
        node = scope.nodes[key]
        todo.extend(scope.flows[each].source for each in node.incoming)
        if node.attached_to is not None:
            todo.append(node.attached_to)
    return found


def _choices(node: FlowNode, scope: Scope) -> Iterator[tuple[str, ...]]:
    match node.kind:
        case NodeKind.EXCLUSIVE_GATEWAY | NodeKind.EVENT_BASED_GATEWAY:
            yield from ((flow_id,) for flow_id in node.outgoing)
        case NodeKind.INCLUSIVE_GATEWAY:
            yield from _inclusive_choices(node, scope)
        case _:
            yield node.outgoing


def _inclusive_choices(node: FlowNode, scope: Scope) -> Iterator[tuple[str, ...]]:
    conditions = {flow_id: scope.flows[flow_id].condition for flow_id in node.outgoing}
    always = tuple(
        flow_id
        for flow_id, condition in conditions.items()
        if flow_id != node.default_flow and (condition is None or condition.text == "true")
    )
    optional = [flow_id for flow_id in node.outgoing if flow_id not in always and flow_id != node.default_flow]
    sizes = range(len(optional) + 1) if len(optional) <= _MOST_SUBSETS_OF else (0, 1, 2, len(optional))
    for size in sizes:
        for chosen in combinations(optional, size):
            if always or chosen:
                yield always + chosen
    if node.default_flow is not None and not always:
        yield (node.default_flow,)


def _with(marking: Marking, *added: Position) -> Marking:
    return tuple(sorted(marking + added))


def _without(marking: Marking, position: Position) -> Marking:
    index = marking.index(position)
    return marking[:index] + marking[index + 1 :]
