"""The shapes of the API's answers, for the OpenAPI document. Exact numbers travel as strings, instants in UTC."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field


class InstanceAnswer(BaseModel):
    """An instance as commands answer with it; ``is_new`` false: it existed already."""

    workflow_id: str
    workflow_type: str
    business_key: str | None
    business_status: str | None
    execution_state: str
    version: int
    is_new: bool


class EventAnswer(BaseModel):
    """What became of an event; ``is_repeat``: it was received before, this is the first answer again."""

    event_id: str
    fate: str = Field(description="started, correlated, existing, kept or unknown_type")
    instances: list[InstanceAnswer]
    is_repeat: bool


class DecisionAnswer(BaseModel):
    """A recorded decision; ``is_repeat``: the same decision had been received before."""

    approval_id: str
    instance: InstanceAnswer
    is_repeat: bool


class Process(BaseModel):
    """A process by its current version."""

    workflow_type: str
    definition_id: str
    number: int
    digest: str
    title: dict[str, str]
    owner: str
    deployed_at: datetime
    start_form: dict[str, Any] | None
    may_start: bool


class ProcessPage(BaseModel):
    """Part of the list of processes. ``next`` is the cursor of the part after it, null at the end."""

    items: list[Process]
    next: str | None


class InstanceSummary(BaseModel):
    """An instance in a list."""

    workflow_id: str
    workflow_type: str
    process_title: str
    business_key: str | None
    business_status: str | None
    status_title: str
    standing: str = Field(description="running, waiting, done, stopped, failed or attention")
    execution_state: str
    current_step: str | None
    current_label: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


class InstancePage(BaseModel):
    """Part of the list of instances. ``next`` is the cursor of the part after it, null at the end."""

    items: list[InstanceSummary]
    next: str | None


class Instance(BaseModel):
    """Everything about an instance: steps, waits, documents, decisions, incidents, timeline, variables."""

    tenant_id: str
    workflow_id: str
    workflow_type: str
    process_title: str
    definition_id: str
    definition_number: int
    business_key: str | None
    business_status: str | None
    status_title: str
    standing: str = Field(description="running, waiting, done, stopped, failed or attention")
    execution_state: str
    version: int
    current_step: str | None
    retry_count: int
    trace_id: str
    started_by: str
    deadline_at: datetime | None
    cancel_reason: str | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    steps: list[dict[str, Any]]
    waits: list[dict[str, Any]]
    documents: list[dict[str, Any]]
    decisions: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    timeline: list[dict[str, Any]]
    variables: dict[str, Any]
    origins: dict[str, str]
    names: dict[str, str]
    calls: list[dict[str, Any]]
    model_calls: list[dict[str, Any]]
    possible: list[dict[str, Any]]
    is_cut: bool


class TaskSummary(BaseModel):
    """A task in a list."""

    task_id: str
    workflow_id: str
    workflow_type: str
    business_key: str | None
    business_status: str | None
    step_key: str
    label: str
    role: str
    priority: int
    opened_at: datetime
    due_at: datetime | None
    escalated_to: str | None


class TaskPage(BaseModel):
    """Part of the list of tasks. ``next`` is the cursor of the part after it, null at the end."""

    items: list[TaskSummary]
    next: str | None


class Task(BaseModel):
    """A task with its form, its facts and suggestions apart, and what a decision is bound to."""

    task_id: str
    workflow_id: str
    workflow_type: str
    business_key: str | None
    business_status: str | None
    step_key: str
    label: str
    documentation: str
    role: str
    role_title: str
    form: dict[str, Any] | None
    bound_digest: str
    facts: dict[str, Any]
    suggestions: dict[str, Any]
    sources: dict[str, dict[str, Any]]
    priority: int
    opened_at: datetime | None
    due_at: datetime | None
    remind_at: datetime | None
    escalate_at: datetime | None
    escalated_to: str | None
    why_not: str | None
    decision: dict[str, Any] | None


class Health(BaseModel):
    """Whether the process lives, or is ready to serve."""

    status: str
    detail: str = ""
