"""A process as typed data: what the reader makes of a BPMN file, after normalising, and what the interpreter runs.

Terms are those of BPMN 2.0.2 (OMG formal/2013-12-09). Everything is frozen; ids are the drawn ones except for nodes
that normalising inserted, whose ``drawn_id`` names the element they stand for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.contract.ids import StepKey


class NodeKind(StrEnum):
    """The flow node kinds of BPMN 2.0, spelled as the standard's elements."""

    START_EVENT = "startEvent"
    END_EVENT = "endEvent"
    INTERMEDIATE_CATCH_EVENT = "intermediateCatchEvent"
    INTERMEDIATE_THROW_EVENT = "intermediateThrowEvent"
    BOUNDARY_EVENT = "boundaryEvent"
    TASK = "task"
    MANUAL_TASK = "manualTask"
    USER_TASK = "userTask"
    SERVICE_TASK = "serviceTask"
    SEND_TASK = "sendTask"
    RECEIVE_TASK = "receiveTask"
    SCRIPT_TASK = "scriptTask"
    BUSINESS_RULE_TASK = "businessRuleTask"
    SUB_PROCESS = "subProcess"
    CALL_ACTIVITY = "callActivity"
    EXCLUSIVE_GATEWAY = "exclusiveGateway"
    PARALLEL_GATEWAY = "parallelGateway"
    INCLUSIVE_GATEWAY = "inclusiveGateway"
    EVENT_BASED_GATEWAY = "eventBasedGateway"


class ScriptLanguage(StrEnum):
    """The languages a script task may be written in (DECISIONS, Expressions)."""

    PYTHON = "python"
    FEEL = "feel"


class TimerKind(StrEnum):
    """The three timer definitions of BPMN 2.0."""

    DATE = "timeDate"
    DURATION = "timeDuration"
    CYCLE = "timeCycle"


@dataclass(frozen=True, kw_only=True)
class Expression:
    """A FEEL expression without its leading ``=``, with the place it was drawn at."""

    text: str
    element_id: str
    place: str


@dataclass(frozen=True, kw_only=True)
class NoneEvent:
    """An event without a definition."""


@dataclass(frozen=True, kw_only=True)
class TerminateEvent:
    """Ends its scope: the process, or the sub-process it stands in (BPMN 2.0.2, 10.5.3)."""


@dataclass(frozen=True, kw_only=True)
class ErrorEvent:
    """``code`` None catches every error; a throwing event always has a code."""

    code: str | None
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class MessageEvent:
    """A message by name.

    Attributes
    ----------
    correlation
        For a catch: the value, evaluated when the wait opens, that an arriving message must carry. None means the
        instance's business key.
    payload
        For a throw: named FEEL expressions that make the payload.
    result
        For a catch: the variable that receives the payload; None discards it.
    """

    name: str
    correlation: Expression | None = None
    payload: Mapping[str, Expression] = field(default_factory=dict[str, Expression])
    result: str | None = None


@dataclass(frozen=True, kw_only=True)
class SignalEvent:
    """A signal by name."""

    name: str


@dataclass(frozen=True, kw_only=True)
class TimerEvent:
    """Exactly one of ``literal`` (ISO 8601) and ``expression`` is set.

    ``in_working_time`` counts a duration in working hours and days of the process's calendar.
    """

    kind: TimerKind
    literal: str | None = None
    expression: Expression | None = None
    in_working_time: bool = False


EventDefinition = NoneEvent | TerminateEvent | ErrorEvent | MessageEvent | SignalEvent | TimerEvent


@dataclass(frozen=True, kw_only=True)
class OperationBinding:
    """What a service, send or business rule task calls.

    Attributes
    ----------
    reference
        ``name@version`` as drawn, or as pinned at deployment.
    inputs
        FEEL expression by the operation's input name.
    result
        Variable that receives the output; None discards it.
    intent
        The N of the idempotency key; None counts how often the step was entered.
    retry_attempts, timeout
        Drawn overrides of the operation's own declaration; ``timeout`` is an ISO 8601 duration.
    compensate
        Reference of the operation that undoes this one, overriding the declared one.
    """

    reference: str
    inputs: Mapping[str, Expression] = field(default_factory=dict[str, Expression])
    result: str | None = None
    intent: Expression | None = None
    retry_attempts: int | None = None
    timeout: str | None = None
    compensate: str | None = None


@dataclass(frozen=True, kw_only=True)
class DecisionBinding:
    """A business rule task that evaluates a decision of the process's own DMN files."""

    decision: str
    result: str


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """Who may decide a task.

    Attributes
    ----------
    role
        A role of ``process.yaml``; defaults to the lane's.
    excluded
        FEEL expressions that give person ids who may never decide it (four eyes): one id, or a list.
    """

    role: str
    excluded: tuple[Expression, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FormBinding:
    """Which form a task or a start shows.

    Attributes
    ----------
    key
        File name below ``forms/``, without its extension.
    result
        Variable that receives the submitted values as one context; None merges each field as a variable.
    binds
        FEEL expression whose value is digested when the task opens: what the decision is bound to (W16, sixth check).
    """

    key: str
    result: str | None = None
    binds: Expression | None = None


@dataclass(frozen=True, kw_only=True)
class WorkingTime:
    """A duration, ISO 8601; in working time of the process's calendar when ``is_working``."""

    duration: str
    is_working: bool = True


@dataclass(frozen=True, kw_only=True)
class TaskSettings:
    """The extensions of a user task."""

    form: FormBinding | None = None
    assignment: Assignment | None = None
    due: WorkingTime | None = None
    reminder: WorkingTime | None = None
    escalation: WorkingTime | None = None
    escalation_role: str | None = None
    priority: int = 50


@dataclass(frozen=True, kw_only=True)
class StandardLoop:
    """BPMN standardLoopCharacteristics."""

    condition: Expression
    is_tested_before: bool
    maximum: int | None = None


@dataclass(frozen=True, kw_only=True)
class MultiInstance:
    """BPMN multiInstanceLoopCharacteristics: exactly one of ``cardinality`` and ``collection`` is set."""

    is_sequential: bool
    cardinality: Expression | None = None
    collection: Expression | None = None
    input_item: str | None = None
    output_collection: str | None = None
    output_item: str | None = None
    completion_condition: Expression | None = None


@dataclass(frozen=True, kw_only=True)
class FlowNode:
    """One node of the graph; which fields are set follows from ``kind``.

    Attributes
    ----------
    drawn_id
        The element in the analyst's drawing: equal to ``element_id`` unless normalising inserted this node.
    documentation_texts
        Documentation by language, from the extensions.
    status
        The business status that the instance enters when a token enters this node.
    event
        For events, receive tasks and send tasks.
    attached_to, is_interrupting
        For boundary events; ``is_interrupting`` also for starts of event sub-processes.
    default_flow
        Id of the default sequence flow of a gateway.
    called_process
        For a call activity: the workflow type it calls.
    """

    element_id: StepKey
    kind: NodeKind
    name: str = ""
    drawn_id: str = ""
    lane: str | None = None
    documentation: str = ""
    documentation_texts: Mapping[str, str] = field(default_factory=dict[str, str])
    incoming: tuple[str, ...] = ()
    outgoing: tuple[str, ...] = ()
    status: str | None = None
    event: EventDefinition | None = None
    attached_to: str | None = None
    is_interrupting: bool = True
    default_flow: str | None = None
    operation: OperationBinding | None = None
    decision: DecisionBinding | None = None
    task: TaskSettings | None = None
    script: str | None = None
    script_language: ScriptLanguage | None = None
    called_process: str | None = None
    loop: StandardLoop | MultiInstance | None = None
    inner: Scope | None = None


@dataclass(frozen=True, kw_only=True)
class SequenceFlow:
    """A sequence flow; ``condition`` None is unconditional."""

    flow_id: str
    source: StepKey
    target: StepKey
    name: str = ""
    condition: Expression | None = None


@dataclass(frozen=True, kw_only=True)
class DataObject:
    """A data object, shared in its scope at once (DECISIONS, Time, money, data)."""

    object_id: str
    name: str
    is_collection: bool = False


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A process or the inside of a sub-process."""

    scope_id: str
    name: str = ""
    nodes: Mapping[str, FlowNode] = field(default_factory=dict[str, FlowNode])
    flows: Mapping[str, SequenceFlow] = field(default_factory=dict[str, SequenceFlow])
    data_objects: Mapping[str, DataObject] = field(default_factory=dict[str, DataObject])

    def starts(self) -> tuple[FlowNode, ...]:
        """Return the start events in drawing order."""
        return tuple(node for node in self.nodes.values() if node.kind is NodeKind.START_EVENT)

    def boundary_events(self, attached_to: str) -> tuple[FlowNode, ...]:
        """Return the boundary events of an activity in drawing order."""
        return tuple(node for node in self.nodes.values() if node.attached_to == attached_to)
