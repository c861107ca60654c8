"""The audit trail of instances: appended, never changed (W24)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select

from engine.contract.ids import TenantId, WorkflowId
from engine.store.statements import Change, Query, after, limit, same
from engine.store.tables import audit


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One thing that happened."""

    tenant_id: TenantId
    workflow_id: WorkflowId
    audit_id: str
    event: str
    actor: str
    at: datetime
    detail: Any
    seal: str | None


INSERT = Change("audit.insert", "Write down what happened.", insert(audit))
OF_INSTANCE = Query(
    "audit.of_instance",
    "What happened to an instance, in order. Parameters: tenant_id, workflow_id, after, limit.",
    select(audit)
    .where(*same(audit, "tenant_id", "workflow_id"), after(audit.c.audit_id))
    .order_by(audit.c.audit_id)
    .limit(limit()),
    AuditRow,
)
