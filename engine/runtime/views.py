"""What people and programs see of processes, instances, tasks and the queue. Plain values, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

from engine.contract.ids import (
    ApprovalId,
    BusinessKey,
    DefinitionId,
    ExecutionId,
    IdempotencyKey,
    PersonId,
    StepKey,
    TaskId,
    TenantId,
    TraceId,
    WorkflowId,
    WorkflowType,
)
from engine.interpreter.values import Value
from engine.model.forms import Form

Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class Page(Generic[Item]):
    """Part of a list; ``next`` is the cursor of the part after it, None at the end."""

    items: tuple[Item, ...]
    next: str | None


@dataclass(frozen=True, kw_only=True)
class ProcessView:
    """A process by its current version. ``title`` is by language."""

    workflow_type: WorkflowType
    definition_id: DefinitionId
    number: int
    digest: str
    title: Mapping[str, str]
    owner: str
    deployed_at: datetime
    start_form: Form | None
    may_start: bool


@dataclass(frozen=True, kw_only=True)
class InstanceSummary:
    """An instance in a list."""

    workflow_id: WorkflowId
    workflow_type: WorkflowType
    process_title: str
    business_key: BusinessKey | None
    business_status: str | None
    status_title: str
    standing: str
    execution_state: str
    current_step: StepKey | None
    current_label: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class StepView:
    """One execution of one step (W8). Ended while ``ended_at`` is set."""

    execution_id: ExecutionId
    step_key: StepKey
    label: str
    iteration: str
    number: int
    status: str
    idempotency_key: IdempotencyKey | None
    input_summary: Any
    output_summary: Any
    error_code: str | None
    error_message: str | None
    failure_count: int
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class WaitView:
    """Something an instance waits for: a job, task, timer or message. ``detail`` says of what kind."""

    wait_id: str
    kind: str
    step_key: StepKey
    label: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TimelineEntry:
    """One thing that happened. ``ids`` are the correlation ids it carries (W22)."""

    at: datetime
    event: str
    step_key: str | None
    label: str
    actor: str
    detail: Mapping[str, Any]
    ids: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class DocumentView:
    """What is known of one document in a business system. ``result`` is its JSON, as the system answered."""

    step_key: StepKey
    iteration: str
    intent: int
    system: str
    operation: str
    idempotency_key: IdempotencyKey
    sent_key: str
    state: str
    result: Any
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class IncidentView:
    """Something an operator must look at, or has looked at."""

    incident_id: str
    workflow_id: WorkflowId
    step_key: StepKey | None
    code: str
    message: str
    role: str
    opened_at: datetime
    closed_at: datetime | None
    can_be_applied_again: bool


@dataclass(frozen=True, kw_only=True)
class DecisionView:
    """A decision: who, when, what."""

    approval_id: ApprovalId
    task_id: TaskId
    step_key: StepKey
    person_id: PersonId
    name: str
    decided_at: datetime
    bound_digest: str
    values: Mapping[str, Value]


@dataclass(frozen=True, kw_only=True)
class CallView:
    """One call to another system. ``outcome`` None: nobody knows what became of it."""

    step_key: StepKey | None
    operation: str
    attempt: int
    purpose: str
    sent_key: str
    began_at: datetime
    outcome: str | None
    answered_at: datetime | None
    error_message: str | None


@dataclass(frozen=True, kw_only=True)
class ModelCallView:
    """One request to a language model. ``cost_micros`` in millionths of the provider's currency."""

    provider: str
    model: str
    status: str
    prompt_tokens: int
    completion_tokens: int
    cost_micros: int | None
    called_at: datetime


class Act(StrEnum):
    """What somebody may do about an instance."""

    CANCEL = "cancel"
    REPAIR = "repair"
    MOVE = "move"
    RELEASE_KEY = "release_key"


@dataclass(frozen=True, kw_only=True)
class PossibleAct:
    """One thing that the reader may ask for: the repair of an incident, or a move to a status."""

    act: Act
    incident_id: str | None = None
    status: str | None = None


@dataclass(frozen=True, kw_only=True)
class InstanceView:
    """Everything about an instance. Sensitive variables are left out for those who may not read the audit trail.

    Attributes
    ----------
    standing
        How it stands, for every process alike: running, waiting, done, stopped, failed, attention.
    names
        What the people in it are called, by their id.
    possible
        What the reader may ask for now.
    is_cut
        Whether only the first rows of a very long story are here.
    """

    tenant_id: TenantId
    workflow_id: WorkflowId
    workflow_type: WorkflowType
    process_title: str
    definition_id: DefinitionId
    definition_number: int
    business_key: BusinessKey | None
    business_status: str | None
    status_title: str
    standing: str
    execution_state: str
    version: int
    current_step: StepKey | None
    retry_count: int
    trace_id: TraceId
    started_by: PersonId
    deadline_at: datetime | None
    cancel_reason: str | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    steps: tuple[StepView, ...]
    waits: tuple[WaitView, ...]
    documents: tuple[DocumentView, ...]
    decisions: tuple[DecisionView, ...]
    incidents: tuple[IncidentView, ...]
    timeline: tuple[TimelineEntry, ...]
    variables: Mapping[str, Value]
    origins: Mapping[str, str]
    names: Mapping[str, str]
    calls: tuple[CallView, ...]
    model_calls: tuple[ModelCallView, ...]
    possible: tuple[PossibleAct, ...]
    is_cut: bool


@dataclass(frozen=True, kw_only=True)
class TaskFilter:
    """Which tasks to list. ``business_key`` is part of the key, in whatever case; None leaves open."""

    workflow_type: str | None = None
    business_key: str | None = None
    is_overdue: bool = False


@dataclass(frozen=True, kw_only=True)
class TaskSummary:
    """A task in a list."""

    task_id: TaskId
    workflow_id: WorkflowId
    workflow_type: WorkflowType
    business_key: BusinessKey | None
    business_status: str | None
    step_key: StepKey
    label: str
    role: str
    priority: int
    opened_at: datetime
    due_at: datetime | None
    escalated_to: str | None


@dataclass(frozen=True, kw_only=True)
class FactSource:
    """Who vouches for a value: kind of origin, name of operation, rule or person, and as of when it holds."""

    origin: str
    source: str
    as_of: datetime | None


@dataclass(frozen=True, kw_only=True)
class TaskView:
    """A task as its page shows it.

    Attributes
    ----------
    facts, suggestions
        The variables shown, apart by who vouches for them (W19); of a decided task, as they stood then.
    sources
        Where each of them comes from.
    why_not
        Why the reader may not decide it, as the end of a sentence; None when they may.
    decision
        How it was decided, when it is no longer open.
    """

    task_id: TaskId
    workflow_id: WorkflowId
    workflow_type: WorkflowType
    business_key: BusinessKey | None
    business_status: str | None
    step_key: StepKey
    label: str
    documentation: str
    role: str
    role_title: str
    form: Form | None
    bound_digest: str
    facts: Mapping[str, Value] = field(default_factory=dict[str, Value])
    suggestions: Mapping[str, Value] = field(default_factory=dict[str, Value])
    sources: Mapping[str, FactSource] = field(default_factory=dict[str, FactSource])
    priority: int = 50
    opened_at: datetime | None = None
    due_at: datetime | None = None
    remind_at: datetime | None = None
    escalate_at: datetime | None = None
    escalated_to: str | None = None
    why_not: str | None = None
    decision: DecisionView | None = None


@dataclass(frozen=True, kw_only=True)
class BacklogView:
    """Open jobs of one system in one status. ``oldest_due_age`` in seconds is the alarm; negative: not due yet."""

    system: str | None
    status: str
    count: int
    oldest_due_age: float


@dataclass(frozen=True, kw_only=True)
class OpenIncidentView(IncidentView):
    """An open incident in a list, with the names of its instance. ``role_title`` is whose it is."""

    workflow_type: WorkflowType
    process_title: str
    business_key: BusinessKey | None
    step_label: str
    role_title: str


@dataclass(frozen=True, kw_only=True)
class QueueView:
    """What waits for workers and for operators. ``has_more``: these are the oldest incidents, not all."""

    jobs: tuple[BacklogView, ...]
    incidents: tuple[OpenIncidentView, ...]
    has_more: bool


@dataclass(frozen=True, kw_only=True)
class WaitingView:
    """How much waits for a reader; no further than the bounds of queue_view are counted."""

    tasks: int
    incidents: int


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What is open now, for metrics. ``instances`` is by process, business status and execution state."""

    instances: Mapping[tuple[str, str, str], int]
    tasks: Mapping[str, int]
    oldest_task_age: Mapping[str, float]
    incidents: Mapping[str, int]
    unknown_documents: int
    jobs: tuple[BacklogView, ...]
