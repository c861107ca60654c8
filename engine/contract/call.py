"""What an operation is told about the call it is making."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from engine.contract.connection import Connection
from engine.contract.ids import (
    BusinessKey,
    EventId,
    ExecutionId,
    IdempotencyKey,
    StepKey,
    TenantId,
    TraceId,
    WorkflowId,
)
from engine.contract.recorder import NoRecorder, Recorder


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """The ids that appear on everything this call causes: logs, rows and outgoing requests (W22)."""

    tenant_id: TenantId
    workflow_id: WorkflowId
    business_key: BusinessKey | None
    step_key: StepKey
    execution_id: ExecutionId
    trace_id: TraceId
    event_id: EventId | None = None
    approval_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """One attempt at an operation.

    Attributes
    ----------
    idempotency_key
        The canonical key; ``sent_key`` is what goes over the wire.
    sent_key
        First 32 hex digits of the key's SHA-256: it fits every ERP that was looked at.
    attempt
        The fencing number of the claim under which this call runs; starts at 1.
    now
        The store's instant at the start of this call, aware, UTC. An operation reads no other clock.
    deadline
        The instant after which the answer no longer counts, aware, UTC.
    connection
        How to reach the operation's system; None for operations without one.
    is_last_attempt
        Whether a failure of this attempt is handed to a person instead of being retried.
    recorder
        Where to report that a request has left, and what was asked of a model.
    """

    correlation: Correlation
    idempotency_key: IdempotencyKey
    sent_key: str
    attempt: int
    now: datetime
    deadline: datetime
    connection: Connection | None
    is_last_attempt: bool = False
    recorder: Recorder = field(default_factory=NoRecorder, repr=False, compare=False)
