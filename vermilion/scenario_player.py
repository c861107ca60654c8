"""Plays a scenario of a process against the sandbox company and says in what it ended otherwise than expected.

Everything happens in one thread and one order: whatever is due is done before the next step, and events of the company
are delivered as soon as they exist.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Protocol, cast

from engine.contract.ids import EventId, TaskId, WorkflowId, WorkflowType
from engine.feel import compile_expression
from engine.identity import Actor
from engine.interpreter.values import Value
from engine.model.iso_time import parse_duration
from engine.model.scenarios import Cancel, Decision, Event, Expected, Repair, Scenario, Start, Step
from engine.runtime import Runtime
from engine.runtime.commands import CancelRequest, DecideRequest, ReceivedEvent, RepairRequest, StartRequest
from engine.runtime.views import InstanceView
from engine.work import Message

#: The source of events that a scenario itself sends.
SCENARIO_SOURCE = "/scenario"


class ScenarioFailed(Exception):
    """The scenario could not be played on: a step names a task, a person or an answer that is not there."""


class Switches(Protocol):
    """What an administrator of the sandbox company can do."""

    def post(self, system: str, path: str, body: Mapping[str, object]) -> None:
        """Throw a switch. Raises ScenarioFailed when the system refuses."""
        ...

    def ledger(self, system: str) -> Mapping[str, Any]:
        """Return a system's own ledger."""
        ...


class PublishedMessages:
    """A publisher that keeps what it was given, in order."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, Mapping[str, Any]]] = []

    def publish(self, message: Message) -> None:
        """Keep a message."""
        self.messages.append((message.topic, json.loads(message.payload)))

    def topics(self, workflow_id: str) -> tuple[str, ...]:
        """Return the topics of an instance's messages, in order."""
        return tuple(topic for topic, payload in self.messages if payload.get("workflow_id") == workflow_id)

    def last(self, workflow_id: str, topic: str) -> Mapping[str, Any] | None:
        """Return the data of an instance's last message under a topic; None when there was none."""
        for each, payload in reversed(self.messages):
            if each == topic and payload.get("workflow_id") == workflow_id:
                return payload.get("data", {})
        return None


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What a scenario is played on.

    Attributes
    ----------
    run
        Does everything that is due.
    actor
        Gives a person by login.
    sender
        The identity that sends events.
    watcher
        Somebody who may see every instance with all its variables.
    move_clock
        Lets time pass in the engine.
    systems
        The systems whose events are delivered.
    """

    runtime: Runtime
    run: Callable[[], object]
    actor: Callable[[str], Actor]
    sender: Actor
    watcher: Actor
    move_clock: Callable[[timedelta], None]
    switches: Switches
    published: PublishedMessages
    workflow_type: WorkflowType
    systems: tuple[str, ...] = ("erp",)


@dataclass(kw_only=True)
class ScenarioPlayer:
    """Plays one scenario on one stage. ``differences`` is empty when everything was as expected."""

    stage: Stage
    differences: list[str] = field(default_factory=list[str])
    workflow_id: WorkflowId | None = None
    _delivered: set[str] = field(default_factory=set[str])

    def play(self, scenario: Scenario) -> tuple[str, ...]:
        """Play a scenario and return in what it was otherwise than expected.

        Raises
        ------
        ScenarioFailed
            When it cannot be played on.
        """
        for step in scenario.before:
            self._do(step)
        self._start(scenario.start)
        self._run()
        for number, step in enumerate(scenario.steps, start=1):
            self._do(step, place=f"step {number}")
            self._run()
        self._compare(scenario.expect, "the end")
        return tuple(self.differences)

    # --- what happens --------------------------------------------------------------------------------------------

    def _start(self, start: Start) -> None:
        if start.event is not None:
            self._send(start.event)
            return
        assert start.form is not None  # noqa: S101 - the schema asks for exactly one
        request = StartRequest(workflow_type=self.stage.workflow_type, variables=_values(start.form.values))
        self.workflow_id = self.stage.runtime.start(self.stage.actor(start.form.by), request).workflow_id

    def _do(self, step: Step, place: str = "before the start") -> None:
        if step.decide is not None:
            self._decide(step.decide, place)
        elif step.cancel is not None:
            self._cancel(step.cancel, place)
        elif step.repair is not None:
            self._repair(step.repair, place)
        elif step.event is not None:
            self._send(step.event)
        elif step.change is not None:
            path = step.change.post
            if "{number}" in path:
                path = path.replace("{number}", self._documents()[-1]["number"])
            self.stage.switches.post(step.change.system, path, step.change.body)
        elif step.fault is not None:
            body = step.fault.model_dump(exclude={"system"})
            self.stage.switches.post(step.fault.system, "/faults", body)
        elif step.clock is not None:
            self.stage.move_clock(parse_duration(step.clock).total)
        elif step.expect is not None:
            self._compare(step.expect, place)

    def _decide(self, decision: Decision, place: str) -> None:
        actor = self.stage.actor(decision.by)
        open_tasks = [task for task in self.stage.runtime.tasks(actor).items if task.workflow_id == self.workflow_id]
        task = next((each for each in open_tasks if each.step_key == decision.task), None)
        task_id = task.task_id if task is not None else self._task_of_anybody(decision.task)
        shown = self.stage.runtime.task(actor, task_id)
        request = DecideRequest(
            task_id=task_id,
            values=_values(decision.values),
            bound_digest=shown.bound_digest,
            workflow_id=self.workflow_id,
        )
        self._refused(place, decision.refused, lambda: self.stage.runtime.decide(actor, request))

    def _task_of_anybody(self, step_key: str) -> TaskId:
        for wait in self._instance().waits:
            if wait.kind == "task" and wait.step_key == step_key:
                return TaskId(wait.wait_id)
        raise ScenarioFailed(f"No task of {step_key} is open.")

    def _cancel(self, cancel: Cancel, place: str) -> None:
        request = CancelRequest(workflow_id=self._known(), reason=cancel.reason)
        actor = self.stage.actor(cancel.by)
        self._refused(place, cancel.refused, lambda: self.stage.runtime.cancel(actor, request))

    def _repair(self, repair: Repair, place: str) -> None:
        request = RepairRequest(
            workflow_id=self._known(), reason=repair.reason, status=repair.status, values=_values(repair.values)
        )
        actor = self.stage.actor(repair.by)
        self._refused(place, repair.refused, lambda: self.stage.runtime.repair(actor, request))

    def _refused(self, place: str, expected: str | None, do: Callable[[], object]) -> None:
        """Do something; when it must be refused, note every other outcome."""
        if expected is None:
            do()
            return
        try:
            do()
        except Exception as refusal:
            code = getattr(refusal, "code", None)
            if code is None:
                raise
            if code != expected:
                self.differences.append(f"{place}: refused with {code}, expected {expected}")
            return
        self.differences.append(f"{place}: taken, expected to be refused with {expected}")

    def _send(self, event: Event) -> None:
        content = json.dumps({"type": event.type, "data": event.data}, sort_keys=True, default=str).encode()
        digest = hashlib.sha256(content).hexdigest()
        self._receive(SCENARIO_SOURCE, event.event_id or digest[:32], event.type, event.data, digest)

    def _receive(self, source: str, event_id: str, kind: str, data: Mapping[str, Any], digest: str) -> None:
        answer = self.stage.runtime.receive(
            self.stage.sender,
            ReceivedEvent(
                source=source,
                event_id=EventId(event_id),
                event_type=kind,
                occurred_at=datetime.now(UTC),
                data=_values(data),
                body_digest=digest,
            ),
        )
        if self.workflow_id is None and answer.instances:
            self.workflow_id = answer.instances[0].workflow_id

    def _run(self) -> None:
        self.stage.run()
        while self._deliver():
            self.stage.run()

    def _deliver(self) -> bool:
        """Deliver what the systems have sent since; return whether there was anything."""
        fresh = [event for event in self._events() if event["id"] not in self._delivered]
        for event in fresh:
            self._delivered.add(event["id"])
            digest = hashlib.sha256(json.dumps(event, sort_keys=True).encode()).hexdigest()
            self._receive(event["source"], event["id"], event["type"], event["data"], digest)
        return bool(fresh)

    def _events(self) -> Iterator[dict[str, Any]]:
        for system in self.stage.systems:
            for row in self.stage.switches.ledger(system)["events"]:
                yield json.loads(row["body"])

    # --- what is compared ----------------------------------------------------------------------------------------

    def _known(self) -> WorkflowId:
        if self.workflow_id is None:
            raise ScenarioFailed("No instance was started.")
        return self.workflow_id

    def _instance(self) -> InstanceView:
        return self.stage.runtime.instance(self.stage.watcher, self._known())

    def _documents(self) -> list[dict[str, Any]]:
        prefix = f"{self._instance().business_key}/"
        documents = cast(list[dict[str, Any]], self.stage.switches.ledger("erp")["requisitions"])
        return [each for each in documents if str(each["reference"]).startswith(prefix)]

    def _compare(self, expected: Expected, place: str) -> None:
        instance = self._instance()
        self._same(place, "status", expected.status, instance.business_status)
        self._same(place, "state", expected.state, instance.execution_state)
        self._same(place, "statuses", expected.statuses, statuses_of(instance))
        tasks = tuple(sorted(wait.step_key for wait in instance.waits if wait.kind == "task"))
        self._same(place, "tasks", None if expected.tasks is None else tuple(sorted(expected.tasks)), tasks)
        incidents = tuple(sorted(each.code for each in instance.incidents if each.closed_at is None))
        self._same(place, "incidents", expected.incidents, incidents)
        closed = tuple(each.code for each in instance.incidents if each.closed_at is not None)
        self._same(place, "closed incidents", expected.closed_incidents, closed)
        acts = {entry.detail["after"]: entry.actor for entry in instance.timeline if entry.event == "status"}
        for status, actor in expected.actors.items():
            named = actor if actor.startswith("rule:") else self.stage.actor(actor).person_id
            self._same(place, f"the actor of {status}", named, acts.get(status))
        self._same(place, "messages", expected.messages, self.stage.published.topics(instance.workflow_id))
        if expected.documents is not None:
            self._same(place, "documents", list(expected.documents), _looked_at(self._documents(), expected.documents))
        for expression in expected.variables:
            if compile_expression(expression).evaluate(instance.variables, now=instance.updated_at) is not True:
                self.differences.append(f"{place}: {expression} is not true")

        for topic, expression in expected.told.items():
            data = self.stage.published.last(instance.workflow_id, topic)
            if data is None or compile_expression(expression).evaluate(data, now=instance.updated_at) is not True:
                self.differences.append(f"{place}: {expression} is not true of {topic}: {data}")

    def _same(self, place: str, what: str, expected: object, found: object) -> None:
        if expected is not None and expected != found:
            self.differences.append(f"{place}: {what}: expected {expected}, found {found}")


def statuses_of(instance: InstanceView) -> tuple[str, ...]:
    """Return every business status an instance has entered, in order."""
    return tuple(entry.detail["after"] for entry in instance.timeline if entry.event == "status")


def _looked_at(
    documents: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, str]]
) -> list[Mapping[str, Any]]:
    """Return of each document the fields that are looked at; of those beyond the expected ones everything."""
    shown: list[Mapping[str, Any]] = [
        {name: str(each.get(name)) for name in fields} for each, fields in zip(documents, expected, strict=False)
    ]
    return [*shown, *documents[len(shown) :]]


def _values(data: Mapping[str, Any]) -> dict[str, Value]:
    """Return YAML or JSON values as process values: binary fractions become exact numbers."""
    return {key: _value(each) for key, each in data.items()}


def _value(each: Any) -> Value:
    match each:
        case float():
            return Decimal(repr(each))
        case Mapping():
            return _values(cast(Mapping[str, Any], each))
        case list():
            return [_value(item) for item in cast(Sequence[Any], each)]
        case _:
            return each
