"""Reads the event definitions of start, end, intermediate and boundary events (BPMN 2.0.2, 10.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.model import rules
from engine.model.bpmn_allowed import REFUSED
from engine.model.bpmn_document import Library, local_reference
from engine.model.bpmn_expressions import read_expression
from engine.model.extension_reader import GivenAll, read_extensions
from engine.model.findings import Findings, Place
from engine.model.graph import (
    ErrorEvent,
    EventDefinition,
    MessageEvent,
    NodeKind,
    NoneEvent,
    TerminateEvent,
    TimerEvent,
    TimerKind,
)
from engine.model.iso_time import NotATime, parse_duration, parse_instant
from engine.model.safe_xml import Element


@dataclass(frozen=True, kw_only=True)
class LinkEnd:
    """One end of a link; normalising turns the ends of one name into a sequence flow."""

    name: str
    is_throw: bool
    place: Place


#: Event definitions by node kind; ``none`` stands for no definition.
ALLOWED: Mapping[NodeKind, tuple[str, ...]] = {
    NodeKind.START_EVENT: ("none", "message"),
    NodeKind.END_EVENT: ("none", "terminate", "error", "message"),
    NodeKind.INTERMEDIATE_CATCH_EVENT: ("message", "timer", "link"),
    NodeKind.INTERMEDIATE_THROW_EVENT: ("none", "message", "link"),
    NodeKind.BOUNDARY_EVENT: ("timer", "message", "error"),
}
_TIMERS = (("timeDate", TimerKind.DATE), ("timeDuration", TimerKind.DURATION), ("timeCycle", TimerKind.CYCLE))


@dataclass(frozen=True, kw_only=True)
class EventReader:
    """Reads the definition of one event after the other."""

    library: Library
    findings: Findings

    def read(
        self, node: Element, kind: NodeKind, place: Place, extensions: GivenAll, *, is_inside: bool
    ) -> EventDefinition | LinkEnd:
        """Return what an event means; a none event, with findings, where it means nothing that runs.

        ``is_inside``: the event stands in a sub-process.
        """
        definitions = self._definitions(node, place)
        if len(definitions) > 1 or node.get("parallelMultiple") == "true":
            self.findings.add(rules.MULTIPLE, place)
        if not definitions:
            return self._none(kind, place)
        definition = definitions[0]
        event = definition.name.removesuffix("EventDefinition")
        if definition.name in REFUSED:
            # Inside the event, the allow-list has named it already.
            if definition not in node.children:
                self.findings.add(REFUSED[definition.name], place)
            return NoneEvent()
        if kind is NodeKind.START_EVENT and event == "timer" and not is_inside:
            self.findings.add(rules.TIMER_START, place)
            return NoneEvent()
        if event not in ALLOWED[kind]:
            self.findings.add(rules.EVENT_NOT_HERE, place, kind=kind, event=event, allowed=", ".join(ALLOWED[kind]))
            return NoneEvent()
        if kind is NodeKind.START_EVENT and is_inside:
            self.findings.add(rules.SEQUENTIAL_START, place, event=event)
            return NoneEvent()
        given = extensions + read_extensions(
            definition.every("extensionElements"), definition.name, place, self.findings
        )
        return self._definition(definition, event, kind, place, given)

    def _definitions(self, node: Element, place: Place) -> list[Element]:
        found = [child for child in node.children if child.is_bpmn() and child.name.endswith("EventDefinition")]
        for reference in node.every("eventDefinitionRef"):
            target = local_reference(reference.text)
            definition = self.library.event_definitions.get(target)
            if definition is None:
                self.findings.add(
                    rules.UNKNOWN_REFERENCE,
                    place,
                    attribute="eventDefinitionRef",
                    target=target,
                    wanted="event definition",
                )
            else:
                found.append(definition)
        return found

    def _none(self, kind: NodeKind, place: Place) -> NoneEvent:
        if "none" not in ALLOWED[kind]:
            self.findings.add(rules.EVENT_NOT_HERE, place, kind=kind, event="missing", allowed=", ".join(ALLOWED[kind]))
        return NoneEvent()

    def _definition(
        self, definition: Element, event: str, kind: NodeKind, place: Place, given: GivenAll
    ) -> EventDefinition | LinkEnd:
        is_throw = kind in (NodeKind.END_EVENT, NodeKind.INTERMEDIATE_THROW_EVENT)
        match event:
            case "terminate":
                return TerminateEvent()
            case "message":
                name = self.message_name(definition.get("messageRef"), kind, place)
                return message_event(name, given, is_throw=is_throw)
            case "timer":
                return self._timer(definition, place, given)
            case "error":
                return self._error(definition, place, is_throw=is_throw)
            case _:
                self._check_link(definition, place)
                return LinkEnd(name=definition.get("name"), is_throw=is_throw, place=place)

    def message_name(self, reference: str, kind: str, place: Place) -> str:
        """Return the name of a referenced message; empty, with a finding, when there is none."""
        target = local_reference(reference)
        message = self.library.messages.get(target)
        if target and message is None:
            self.findings.add(rules.UNKNOWN_REFERENCE, place, attribute="messageRef", target=target, wanted="message")
            return ""
        name = message.get("name") if message is not None else ""
        if not name:
            self.findings.add(rules.MESSAGE_WITHOUT_NAME, place, kind=kind)
        return name

    def _error(self, definition: Element, place: Place, *, is_throw: bool) -> ErrorEvent:
        target = local_reference(definition.get("errorRef"))
        declared = self.library.errors.get(target)
        if target and declared is None:
            self.findings.add(rules.UNKNOWN_REFERENCE, place, attribute="errorRef", target=target, wanted="error")
        code = declared.get("errorCode") if declared is not None else ""
        if is_throw and not code:
            self.findings.add(rules.ERROR_WITHOUT_CODE, place)
        name = declared.get("name") if declared is not None else ""
        return ErrorEvent(code=code or None, name=name or None)

    def _timer(self, definition: Element, place: Place, given: GivenAll) -> TimerEvent:
        schedule = given.one("schedule")
        is_working = schedule is not None and schedule.truth("working", default=False)
        values = [(kind, child) for name, kind in _TIMERS for child in definition.every(name)]
        if len(values) > 1:
            self.findings.add(rules.SEVERAL_TIMERS, place)
        if not values or not values[0][1].text:
            self.findings.add(rules.EMPTY_TIMER, place)
            return TimerEvent(kind=TimerKind.DURATION, literal="PT0S")
        kind, value = values[0]
        if kind is TimerKind.CYCLE:
            self.findings.add(rules.TIMER_CYCLE, place)
        if kind is TimerKind.DATE and is_working:
            self.findings.add(rules.WORKING_TIME_DATE, place)
        if value.text.startswith("="):
            expression = read_expression(value, place, self.findings, "timer")
            return TimerEvent(kind=kind, expression=expression, in_working_time=is_working)
        try:
            if kind is TimerKind.DATE:
                parse_instant(value.text)
            elif kind is TimerKind.DURATION:
                parse_duration(value.text)
        except NotATime as wrong:
            self.findings.add(rules.BAD_TIMER, place, detail=wrong)
        return TimerEvent(kind=kind, literal=value.text, in_working_time=is_working)

    def _check_link(self, definition: Element, place: Place) -> None:
        for end in ("source", "target"):
            for reference in definition.every(end):
                other = self.library.event_definitions.get(local_reference(reference.text))
                is_link = other is not None and other.name == "linkEventDefinition"
                if other is None or not is_link or other.get("name") != definition.get("name"):
                    self.findings.add(
                        rules.UNKNOWN_REFERENCE,
                        place,
                        attribute=end,
                        target=local_reference(reference.text),
                        wanted=f"link of the name {definition.get('name')!r}",
                    )


def message_event(name: str, given: GivenAll, *, is_throw: bool) -> MessageEvent:
    """Return a message event with its extensions."""
    if is_throw:
        payload = {
            each.values.get("name", ""): expression
            for each in given.every("payload")
            if (expression := each.expression("payload")) is not None
        }
        return MessageEvent(name=name, payload=payload)
    correlation, result = given.one("correlation"), given.one("result")
    return MessageEvent(
        name=name,
        correlation=correlation.expression("correlation") if correlation else None,
        result=result.values.get("name") if result else None,
    )
