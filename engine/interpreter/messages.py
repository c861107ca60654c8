"""What goes into the interpreter and what comes out: commands, waits, step events and the advance that joins them.

The interpreter does no I/O (P2). Everything here is a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from engine.contract.ids import ExecutionId, StepKey
from engine.contract.origin import Origin
from engine.interpreter.values import Value

# --- what may happen to an instance ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class JobSucceeded:
    """The job behind this wait delivered a result."""

    wait_id: ExecutionId
    result: Value
    origin: Origin
    source: str


@dataclass(frozen=True, kw_only=True)
class JobFailed:
    """The job behind this wait failed for good; an error boundary event with this code or without one catches it."""

    wait_id: ExecutionId
    error_code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class TaskCompleted:
    """A person decided; ``values`` are what the form declared."""

    wait_id: ExecutionId
    values: Mapping[str, Value]
    source: str


@dataclass(frozen=True, kw_only=True)
class TimerFired:
    """The timer behind this wait fell due."""

    wait_id: ExecutionId


@dataclass(frozen=True, kw_only=True)
class MessageReceived:
    """A message correlated to this wait."""

    wait_id: ExecutionId
    payload: Value
    source: str
    origin: Origin = Origin.SYSTEM


@dataclass(frozen=True, kw_only=True)
class Continue:
    """Go on where a capped advance stopped."""


@dataclass(frozen=True, kw_only=True)
class CancelAll:
    """End every token; nothing more will run."""


@dataclass(frozen=True, kw_only=True)
class VariablesCorrected:
    """An operator corrected data of the top scope."""

    values: Mapping[str, Value]
    source: str


@dataclass(frozen=True, kw_only=True)
class Restarted:
    """An operator sends the instance back: every token ends, and one goes on before a node of the top scope.

    Works on an instance without tokens too. Variables keep their values and origins, and executions are counted on.
    ``source`` is the operator.
    """

    element_id: StepKey
    source: str


Happening = (
    JobSucceeded
    | JobFailed
    | TaskCompleted
    | TimerFired
    | MessageReceived
    | Continue
    | CancelAll
    | VariablesCorrected
    | Restarted
)

# --- what an instance waits for ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class JobWait:
    """A service task, send task or operation-backed business rule task has work to do.

    Attributes
    ----------
    reference
        The operation as ``name@version``.
    arguments
        Evaluated inputs.
    intent
        The N of the idempotency key: the drawn intent expression, else how often this step was entered.
    iteration
        ``0`` or the loop / multi-instance index path, for example ``2`` or ``1.3``.
    suggested
        Names of arguments whose value is an unaccepted suggestion.
    """

    wait_id: ExecutionId
    element_id: StepKey
    iteration: str
    reference: str
    arguments: Mapping[str, Value]
    intent: int
    suggested: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class TaskWait:
    """A person has something to do (user and manual tasks).

    ``shown`` are the variables visible to the task, ``bound`` the value of ``FormBinding.binds``, ``excluded`` the
    evaluated person ids who may not decide it.
    """

    wait_id: ExecutionId
    element_id: StepKey
    iteration: str
    shown: Mapping[str, Value]
    bound: Value
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TimerWait:
    """A timer catch, boundary or event-gateway branch; ``due_at`` is aware, UTC."""

    wait_id: ExecutionId
    element_id: StepKey
    due_at: datetime


@dataclass(frozen=True, kw_only=True)
class MessageWait:
    """A message catch, receive task, boundary or event-gateway branch.

    ``correlation_key`` None stands for the instance's business key.
    """

    wait_id: ExecutionId
    element_id: StepKey
    message_name: str
    correlation_key: str | None


Wait = JobWait | TaskWait | TimerWait | MessageWait


@dataclass(frozen=True, kw_only=True)
class WaitClosed:
    """A wait that was open before the advance and is no more: completed by it, or withdrawn."""

    wait_id: ExecutionId
    is_withdrawn: bool


# --- what happened on the way ------------------------------------------------------------------------------------


class StepOutcome(StrEnum):
    """How a step stands after an advance."""

    ENTERED = "entered"
    COMPLETED = "completed"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class StepEvent:
    """A token entered or left an activity or a catching event; gateways and none events appear in ``Advance.path``.

    A step that is entered and completed within one advance gives one event, COMPLETED.
    ``execution_number`` counts executions of this element in this instance, from 1.
    """

    execution_id: ExecutionId
    element_id: StepKey
    iteration: str
    execution_number: int
    outcome: StepOutcome
    error_code: str | None = None


@dataclass(frozen=True, kw_only=True)
class StatusEntered:
    """A token entered an element that names a business status.

    ``decision`` is the decision that the token came from in this advance, None when it came from none.
    """

    element_id: StepKey
    status: str
    decision: str | None = None


@dataclass(frozen=True, kw_only=True)
class MessageThrown:
    """A message to be published through the outbox."""

    element_id: StepKey
    message_name: str
    payload: Mapping[str, Value]


@dataclass(frozen=True, kw_only=True)
class DecisionMade:
    """A decision table that fired, with its explanation as plain values: inputs, rules, outputs."""

    element_id: StepKey
    decision: str
    explanation: Value


@dataclass(frozen=True, kw_only=True)
class Advance:
    """The result of one happening.

    Attributes
    ----------
    state
        The new state: compressed bytes, without the specification. Opaque to everybody else.
    state_format
        Its format number, stored beside it (P8).
    is_finished
        No token is left.
    is_capped
        Automatic work is left over because a limit of this advance was reached; send ``Continue``.
    path
        Drawn ids of every flow node a token passed, in order.
    opened, closed
        Differences in waits against the state before.
    variables
        Variables of the top scope after the advance.
    error_code, error_message
        Set when an error event reached the top uncaught or an end event threw it: the instance has failed.
    """

    state: bytes
    state_format: int
    is_finished: bool
    is_capped: bool = False
    path: tuple[str, ...] = ()
    steps: tuple[StepEvent, ...] = ()
    statuses: tuple[StatusEntered, ...] = ()
    opened: tuple[Wait, ...] = ()
    closed: tuple[WaitClosed, ...] = ()
    messages: tuple[MessageThrown, ...] = ()
    decisions: tuple[DecisionMade, ...] = ()
    variables: Mapping[str, Value] = field(default_factory=dict[str, Value])
    error_code: str | None = None
    error_message: str | None = None
