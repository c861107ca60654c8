"""The check at deployment that no gateway, decision or write reads a suggestion that nobody has accepted (P10, W19).

A forward data-flow analysis over the drawing: at each node, which variables may hold a suggestion, and the way it took.
A variable is a suggestion when a model's operation wrote it, or a computation that read one; it is none any more when a
person, a decision, a business system or a rule that accepts suggestions has written it. Where ways meet, a variable is
a suggestion if it is one on any of them. Where an operator sends an instance back to, everything may have come before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.contract.operation import Effect, Operation
from engine.contract.origin import Origin
from engine.contract.registry import OperationRegistry, UnknownOperation
from engine.feel import FeelSyntaxError, compile_expression
from engine.model.check_rules import SUGGESTION_READ
from engine.model.definition import Definition
from engine.model.findings import Findings, Place
from engine.model.graph import (
    DecisionBinding,
    Expression,
    FlowNode,
    MessageEvent,
    MultiInstance,
    NodeKind,
    OperationBinding,
    Scope,
    ScriptLanguage,
    StandardLoop,
)
from engine.model.script_names import script_names
from engine.model.statuses import reentry

_LONGEST_WAY = 60


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A suggestion in a variable: the node that made it, and the nodes it passed since."""

    source: str
    way: tuple[str, ...]

    def through(self, node: FlowNode) -> Suggestion:
        """Return it one node further."""
        if len(self.way) >= _LONGEST_WAY or (self.way and self.way[-1] == node.element_id):
            return self
        return Suggestion(source=self.source, way=(*self.way, node.element_id))


#: Which variables may hold a suggestion.
Suggestions = Mapping[str, Suggestion]


def check_provenance(
    definition: Definition, catalogue: OperationRegistry, places: Mapping[str, Place], findings: Findings
) -> None:
    """Note every gateway, loop, decision and write that may read an unaccepted suggestion, with the way it takes."""
    _Analysis(definition, catalogue, places, findings).scope(definition.process, {})


class _Analysis:
    def __init__(
        self,
        definition: Definition,
        catalogue: OperationRegistry,
        places: Mapping[str, Place],
        findings: Findings,
    ) -> None:
        self._definition = definition
        self._catalogue = catalogue
        self._places = places
        self._findings = findings
        self._noted: set[tuple[str, str, str]] = set()
        returns = (reentry(definition, status.name) for status in definition.settings.statuses)
        self._returns = {node.element_id for node in returns if node is not None}

    # --- scopes --------------------------------------------------------------------------------------------------

    def scope(self, scope: Scope, before: Suggestions) -> Suggestions:
        """Return what may be suggestions when the scope ends, and note what reads them inside."""
        after, anywhere = self._run(scope, before)
        # A data object is shared at once: what one branch suggests, the others can read without a join.
        shared = {each.name for each in scope.data_objects.values()} & anywhere.keys()
        if shared:
            after, _ = self._run(scope, {**{name: anywhere[name] for name in shared}, **before})
        return after

    def _run(self, scope: Scope, before: Suggestions) -> tuple[Suggestions, Suggestions]:
        entering: dict[str, Suggestions] = {start.element_id: before for start in scope.starts()}
        leaving: dict[str, Suggestions] = {}
        ended: Suggestions = {}
        anywhere: Suggestions = {}
        todo = deque(entering)
        while todo:
            node = scope.nodes[todo.popleft()]
            given = entering.get(node.element_id, {})
            result = self._node(scope, node, given)
            if node.element_id in leaving and leaving[node.element_id].keys() == result.keys():
                continue
            leaving[node.element_id] = result
            anywhere = _union(anywhere, result)
            if not node.outgoing:
                ended = _union(ended, result)
            following = [(scope.flows[flow_id].target, result) for flow_id in node.outgoing]
            # A boundary event may take over before or after its activity has written.
            following += [
                (boundary.element_id, _union(given, result)) for boundary in scope.boundary_events(node.element_id)
            ]
            if scope is self._definition.process:
                following += [(key, anywhere) for key in self._returns]
            for key, arriving in following:
                joined = _union(entering.get(key, {}), arriving)
                if key not in leaving or joined.keys() != entering[key].keys():
                    entering[key] = joined
                    todo.append(key)
        return ended, anywhere

    # --- nodes ---------------------------------------------------------------------------------------------------

    def _node(self, scope: Scope, node: FlowNode, before: Suggestions) -> Suggestions:
        before = {name: suggestion.through(node) for name, suggestion in before.items()}
        for flow_id in node.outgoing:
            condition = scope.flows[flow_id].condition
            if condition is not None:
                self._refuse(condition, f"condition of {scope.flows[flow_id].name or flow_id}", node, before)
        inside = self._enter_loop(node, before)
        after = self._effect(node, inside)
        if isinstance(node.loop, StandardLoop):
            self._refuse(node.loop.condition, "loop condition", node, after)
            after = _union(before, self._effect(node, _union(before, after)))
        return self._leave_loop(node, before, after)

    def _effect(self, node: FlowNode, before: Suggestions) -> Suggestions:
        if node.operation is not None:
            return self._operation(node, node.operation, before)
        if node.decision is not None:
            return self._decision(node, node.decision, before)
        if node.script is not None:
            return self._script(node, before)
        if node.inner is not None:
            return self.scope(node.inner, before)
        if node.called_process is not None and node.called_process in self._definition.called:
            return self.scope(self._definition.called[node.called_process], before)
        if node.kind is NodeKind.USER_TASK or (node.kind is NodeKind.START_EVENT and node.task is not None):
            return _without(before, self._answered(node))
        if isinstance(node.event, MessageEvent) and node.event.result is not None:
            return _without(before, [node.event.result])
        return before

    def _answered(self, node: FlowNode) -> Iterable[str]:
        form = node.task.form if node.task is not None else None
        if form is None:
            return ()
        if form.result is not None:
            return (form.result,)
        drawn = self._definition.forms.get(form.key)
        return [component.key for component in drawn.components] if drawn is not None else ()

    def _operation(self, node: FlowNode, binding: OperationBinding, before: Suggestions) -> Suggestions:
        try:
            operation = self._catalogue.find(binding.reference)
        except UnknownOperation:
            return before
        tainted: Suggestion | None = None
        for name, expression in binding.inputs.items():
            if name in operation.accepts_suggestions:
                continue
            if operation.effect is Effect.WRITE:
                self._refuse(expression, f"input {name} of {operation.reference}", node, before)
            tainted = tainted or self._read(expression, before)
        if operation.effect is Effect.WRITE and binding.intent is not None:
            self._refuse(binding.intent, f"intent of {operation.reference}", node, before)
        if binding.result is None:
            return before
        made = self._made(operation, node, tainted)
        return {**before, binding.result: made} if made else _without(before, [binding.result])

    def _made(self, operation: Operation, node: FlowNode, tainted: Suggestion | None) -> Suggestion | None:
        """What an operation's result is: a model's is a suggestion, a computation passes on what it read."""
        if operation.origin is Origin.MODEL:
            return Suggestion(source=node.element_id, way=(node.element_id,))
        return tainted if operation.effect is Effect.PURE else None

    def _decision(self, node: FlowNode, binding: DecisionBinding, before: Suggestions) -> Suggestions:
        model = self._definition.decisions.get(binding.decision)
        if model is not None:
            for path in sorted(model.paths(binding.decision)):
                self._note(path, f"decision {binding.decision}", node, before)
        return _without(before, [binding.result])

    def _script(self, node: FlowNode, before: Suggestions) -> Suggestions:
        names = script_names(node.script or "", node.script_language or ScriptLanguage.PYTHON)
        read = next((before[name] for name in sorted(names.reads) if name in before), None)
        after = dict(_without(before, names.replaced - names.reads))
        if read is not None:
            after |= dict.fromkeys(names.replaced | names.changed, read)
        return after

    # --- loops ---------------------------------------------------------------------------------------------------

    def _enter_loop(self, node: FlowNode, before: Suggestions) -> Suggestions:
        loop = node.loop
        if not isinstance(loop, MultiInstance):
            return before
        if loop.cardinality is not None:
            self._refuse(loop.cardinality, "cardinality", node, before)
        if loop.input_item is None or loop.collection is None:
            return before
        read = self._read(loop.collection, before)
        return {**before, loop.input_item: read} if read else _without(before, [loop.input_item])

    def _leave_loop(self, node: FlowNode, before: Suggestions, after: Suggestions) -> Suggestions:
        loop = node.loop
        if not isinstance(loop, MultiInstance):
            return after
        if loop.completion_condition is not None:
            self._refuse(loop.completion_condition, "completion condition", node, after)
        if loop.output_collection is None or loop.output_item is None:
            return _union(before, after)
        made = after.get(loop.output_item)
        local = {loop.output_item, loop.input_item}
        kept = {name: each for name, each in _union(before, after).items() if name not in local or name in before}
        if made is None:
            return _without(kept, [loop.output_collection])
        return {**kept, loop.output_collection: made}

    # --- reading -------------------------------------------------------------------------------------------------

    def _read(self, expression: Expression, before: Suggestions) -> Suggestion | None:
        """Return a suggestion that the expression reads, if it reads one."""
        return next((before[name] for name in sorted(_variables(expression)) if name in before), None)

    def _refuse(self, expression: Expression, where: str, node: FlowNode, before: Suggestions) -> None:
        for path in sorted(_paths(expression)):
            self._note(path, where, node, before)

    def _note(self, path: str, where: str, node: FlowNode, before: Suggestions) -> None:
        suggestion = before.get(path.partition(".")[0])
        if suggestion is None or (node.element_id, where, path) in self._noted:
            return
        self._noted.add((node.element_id, where, path))
        place = self._places.get(node.element_id, Place(file="process.bpmn", element_id=node.element_id))
        self._findings.add(
            SUGGESTION_READ,
            place,
            where=where,
            variable=path,
            source=suggestion.source,
            path=self._definition.way(suggestion.way),
        )


def _paths(expression: Expression) -> frozenset[str]:
    try:
        compiled = compile_expression(expression.text)
    except FeelSyntaxError:
        return frozenset()
    return compiled.paths | compiled.possible_paths


def _variables(expression: Expression) -> frozenset[str]:
    return frozenset(path.partition(".")[0] for path in _paths(expression))


def _union(first: Suggestions, second: Suggestions) -> Suggestions:
    """What may be a suggestion on either way; the way that was found first is kept."""
    return {**second, **first}


def _without(suggestions: Suggestions, names: Iterable[str]) -> Suggestions:
    gone = set(names)
    return {name: suggestion for name, suggestion in suggestions.items() if name not in gone}
