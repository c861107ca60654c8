"""What can be asked of the runtime, and what it answers. Every command is one unit of work (P1).

The methods of ``engine.runtime.Runtime`` take an ``Actor`` first and one of these requests; they check the actor's
permission themselves, whatever page or program called them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from engine.contract.call import Correlation
from engine.contract.ids import (
    ApprovalId,
    BusinessKey,
    EventId,
    IdempotencyKey,
    JobId,
    StepKey,
    TaskId,
    TraceId,
    WorkflowId,
    WorkflowType,
)
from engine.interpreter.values import Value


class ExecutionState(StrEnum):
    """How the engine stands with an instance; the business status is the process's own."""

    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    INCIDENT = "incident"
    FINISHED = "finished"


# --- start and events --------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RequestKey:
    """A caller's Idempotency-Key with the fingerprint, in hex, of the request it was first used for."""

    key: str
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class StartRequest:
    """Start an instance by hand or by API.

    Attributes
    ----------
    business_key
        None: the process's expression gives it, if it has one.
    request_key
        A repeat by the same caller answers with the instance of the first request, with or without a business key.
    """

    workflow_type: WorkflowType
    variables: Mapping[str, Value]
    business_key: BusinessKey | None = None
    start_element: StepKey | None = None
    trace_id: TraceId | None = None
    request_key: RequestKey | None = None


@dataclass(frozen=True, kw_only=True)
class InstanceAnswer:
    """An instance as commands answer with it. ``is_new`` False: the key was held, this instance holds it."""

    workflow_id: WorkflowId
    workflow_type: WorkflowType
    business_key: BusinessKey | None
    business_status: str | None
    execution_state: ExecutionState
    version: int
    is_new: bool


@dataclass(frozen=True, kw_only=True)
class ReceivedEvent:
    """A business event that was verified at the border (signature, size, JSON).

    ``source`` and ``event_id`` identify it for ever; ``body_digest`` is the SHA-256 of the bytes as received.
    """

    source: str
    event_id: EventId
    event_type: str
    occurred_at: datetime | None
    data: Mapping[str, Value]
    body_digest: str
    trace_id: TraceId | None = None


class EventFate(StrEnum):
    """What became of an event."""

    STARTED = "started"
    CORRELATED = "correlated"
    #: The instance of its business key existed already.
    EXISTING = "existing"
    #: Kept until somebody waits for it.
    KEPT = "kept"
    #: No process of this tenant knows its type.
    UNKNOWN_TYPE = "unknown_type"


@dataclass(frozen=True, kw_only=True)
class EventAnswer:
    """``is_repeat``: the event was received before, and this is the first answer again."""

    event_id: EventId
    fate: EventFate
    instances: tuple[InstanceAnswer, ...]
    is_repeat: bool


# --- people ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DecideRequest:
    """A person's decision on a task.

    Attributes
    ----------
    bound_digest
        What the person saw: ``TaskView.bound_digest`` of the page they decided on (W16, sixth check).
    event_id
        The sender's id of this decision; a repeat with the same id and values is answered with the first answer.
    """

    task_id: TaskId
    values: Mapping[str, Value]
    bound_digest: str
    workflow_id: WorkflowId | None = None
    event_id: EventId | None = None


@dataclass(frozen=True, kw_only=True)
class DecisionAnswer:
    """``is_repeat``: the same decision had been received before."""

    approval_id: ApprovalId
    instance: InstanceAnswer
    is_repeat: bool


# --- work --------------------------------------------------------------------------------------------------------


class JobKind(StrEnum):
    """What a job does."""

    #: Calls an operation.
    OPERATION = "operation"
    #: Goes on with an advance that reached its cap.
    CONTINUE = "continue"


@dataclass(frozen=True, kw_only=True)
class EarlierIntent:
    """An earlier version of the same intent that is not settled; look it up before anything is sent."""

    intent: int
    idempotency_key: IdempotencyKey
    operation: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class ClaimedJob:
    """A job this worker may do until ``lease_until``.

    Attributes
    ----------
    arguments
        The operation's input as JSON, numbers that must be exact as strings.
    attempt
        The fencing number.
    must_look_up
        An earlier attempt may have done the work: ask by key before sending (P6, W10).
    unsettled
        Earlier versions of this intent that must be settled first (DECISIONS, Words and ids).
    """

    job_id: JobId
    kind: JobKind
    owner: str
    attempt: int
    lease_until: datetime
    claimed_at: datetime
    correlation: Correlation
    workflow_type: WorkflowType
    iteration: str
    operation: str | None
    arguments: str
    idempotency_key: IdempotencyKey
    failure_count: int
    must_look_up: bool
    unsettled: tuple[EarlierIntent, ...] = ()
    retry_attempts: int | None = None
    timeout: timedelta | None = None


@dataclass(frozen=True, kw_only=True)
class Succeeded:
    """``result`` is the output model as JSON. ``was_found``: looked up, not sent by this attempt."""

    result: str
    was_found: bool = False


@dataclass(frozen=True, kw_only=True)
class Retried:
    """Try again after ``pause``; ``error_code`` and ``message`` say why. ``is_unknown``: look up first."""

    pause: timedelta
    error_code: str
    message: str
    is_unknown: bool


@dataclass(frozen=True, kw_only=True)
class Failed:
    """It failed for good: the process's error event catches it, or an operator gets an incident."""

    error_code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Parked:
    """Nobody but a person can tell how to go on; the job waits with an incident."""

    error_code: str
    message: str
    is_unknown: bool


@dataclass(frozen=True, kw_only=True)
class Deferred:
    """A limit of the system was reached; not a failure. Try again after ``pause``."""

    pause: timedelta


JobOutcome = Succeeded | Retried | Failed | Parked | Deferred


@dataclass(frozen=True, kw_only=True)
class ModelCallRecord:
    """One request to a model, for the model_call table; the texts are stored as blobs."""

    provider: str
    model: str
    status: str
    request: bytes
    response: bytes | None
    prompt_tokens: int
    completion_tokens: int
    cost_micros: int | None


@dataclass(frozen=True, kw_only=True)
class RecordAnswer:
    """``is_late``: the lease was lost; nothing changed. ``next_job``: claimed in the same commit, if asked for."""

    is_late: bool
    next_job: ClaimedJob | None = None


# --- operators ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CancelRequest:
    """Cancel an instance, with a reason."""

    workflow_id: WorkflowId
    reason: str


@dataclass(frozen=True, kw_only=True)
class RepairRequest:
    """Apply again what an incident kept, or make a parked job ready again.

    ``resolution`` of an unknown outcome: ``found`` with the document as JSON, or ``absent``; None retries.
    ``status``: for a failed instance, the operator-only status to move to.
    """

    workflow_id: WorkflowId
    incident_id: str | None = None
    resolution: str | None = None
    document: str | None = None
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    status: str | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class DeployedVersion:
    """``is_new`` False: this very version was deployed before."""

    workflow_type: WorkflowType
    number: int
    digest: str
    is_new: bool
