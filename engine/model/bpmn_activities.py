"""Reads what tasks and call activities do: bindings, assignments, scripts, loops (BPMN 2.0.2, 10.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from engine.model import rules
from engine.model.bpmn_document import Library, local_reference
from engine.model.bpmn_events import EventReader, message_event
from engine.model.bpmn_expressions import read_expression
from engine.model.extension_reader import Given, GivenAll, feel
from engine.model.findings import Findings, Place
from engine.model.graph import (
    Assignment,
    DecisionBinding,
    Expression,
    FormBinding,
    MessageEvent,
    MultiInstance,
    NodeKind,
    OperationBinding,
    ScriptLanguage,
    StandardLoop,
    TaskSettings,
    WorkingTime,
)
from engine.model.safe_xml import Element

Default = TypeVar("Default")

#: ``scriptFormat`` values; none given means Python (DECISIONS: Expressions).
SCRIPT_FORMATS = {
    "": ScriptLanguage.PYTHON,
    "python": ScriptLanguage.PYTHON,
    "text/python": ScriptLanguage.PYTHON,
    "text/x-python": ScriptLanguage.PYTHON,
    "application/x-python": ScriptLanguage.PYTHON,
    "feel": ScriptLanguage.FEEL,
    "text/feel": ScriptLanguage.FEEL,
}


@dataclass(frozen=True, kw_only=True)
class Activity:
    """What an activity does, as far as it differs by kind."""

    event: MessageEvent | None = None
    operation: OperationBinding | None = None
    decision: DecisionBinding | None = None
    task: TaskSettings | None = None
    script: str | None = None
    script_language: ScriptLanguage | None = None
    called_process: str | None = None


@dataclass(frozen=True, kw_only=True)
class ActivityReader:
    """Reads one activity after the other."""

    library: Library
    findings: Findings
    events: EventReader

    def read(self, node: Element, kind: NodeKind, place: Place, given: GivenAll, lane: str | None) -> Activity:
        """Return what the activity does, with findings for what does not run."""
        self._check_activity(node, place)
        match kind:
            case NodeKind.USER_TASK | NodeKind.MANUAL_TASK:
                return Activity(task=self._task(given, lane))
            case NodeKind.SERVICE_TASK:
                return Activity(operation=self._required_operation(given, place, kind, "an operation"))
            case NodeKind.SEND_TASK:
                return self._send(node, given, place)
            case NodeKind.RECEIVE_TASK:
                return self._receive(node, given, place)
            case NodeKind.BUSINESS_RULE_TASK:
                return self._business_rule(given, place)
            case NodeKind.SCRIPT_TASK:
                return self._script(node, place)
            case NodeKind.CALL_ACTIVITY:
                return self._call(node, place)
            case _:
                return Activity()

    def _check_activity(self, node: Element, place: Place) -> None:
        for attribute in ("startQuantity", "completionQuantity"):
            value = node.get(attribute)
            if value and value != "1":
                self.findings.add(rules.TOKEN_QUANTITY, place, attribute=attribute, value=value)
        if node.get("isForCompensation") == "true":
            self.findings.add(rules.COMPENSATION, place)

    def _task(self, given: GivenAll, lane: str | None) -> TaskSettings:
        assignment, priority, escalation = given.one("assignment"), given.one("priority"), given.one("escalation")
        role = assignment.values.get("role") if assignment else None
        excluded = assignment.children if assignment else ()
        return TaskSettings(
            form=form_binding(given),
            assignment=Assignment(
                role=role or lane or "",
                excluded=tuple(
                    expression for each in excluded if (expression := each.expression("excluded")) is not None
                ),
            )
            if role or lane or excluded
            else None,
            due=_working_time(given.one("due")),
            reminder=_working_time(given.one("reminder")),
            escalation=_working_time(escalation),
            escalation_role=escalation.values.get("role") if escalation else None,
            priority=_number(priority, "value", 50),
        )

    def _required_operation(
        self, given: GivenAll, place: Place, kind: NodeKind, choice: str
    ) -> OperationBinding | None:
        operation = _operation(given.one("operation"))
        if operation is None:
            self.findings.add(rules.OPERATION_MISSING, place, kind=kind, choice=choice)
        return operation

    def _send(self, node: Element, given: GivenAll, place: Place) -> Activity:
        operation = _operation(given.one("operation"))
        reference = node.get("messageRef")
        if operation is not None and reference:
            self.findings.add(
                rules.TWO_BINDINGS, place, kind=NodeKind.SEND_TASK, first="an operation", second="a message"
            )
        if operation is not None:
            return Activity(operation=operation)
        name = self.events.message_name(reference, NodeKind.SEND_TASK, place)
        return Activity(event=message_event(name, given, is_throw=True))

    def _receive(self, node: Element, given: GivenAll, place: Place) -> Activity:
        if node.get("instantiate") == "true":
            self.findings.add(rules.INSTANTIATING_RECEIVE, place)
        name = self.events.message_name(node.get("messageRef"), NodeKind.RECEIVE_TASK, place)
        return Activity(event=message_event(name, given, is_throw=False))

    def _business_rule(self, given: GivenAll, place: Place) -> Activity:
        decision = given.one("decision")
        if decision is None:
            operation = self._required_operation(
                given, place, NodeKind.BUSINESS_RULE_TASK, "a decision or an operation"
            )
            return Activity(operation=operation)
        if given.one("operation") is not None:
            self.findings.add(
                rules.TWO_BINDINGS,
                place,
                kind=NodeKind.BUSINESS_RULE_TASK,
                first="a decision",
                second="an operation",
            )
        return Activity(
            decision=DecisionBinding(decision=decision.values.get("name", ""), result=decision.values.get("result", ""))
        )

    def _script(self, node: Element, place: Place) -> Activity:
        script = node.one("script")
        language = SCRIPT_FORMATS.get(node.get("scriptFormat").lower())
        if language is None:
            self.findings.add(rules.SCRIPT_LANGUAGE, place, language=node.get("scriptFormat"))
        if script is None or not script.text:
            self.findings.add(rules.SCRIPT_MISSING, place)
        return Activity(
            script=script.text if script is not None else "", script_language=language or ScriptLanguage.PYTHON
        )

    def _call(self, node: Element, place: Place) -> Activity:
        called = local_reference(node.get("calledElement"))
        if not called:
            self.findings.add(rules.CALLED_ELEMENT_MISSING, place)
        return Activity(called_process=called or None)

    # --- loops ---------------------------------------------------------------------------------------------------

    def loop(self, node: Element, place: Place) -> StandardLoop | MultiInstance | None:
        """Return the loop marker of an activity, with findings where it does not run."""
        standard = node.every("standardLoopCharacteristics")
        several = node.every("multiInstanceLoopCharacteristics")
        if len(standard) + len(several) > 1:
            self.findings.add(rules.TWO_LOOPS, place)
        if standard:
            return self._standard_loop(standard[0], place)
        return self._multi_instance(several[0], place) if several else None

    def _standard_loop(self, loop: Element, place: Place) -> StandardLoop:
        condition = read_expression(loop.one("loopCondition"), place, self.findings, "loop condition")
        maximum: int | None = None
        text = loop.get("loopMaximum")
        if text:
            if text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) < 10:
                maximum = int(text)
            else:
                self.findings.add(rules.LOOP_MAXIMUM, place, value=text)
        elif condition is None:
            self.findings.add(rules.LOOP_WITHOUT_CONDITION, place)
        always = Expression(text="true", element_id=place.element_id, place="loop condition")
        return StandardLoop(
            condition=condition or always, is_tested_before=loop.get("testBefore") == "true", maximum=maximum
        )

    def _multi_instance(self, loop: Element, place: Place) -> MultiInstance:
        if loop.get("behavior") not in ("", "All"):
            self.findings.add(rules.MULTI_INSTANCE_BEHAVIOR, place)
        cardinality = read_expression(loop.one("loopCardinality"), place, self.findings, "cardinality")
        collection = self._collection(loop.one("loopDataInputRef"), place)
        if (cardinality is None) == (collection is None):
            given = "neither" if cardinality is None else "both"
            self.findings.add(rules.MULTI_INSTANCE_SOURCE, place, given=given)
        if cardinality is not None and cardinality.text.startswith("-"):
            self.findings.add(rules.CARDINALITY, place, value=cardinality.text)
        output = self._collection(loop.one("loopDataOutputRef"), place)
        output_item = _item_name(loop.one("outputDataItem"))
        if (output is None) != (output_item is None):
            given, missing = ("item", "collection") if output is None else ("collection", "item")
            self.findings.add(rules.MULTI_INSTANCE_OUTPUT, place, given=given, missing=missing)
        return MultiInstance(
            is_sequential=loop.get("isSequential") == "true",
            cardinality=cardinality,
            collection=collection,
            input_item=_item_name(loop.one("inputDataItem")),
            output_collection=output.text if output else None,
            output_item=output_item,
            completion_condition=read_expression(
                loop.one("completionCondition"), place, self.findings, "completion condition"
            ),
        )

    def _collection(self, reference: Element | None, place: Place) -> Expression | None:
        """Return what a loop's data reference names: a data object by its name, else FEEL such as a variable."""
        if reference is None or not reference.text:
            return None
        named = self.library.elements.get(local_reference(reference.text))
        if named is not None and named.name in ("dataObject", "dataObjectReference"):
            return feel(named.get("name") or named.get("id"), place.element_id, "collection")
        return feel(reference.text, place.element_id, "collection")


def form_binding(given: GivenAll) -> FormBinding | None:
    """Return the form that an element shows."""
    form = given.one("form")
    if form is None:
        return None
    return FormBinding(
        key=form.values.get("key", ""),
        result=form.values.get("result"),
        binds=form.expression("binds", "binds"),
    )


def _operation(given: Given | None) -> OperationBinding | None:
    if given is None:
        return None
    inputs = {
        each.values.get("name", ""): expression
        for each in given.children
        if (expression := each.expression(f"input {each.values.get('name', '')}")) is not None
    }
    return OperationBinding(
        reference=given.values.get("name", ""),
        inputs=inputs,
        result=given.values.get("result"),
        intent=given.expression("intent", "intent"),
        retry_attempts=_number(given, "retry", None),
        timeout=given.values.get("timeout"),
        compensate=given.values.get("compensate"),
    )


def _working_time(given: Given | None) -> WorkingTime | None:
    if given is None:
        return None
    return WorkingTime(duration=given.values.get("duration", ""), is_working=given.truth("working", default=True))


def _number(given: Given | None, attribute: str, default: Default) -> int | Default:
    text = given.values.get(attribute, "") if given else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def _item_name(item: Element | None) -> str | None:
    return (item.get("name") or item.get("id") or None) if item is not None else None
