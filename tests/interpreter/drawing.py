"""Draws graphs for tests, so that a test reads like the process it is about.

``draw`` takes lines such as ``start -> review -> done`` and nodes by keyword; nodes that only lines name are made by
their name: ``start...`` a start event, ``end...`` or ``done...`` an end event. ``a -> b if x > 1`` has a condition and
``a -> b else`` is the default flow.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.contract.ids import StepKey
from engine.model.definition import Definition
from engine.model.graph import (
    Assignment,
    DataObject,
    DecisionBinding,
    ErrorEvent,
    EventDefinition,
    Expression,
    FlowNode,
    FormBinding,
    MessageEvent,
    MultiInstance,
    NodeKind,
    OperationBinding,
    Scope,
    ScriptLanguage,
    SequenceFlow,
    StandardLoop,
    TaskSettings,
    TerminateEvent,
    TimerEvent,
    TimerKind,
)
from engine.model.settings import ProcessSettings

_versions = itertools.count()


def feel(text: str, element_id: str = "drawn") -> Expression:
    """Return an expression."""
    return Expression(text=text, element_id=element_id, place="test")


class Drawing:
    """A scope under construction."""

    def __init__(self, *lines: str, **nodes: FlowNode) -> None:
        self._nodes = {name: replace(node, element_id=StepKey(name), drawn_id=name) for name, node in nodes.items()}
        self._flows: dict[str, SequenceFlow] = {}
        self._defaults: dict[str, str] = {}
        for line in lines:
            self._line(line)

    def _line(self, line: str) -> None:
        parts = [part.strip() for part in line.split("->")]
        for source, target in itertools.pairwise(parts):
            target_name, _, condition = target.partition(" ")
            self._flow(source.partition(" ")[0], target_name, condition.strip())

    def _flow(self, source: str, target: str, condition: str) -> None:
        flow_id = f"f{len(self._flows)}"
        for name in (source, target):
            if name not in self._nodes:
                self._nodes[name] = _implied(name)
        expression = feel(condition.removeprefix("if "), flow_id) if condition.startswith("if ") else None
        self._flows[flow_id] = SequenceFlow(
            flow_id=flow_id, source=StepKey(source), target=StepKey(target), condition=expression
        )
        if condition == "else":
            self._defaults[source] = flow_id

    def scope(self) -> Scope:
        """Return the scope."""
        nodes = {
            name: replace(
                node,
                incoming=tuple(flow.flow_id for flow in self._flows.values() if flow.target == name),
                outgoing=tuple(flow.flow_id for flow in self._flows.values() if flow.source == name),
                default_flow=self._defaults.get(name),
            )
            for name, node in self._nodes.items()
        }
        return Scope(scope_id="process", nodes=nodes, flows=self._flows)


def _implied(name: str) -> FlowNode:
    kinds = {
        r"start": NodeKind.START_EVENT,
        r"end|done": NodeKind.END_EVENT,
        r"xor": NodeKind.EXCLUSIVE_GATEWAY,
        r"and": NodeKind.PARALLEL_GATEWAY,
        r"or": NodeKind.INCLUSIVE_GATEWAY,
    }
    for pattern, kind in kinds.items():
        if re.match(pattern, name):
            return FlowNode(element_id=StepKey(name), kind=kind, drawn_id=name)
    raise AssertionError(f"Nothing says what {name!r} is.")


def draw(*lines: str, **nodes: FlowNode) -> Scope:
    """Return a scope."""
    return Drawing(*lines, **nodes).scope()


def with_data_objects(scope: Scope, *names: str) -> Scope:
    """Return a scope with data objects drawn in it."""
    return replace(scope, data_objects={name: DataObject(object_id=name, name=name) for name in names})


def define(
    process: Scope,
    *,
    called: Mapping[str, Scope] | None = None,
    decisions: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    digest: str | None = None,
) -> Definition:
    """Return a definition with a digest of its own."""
    called = called or {}
    return Definition(
        digest=digest or hashlib.sha256(str(next(_versions)).encode()).hexdigest(),
        settings=ProcessSettings(key="test", title={"en": "Test"}, owner="nobody", **(settings or {})),
        process=process,
        called=called,
        decisions=decisions or {},
        nodes={key: node for scope in (process, *called.values()) for key, node in _all_nodes(scope).items()},
    )


def _all_nodes(scope: Scope) -> dict[str, FlowNode]:
    nodes = dict(scope.nodes)
    for node in scope.nodes.values():
        if node.inner is not None:
            nodes |= _all_nodes(node.inner)
    return nodes


# --- nodes; their names come from where they are drawn ---


def node(kind: NodeKind, **fields: Any) -> FlowNode:
    """Return a node of any kind."""
    return FlowNode(element_id=StepKey("unnamed"), kind=kind, **fields)


def service(
    reference: str = "test.read@1",
    *,
    result: str | None = "result",
    intent: str | None = None,
    kind: NodeKind = NodeKind.SERVICE_TASK,
    inputs: Mapping[str, str] | None = None,
    **fields: Any,
) -> FlowNode:
    """Return a task whose work an operation does."""
    operation = OperationBinding(
        reference=reference,
        inputs={name: feel(text) for name, text in (inputs or {}).items()},
        result=result,
        intent=feel(intent) if intent is not None else None,
    )
    return node(kind, operation=operation, **fields)


def user(
    *, result: str | None = None, binds: str | None = None, excluded: tuple[str, ...] = (), **fields: Any
) -> FlowNode:
    """Return a user task."""
    form = FormBinding(key="form", result=result, binds=feel(binds) if binds is not None else None)
    assignment = Assignment(role="approver", excluded=tuple(map(feel, excluded)))
    return node(NodeKind.USER_TASK, task=TaskSettings(form=form, assignment=assignment), **fields)


def script(text: str, *, language: ScriptLanguage = ScriptLanguage.PYTHON, **fields: Any) -> FlowNode:
    """Return a script task."""
    return node(NodeKind.SCRIPT_TASK, script=text, script_language=language, **fields)


def feel_script(text: str, **fields: Any) -> FlowNode:
    """Return a script task in FEEL."""
    return script(text, language=ScriptLanguage.FEEL, **fields)


def rule(decision: str, result: str, **fields: Any) -> FlowNode:
    """Return a business rule task that makes a decision."""
    return node(NodeKind.BUSINESS_RULE_TASK, decision=DecisionBinding(decision=decision, result=result), **fields)


def task(**fields: Any) -> FlowNode:
    """Return an abstract task."""
    return node(NodeKind.TASK, **fields)


def sub_process(inner: Scope, **fields: Any) -> FlowNode:
    """Return an embedded sub-process."""
    return node(NodeKind.SUB_PROCESS, inner=inner, **fields)


def call(process: str, **fields: Any) -> FlowNode:
    """Return a call activity."""
    return node(NodeKind.CALL_ACTIVITY, called_process=process, **fields)


def catch(event: EventDefinition, **fields: Any) -> FlowNode:
    """Return an intermediate catch event."""
    return node(NodeKind.INTERMEDIATE_CATCH_EVENT, event=event, **fields)


def throw(event: EventDefinition, **fields: Any) -> FlowNode:
    """Return an intermediate throw event."""
    return node(NodeKind.INTERMEDIATE_THROW_EVENT, event=event, **fields)


def end(event: EventDefinition | None = None, **fields: Any) -> FlowNode:
    """Return an end event."""
    return node(NodeKind.END_EVENT, event=event, **fields)


def start(event: EventDefinition | None = None, **fields: Any) -> FlowNode:
    """Return a start event."""
    return node(NodeKind.START_EVENT, event=event, **fields)


def event_gateway() -> FlowNode:
    """Return an event-based gateway."""
    return node(NodeKind.EVENT_BASED_GATEWAY)


def boundary(attached_to: str, event: EventDefinition, *, is_interrupting: bool = True, **fields: Any) -> FlowNode:
    """Return a boundary event."""
    return node(
        NodeKind.BOUNDARY_EVENT, event=event, attached_to=attached_to, is_interrupting=is_interrupting, **fields
    )


def message(
    name: str, *, correlation: str | None = None, payload: Mapping[str, str] | None = None, result: str | None = None
) -> MessageEvent:
    """Return a message event."""
    return MessageEvent(
        name=name,
        correlation=feel(correlation) if correlation is not None else None,
        payload={field: feel(text) for field, text in (payload or {}).items()},
        result=result,
    )


def after(duration: str, *, in_working_time: bool = False) -> TimerEvent:
    """Return a timer after an ISO 8601 duration, or after ``=`` a FEEL expression."""
    return _timer(TimerKind.DURATION, duration, in_working_time)


def at(moment: str) -> TimerEvent:
    """Return a timer at a moment."""
    return _timer(TimerKind.DATE, moment, False)


def every(cycle: str) -> TimerEvent:
    """Return a repeated timer."""
    return _timer(TimerKind.CYCLE, cycle, False)


def _timer(kind: TimerKind, text: str, in_working_time: bool) -> TimerEvent:
    if text.startswith("="):
        return TimerEvent(kind=kind, expression=feel(text[1:]), in_working_time=in_working_time)
    return TimerEvent(kind=kind, literal=text, in_working_time=in_working_time)


def error(code: str | None = None) -> ErrorEvent:
    """Return an error event; without a code it catches all."""
    return ErrorEvent(code=code)


def terminate() -> TerminateEvent:
    """Return a terminate event."""
    return TerminateEvent()


def while_loop(condition: str, *, is_tested_before: bool = False, maximum: int | None = None) -> StandardLoop:
    """Return a standard loop."""
    return StandardLoop(condition=feel(condition), is_tested_before=is_tested_before, maximum=maximum)


def each(
    collection: str | None = None,
    *,
    times: str | None = None,
    is_sequential: bool = False,
    item: str | None = None,
    output: str | None = None,
    output_item: str | None = None,
    until: str | None = None,
) -> MultiInstance:
    """Return multi-instance characteristics."""
    return MultiInstance(
        is_sequential=is_sequential,
        collection=feel(collection) if collection is not None else None,
        cardinality=feel(times) if times is not None else None,
        input_item=item,
        output_collection=output,
        output_item=output_item,
        completion_condition=feel(until) if until is not None else None,
    )
