"""Requests to language models: which model, how many tokens, what it cost (D6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select

from engine.contract.ids import JobId, TenantId, WorkflowId
from engine.store.statements import Change, Query, limit, same
from engine.store.tables import model_call


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallRow:
    """One request; its texts are blobs of the instance."""

    tenant_id: TenantId
    workflow_id: WorkflowId
    job_id: JobId
    attempt: int
    provider: str
    model: str
    status: str
    request_digest: str
    response_digest: str | None
    prompt_tokens: int
    completion_tokens: int
    cost_micros: int | None
    called_at: datetime


INSERT = Change("model_call.insert", "Record a request to a model.", insert(model_call))
OF_INSTANCE = Query(
    "model_call.of_instance",
    "Requests to models of an instance. Parameters: tenant_id, workflow_id, limit.",
    select(model_call)
    .where(*same(model_call, "tenant_id", "workflow_id"))
    .order_by(model_call.c.job_id, model_call.c.attempt)
    .limit(limit()),
    ModelCallRow,
)
