"""Rows of what an instance waits for (P4), from the waits of an advance; and which rows its closed waits take away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from engine.contract.keys import idempotency_key
from engine.contract.operation import Effect, Operation
from engine.contract.registry import UnknownOperation
from engine.interpreter.failures import InterpretationFailed, SuggestionNotAccepted
from engine.interpreter.messages import (
    Advance,
    JobWait,
    MessageThrown,
    MessageWait,
    TaskWait,
    TimerWait,
    Wait,
)
from engine.interpreter.values import Value
from engine.model.graph import FlowNode, MessageEvent, NodeKind, TaskSettings, TimerEvent
from engine.runtime.cause import Cause, Parameters, Surroundings
from engine.runtime.commands import JobKind
from engine.runtime.deadlines import deadline
from engine.runtime.encoding import digest, pack, plain, plain_json
from engine.runtime.roles import drawn_role
from engine.runtime.summaries import input_summary
from engine.store.instances import InstanceHead, InstanceRow
from engine.store.jobs import JobStatus
from engine.store.tables import KEY
from engine.store.timers import TimerKind

#: Priority of jobs; lower runs first.
_JOB_PRIORITY = 50


class KeyTooLong(InterpretationFailed):
    """The correlation key is too long to be looked for. Correct the data it is made of, then repair the instance."""

    code = "key_too_long"


class OperationMissing(InterpretationFailed):
    """The step calls an operation that is not installed. Install it, then repair the instance."""

    code = "operation_missing"


@dataclass(frozen=True, kw_only=True)
class WaitRows:
    """The rows that opened waits make. ``job_steps`` is what their steps' rows show, by execution id."""

    jobs: tuple[Parameters, ...]
    tasks: tuple[Parameters, ...]
    timers: tuple[Parameters, ...]
    subscriptions: tuple[Parameters, ...]
    job_steps: Mapping[str, Parameters] = field(default_factory=dict[str, Parameters])


@dataclass(frozen=True, kw_only=True)
class Closed:
    """The rows that closed waits take away, by table; a wait of unknown kind stands in every one.

    ``everything``: all open rows of the instance.
    """

    jobs: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    timers: tuple[str, ...] = ()
    subscriptions: tuple[str, ...] = ()
    everything: bool = False

    def without_job(self, job_id: str) -> Closed:
        """Return the same without one job, whose row its worker takes away under its fencing number."""
        return replace(self, jobs=tuple(each for each in self.jobs if each != job_id))

    def without_timer(self, wait_id: str) -> Closed:
        """Return the same without one wait's timer, whose row is taken away by whoever fires it."""
        return replace(self, timers=tuple(each for each in self.timers if each != wait_id))


NOTHING_CLOSED = Closed()


def opened(instance: InstanceRow, waits: Sequence[Wait], around: Surroundings, cause: Cause) -> WaitRows:
    """Return the rows for opened waits.

    Raises
    ------
    KeyTooLong
        When a message's correlation key has no room in its column.
    SuggestionNotAccepted
        When an operation would read an unaccepted suggestion that it does not judge (P10).
    OperationMissing
        When its operation is not installed.
    """
    jobs: list[Parameters] = []
    tasks: list[Parameters] = []
    timers: list[Parameters] = []
    subscriptions: list[Parameters] = []
    job_steps: dict[str, Parameters] = {}
    for wait in waits:
        match wait:
            case JobWait():
                row = _job(instance, wait, around, cause)
                jobs.append(row)
                job_steps[wait.wait_id] = {
                    "idempotency_key": row["idempotency_key"],
                    "input_summary": input_summary(wait.arguments),
                }
            case TaskWait():
                task = _task(instance, wait, around)
                tasks.append(task)
                timers.extend(_task_timers(task, around))
            case TimerWait():
                timers.append(_timer(instance, wait))
            case MessageWait():
                subscriptions.append(_subscription(instance, wait))
    return WaitRows(
        jobs=tuple(jobs),
        tasks=tuple(tasks),
        timers=tuple(timers),
        subscriptions=tuple(subscriptions),
        job_steps=job_steps,
    )


def message_key(instance: InstanceHead, correlation_key: str | None) -> str:
    """Return what a message must carry to reach an instance: the drawn value, else its business key, else its id."""
    return correlation_key or instance.business_key or instance.workflow_id


def continuation(instance: InstanceRow, around: Surroundings) -> Parameters:
    """Return the job that goes on with an advance that reached its cap."""
    return _job_row(
        instance,
        around,
        job_id=around.new_id(),
        step_key=instance.current_step or "",
        kind=JobKind.CONTINUE,
        idempotency_key=f"{instance.tenant_id}:{instance.workflow_id}:continue:{instance.version}",
    )


def thrown(instance: InstanceRow, messages: Sequence[MessageThrown], around: Surroundings) -> tuple[Parameters, ...]:
    """Return the outbox rows of thrown messages (W15)."""
    return tuple(
        outbox_row(
            instance,
            around,
            each.message_name,
            {"element_id": each.element_id, "data": plain(each.payload)},
        )
        for each in messages
    )


def outbox_row(instance: InstanceHead, around: Surroundings, topic: str, content: Mapping[str, Any]) -> Parameters:
    """Return one outbox row; the payload carries the ids of W22."""
    ids = {
        "workflow_id": instance.workflow_id,
        "workflow_type": instance.workflow_type,
        "business_key": instance.business_key,
        "trace_id": instance.trace_id,
    }
    return {
        "tenant_id": instance.tenant_id,
        "message_id": around.new_id(),
        "workflow_id": instance.workflow_id,
        "topic": topic,
        "payload": plain_json({**ids, **content}),
        "created_at": around.now,
        "next_at": around.now,
        "failure_count": 0,
    }


def closed(advance: Advance, around: Surroundings) -> Closed:
    """Return which rows the closed waits of an advance take away."""
    elements = {event.execution_id: event.element_id for event in advance.steps}
    tables: dict[str, list[str]] = {"jobs": [], "tasks": [], "timers": [], "subscriptions": []}
    for each in advance.closed:
        node = around.definition.nodes.get(elements.get(each.wait_id, ""))
        for table in _tables_of(node):
            tables[table].append(each.wait_id)
    return Closed(
        jobs=tuple(tables["jobs"]),
        tasks=tuple(tables["tasks"]),
        timers=tuple(tables["timers"]),
        subscriptions=tuple(tables["subscriptions"]),
    )


def _tables_of(node: FlowNode | None) -> tuple[str, ...]:
    if node is not None:
        if node.kind in (NodeKind.USER_TASK, NodeKind.MANUAL_TASK):
            return ("tasks", "timers") if _has_reminders(node.task) else ("tasks",)
        if node.operation is not None:
            return ("jobs",)
        if isinstance(node.event, TimerEvent):
            return ("timers",)
        if isinstance(node.event, MessageEvent):
            return ("subscriptions",)
    return ("jobs", "tasks", "timers", "subscriptions")


def _has_reminders(task: TaskSettings | None) -> bool:
    return task is not None and (task.reminder is not None or task.escalation is not None)


def _job(instance: InstanceRow, wait: JobWait, around: Surroundings, cause: Cause) -> Parameters:
    reference = around.pinned.get(wait.reference, wait.reference)
    try:
        operation = around.registry.find(reference)
    except UnknownOperation as error:
        raise OperationMissing(f"{wait.element_id} calls {reference}.", element_id=wait.element_id) from error
    refused = wait.suggested - operation.accepts_suggestions
    if refused and operation.effect is Effect.WRITE:
        raise SuggestionNotAccepted(
            f"{wait.element_id} would write {', '.join(sorted(refused))} from a suggestion that nobody has accepted.",
            element_id=wait.element_id,
        )
    node = around.definition.nodes.get(wait.element_id)
    drawn = node.operation if node is not None else None
    context = {
        "intent": wait.intent,
        "approval_id": cause.approval_id,
        "event_id": cause.event_id,
        "attempts": drawn.retry_attempts if drawn is not None else None,
        "timeout": drawn.timeout if drawn is not None else None,
        "is_versioned": True if drawn is not None and drawn.intent is not None else None,
    }
    key = idempotency_key(instance.tenant_id, instance.workflow_id, wait.element_id, wait.iteration, wait.intent)
    return _job_row(
        instance,
        around,
        job_id=wait.wait_id,
        step_key=wait.element_id,
        iteration=wait.iteration,
        kind=JobKind.OPERATION,
        operation=operation.reference,
        system=operation.system,
        idempotency_key=key,
        arguments=arguments_json(operation, wait.arguments),
        context={name: value for name, value in context.items() if value is not None},
    )


def _job_row(instance: InstanceRow, around: Surroundings, **values: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "tenant_id": instance.tenant_id,
        "workflow_id": instance.workflow_id,
        "iteration": "0",
        "operation": None,
        "system": None,
        "priority": _JOB_PRIORITY,
        "not_before": around.now,
        "status": JobStatus.READY,
        "owner": None,
        "attempt": 0,
        "lease_until": None,
        "failure_count": 0,
        "lost_count": 0,
        "is_unknown": False,
        "arguments": None,
        "context": {},
        "created_at": around.now,
    }
    return row | values


def arguments_json(operation: Operation, arguments: Mapping[str, Value]) -> bytes:
    """Return an operation's arguments as its input model writes them: exact numbers as strings.

    Arguments that the model refuses are kept as they are: the call then fails with ``bad_parameters``, which the
    drawing may catch.
    """
    try:
        return operation.input_model.model_validate(dict(arguments), strict=False).model_dump_json().encode()
    except ValidationError:
        return plain_json(arguments)


def _task(instance: InstanceRow, wait: TaskWait, around: Surroundings) -> dict[str, Any]:
    node = around.definition.nodes[wait.element_id]
    settings = node.task or TaskSettings()
    calendar = around.definition.settings.calendar
    return {
        "tenant_id": instance.tenant_id,
        "task_id": wait.wait_id,
        "workflow_id": instance.workflow_id,
        "step_key": wait.element_id,
        "iteration": wait.iteration,
        "role": drawn_role(around.definition, wait.element_id),
        "assignee": None,
        "excluded": list(wait.excluded) or None,
        "priority": settings.priority,
        "opened_at": around.now,
        "due_at": deadline(settings.due, calendar, around.now),
        "remind_at": deadline(settings.reminder, calendar, around.now),
        "escalate_at": deadline(settings.escalation, calendar, around.now),
        "escalated_to": None,
        "bound_digest": digest(pack(wait.bound)),
        "shown": pack(wait.shown),
    }


def _task_timers(task: Mapping[str, Any], around: Surroundings) -> list[Parameters]:
    return [
        {
            "tenant_id": task["tenant_id"],
            "timer_id": around.new_id(),
            "workflow_id": task["workflow_id"],
            "step_key": task["step_key"],
            "kind": kind,
            "wait_id": task["task_id"],
            "due_at": task[column],
        }
        for kind, column in ((TimerKind.REMINDER, "remind_at"), (TimerKind.ESCALATION, "escalate_at"))
        if task[column] is not None
    ]


def _timer(instance: InstanceRow, wait: TimerWait) -> Parameters:
    return {
        "tenant_id": instance.tenant_id,
        "timer_id": wait.wait_id,
        "workflow_id": instance.workflow_id,
        "step_key": wait.element_id,
        "kind": TimerKind.EVENT,
        "wait_id": wait.wait_id,
        "due_at": wait.due_at,
    }


def _subscription(instance: InstanceRow, wait: MessageWait) -> Parameters:
    correlation_key = message_key(instance, wait.correlation_key)
    if len(correlation_key) > KEY:
        raise KeyTooLong(
            f"{wait.element_id} waits for a key of {len(correlation_key)} characters; {KEY} are possible.",
            element_id=wait.element_id,
        )
    return {
        "tenant_id": instance.tenant_id,
        "subscription_id": wait.wait_id,
        "workflow_id": instance.workflow_id,
        "step_key": wait.element_id,
        "message_name": wait.message_name,
        "correlation_key": correlation_key,
    }
