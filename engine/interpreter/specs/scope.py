"""What is drawn in a process, a sub-process or a called process: its nodes, joined by their sequence flows."""

from __future__ import annotations

from collections.abc import Mapping

from SpiffWorkflow.bpmn.specs.bpmn_process_spec import BpmnProcessSpec
from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec

from engine.interpreter.expressions import Formula
from engine.interpreter.specs.events import BoundarySpec
from engine.interpreter.specs.gateways import InclusiveGatewaySpec
from engine.interpreter.specs.node import Exit, NodeSpec
from engine.interpreter.tokens import Scope as RunningScope
from engine.model.graph import FlowNode, NoneEvent, Scope


class ScopeSpec(BpmnProcessSpec):
    """The specification of a process, a sub-process or a called process.

    Attributes
    ----------
    scope_name
        Its name among the insides of the program.
    specs
        Its nodes and what loops repeat, by name; SpiffWorkflow's ``task_specs``, typed.
    is_called
        It runs for a call activity: what is outside is not seen inside.
    shared_names
        Names of its data objects.
    """

    def __init__(self, name: str, scope: Scope, *, is_called: bool) -> None:  # pyright: ignore[reportMissingSuperCall]
        WorkflowSpec.__init__(self, name=name)  # pyright: ignore[reportUnknownMemberType]
        self.scope_name = name
        self.specs: dict[str, NodeSpec] = {}
        self.drawn = scope
        self.is_called = is_called
        self.shared_names = frozenset(each.name or each.object_id for each in scope.data_objects.values())
        self.nodes: dict[str, NodeSpec] = {}
        self.data_objects = {}
        self.inclusive_joins: tuple[InclusiveGatewaySpec, ...] = ()
        self._reaches: Mapping[tuple[str, str], frozenset[str]] = {}

    def _add_notify(self, task_spec: NodeSpec) -> None:
        self.task_specs[task_spec.name] = task_spec  # pyright: ignore[reportUnknownMemberType]
        self.specs[task_spec.name] = task_spec

    def plain_starts(self) -> list[NodeSpec]:
        """Return the start events that need no trigger, in drawing order."""
        return [
            self.nodes[node.element_id]
            for node in self.drawn.starts()
            if node.event is None or isinstance(node.event, NoneEvent)
        ]

    def node(self, name: str) -> NodeSpec:
        """Return a node, or what a loop repeats. Raises KeyError."""
        return self.specs[name]

    def connect_nodes(self) -> None:
        """Draw the sequence flows and attach the boundary events, once all nodes are there."""
        for node in self.nodes.values():
            node.exits = tuple(self._exit(node.drawn, flow_id) for flow_id in node.drawn.outgoing)
            for each in node.exits:
                node.connect(each.target)  # pyright: ignore[reportUnknownMemberType]
            node.boundaries = tuple(
                boundary
                for drawn in self.drawn.boundary_events(node.drawn.element_id)
                if isinstance(boundary := self.nodes[drawn.element_id], BoundarySpec)
            )
        self.inclusive_joins = tuple(
            node for node in self.nodes.values() if isinstance(node, InclusiveGatewaySpec) and len(node.incoming) > 1
        )
        self._reaches = {
            (source, join.drawn.element_id): flows
            for join in self.inclusive_joins
            for source, flows in self._ways_to(join).items()
        }

    def _exit(self, drawn: FlowNode, flow_id: str) -> Exit:
        flow = self.drawn.flows[flow_id]
        return Exit(
            flow_id=flow_id,
            target=self.nodes[flow.target],
            condition=Formula(flow.condition) if flow.condition is not None else None,
            is_default=drawn.default_flow == flow_id,
        )

    def _ways_to(self, join: InclusiveGatewaySpec) -> dict[str, frozenset[str]]:
        """Return which incoming flows of a join a token at each node can come by, without visiting the join first."""
        ways: dict[str, set[str]] = {}
        for flow_id in join.incoming:
            todo: list[str] = [self.drawn.flows[flow_id].source]
            while todo:
                source = todo.pop()
                if source == join.drawn.element_id or flow_id in ways.setdefault(source, set()):
                    continue
                ways[source].add(flow_id)
                node = self.drawn.nodes[source]
                todo += [self.drawn.flows[each].source for each in node.incoming]
                if node.attached_to is not None:
                    todo.append(node.attached_to)
        return {source: frozenset(flows) for source, flows in ways.items()}

    def reaches(self, source: str, join: str) -> frozenset[str]:
        """Return the incoming flows of an inclusive join that a token at a node can still come by."""
        return self._reaches.get((source, join), frozenset())

    def fire_inclusive_joins(self, scope: RunningScope) -> bool:
        """Let inclusive joins go on that no other token can reach any more. Return whether one did."""
        return any(join.fire_if_due(scope) for join in self.inclusive_joins)
