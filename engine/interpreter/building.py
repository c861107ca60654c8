"""From the typed graph to SpiffWorkflow specifications, built once per definition and shared by all its instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.interpreter.expressions import Formula
from engine.interpreter.failures import NotRunnable
from engine.interpreter.specs.activities import (
    FeelScriptSpec,
    JobSpec,
    PassingTaskSpec,
    PersonTaskSpec,
    ScopeActivitySpec,
    ScriptSpec,
)
from engine.interpreter.specs.decisions import DecisionSpec
from engine.interpreter.specs.events import BoundarySpec, CatchSpec, EndSpec, ThrowSpec
from engine.interpreter.specs.gateways import (
    EventBasedGatewaySpec,
    ExclusiveGatewaySpec,
    InclusiveGatewaySpec,
    ParallelGatewaySpec,
)
from engine.interpreter.specs.loops import LoopSpec, MultiInstanceSpec, StandardLoopSpec
from engine.interpreter.specs.node import NodeSpec
from engine.interpreter.specs.scope import ScopeSpec
from engine.model.definition import Definition
from engine.model.graph import Expression, FlowNode, NodeKind, Scope, ScriptLanguage, StandardLoop

#: What is repeated by a loop is named after its element with this behind, which no element id can end in.
BODY = "[]"


@dataclass(frozen=True, kw_only=True)
class Program:
    """A definition as specifications: the process, and the insides of its sub-processes and calls by name."""

    process: ScopeSpec
    insides: Mapping[str, ScopeSpec]


def build_program(definition: Definition) -> Program:
    """Build the specifications of a definition.

    Raises
    ------
    NotRunnable
        When the graph holds something that the interpreter does not run; the check at deployment refuses it earlier.
    """
    return _Builder(definition).build()


class _Builder:
    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._insides: dict[str, ScopeSpec] = {}

    def build(self) -> Program:
        process = self._scope("process", self._definition.process, is_called=False)
        return Program(process=process, insides=self._insides)

    def _scope(self, name: str, scope: Scope, *, is_called: bool) -> ScopeSpec:
        spec = ScopeSpec(name, scope, is_called=is_called)
        if name != "process":
            self._insides[name] = spec
        for drawn in scope.nodes.values():
            spec.nodes[drawn.element_id] = self._node(spec, drawn)
        spec.connect_nodes()
        return spec

    def _node(self, scope: ScopeSpec, drawn: FlowNode) -> NodeSpec:
        if drawn.loop is None:
            node = self._plain(scope, drawn, None)
            node.passes_as = self._passes_as(drawn)
            return node
        host: LoopSpec = (
            StandardLoopSpec(scope, drawn, drawn.loop)
            if isinstance(drawn.loop, StandardLoop)
            else MultiInstanceSpec(scope, drawn, drawn.loop)
        )
        host.body = self._plain(scope, drawn, drawn.element_id + BODY)
        host.body.is_body = True
        host.body.passes_as = self._passes_as(drawn)
        host.body.incoming = ()
        return host

    def _passes_as(self, drawn: FlowNode) -> str | None:
        """Return the id to show in the path; None for a node inserted beside the element that it stands for."""
        if drawn.drawn_id and drawn.drawn_id != drawn.element_id and drawn.drawn_id in self._definition.nodes:
            return None
        return drawn.drawn_id or drawn.element_id

    def _plain(self, scope: ScopeSpec, drawn: FlowNode, name: str | None) -> NodeSpec:
        """Build a node without its loop."""
        match drawn.kind:
            case NodeKind.START_EVENT:
                return NodeSpec(scope, drawn, name=name)
            case NodeKind.END_EVENT:
                return EndSpec(scope, drawn, name=name)
            case NodeKind.INTERMEDIATE_THROW_EVENT:
                return ThrowSpec(scope, drawn, name=name)
            case NodeKind.INTERMEDIATE_CATCH_EVENT | NodeKind.RECEIVE_TASK:
                return CatchSpec(scope, drawn, name=name)
            case NodeKind.BOUNDARY_EVENT:
                return BoundarySpec(scope, drawn)
            case NodeKind.EXCLUSIVE_GATEWAY:
                return ExclusiveGatewaySpec(scope, drawn, name=name)
            case NodeKind.PARALLEL_GATEWAY:
                return ParallelGatewaySpec(scope, drawn, name=name)
            case NodeKind.INCLUSIVE_GATEWAY:
                return InclusiveGatewaySpec(scope, drawn, name=name)
            case NodeKind.EVENT_BASED_GATEWAY:
                return EventBasedGatewaySpec(scope, drawn, name=name)
            case _:
                return self._activity(scope, drawn, name)

    def _activity(self, scope: ScopeSpec, drawn: FlowNode, name: str | None) -> NodeSpec:
        match drawn.kind:
            case NodeKind.USER_TASK | NodeKind.MANUAL_TASK:
                return PersonTaskSpec(scope, drawn, name=name)
            case NodeKind.SUB_PROCESS | NodeKind.CALL_ACTIVITY:
                return ScopeActivitySpec(scope, drawn, self._inside(drawn), name=name)
            case NodeKind.SCRIPT_TASK if drawn.script_language is ScriptLanguage.FEEL:
                expression = Expression(text=drawn.script or "", element_id=drawn.element_id, place="script")
                return FeelScriptSpec(scope, drawn, Formula(expression), name=name)
            case NodeKind.SCRIPT_TASK:
                return ScriptSpec(scope, drawn, name=name)
            case NodeKind.TASK:
                return PassingTaskSpec(scope, drawn, name=name)
            case _:
                return self._work(scope, drawn, name)

    def _work(self, scope: ScopeSpec, drawn: FlowNode, name: str | None) -> NodeSpec:
        if drawn.operation is not None:
            return JobSpec(scope, drawn, drawn.operation, name=name)
        if drawn.decision is not None:
            return DecisionSpec(scope, drawn, drawn.decision, name=name)
        if drawn.kind is NodeKind.SEND_TASK and drawn.event is not None:
            return ThrowSpec(scope, drawn, name=name)
        raise NotRunnable("The task names no operation, decision or message.", element_id=drawn.element_id)

    def _inside(self, drawn: FlowNode) -> ScopeSpec:
        if drawn.kind is NodeKind.CALL_ACTIVITY:
            called = drawn.called_process or ""
            if called not in self._definition.called:
                raise NotRunnable(
                    f"The process {called!r} is not part of this definition.", element_id=drawn.element_id
                )
            name = f"call:{called}"
            return self._insides.get(name) or self._scope(name, self._definition.called[called], is_called=True)
        if drawn.inner is None:
            raise NotRunnable("The sub-process has no inside.", element_id=drawn.element_id)
        return self._scope(f"inside:{drawn.element_id}", drawn.inner, is_called=False)
