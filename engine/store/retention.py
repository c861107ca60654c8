"""History has a time to live (P12): finished instances whose retention is over are removed with all they left."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Table, delete, select

from engine.contract.ids import TenantId, WorkflowId
from engine.store.clock import now_for_scan
from engine.store.statements import Change, Query, limit, same
from engine.store.tables import (
    approval,
    attempt,
    audit,
    blob,
    business_field,
    effect,
    incident,
    instance,
    model_call,
    outbox,
    step,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """A finished instance that need not be kept any longer."""

    tenant_id: TenantId
    workflow_id: WorkflowId


EXPIRED = Query(
    "instance.expired",
    "Finished instances whose retention is over, over all tenants. Parameter: limit.",
    select(instance.c.tenant_id, instance.c.workflow_id)
    .where(instance.c.expires_at <= now_for_scan(), instance.c.finished_at.is_not(None))
    .order_by(instance.c.expires_at)
    .limit(limit()),
    Expired,
)


def _removal(table: Table) -> Change:
    return Change(
        f"{table.name}.remove",
        "Remove what an expired instance left. Parameters: tenant_id, workflow_id.",
        delete(table).where(*same(table, "tenant_id", "workflow_id")),
    )


#: Run all of them in one unit of work; the instance itself comes last.
REMOVALS = tuple(
    _removal(table)
    for table in (
        approval,
        attempt,
        audit,
        blob,
        business_field,
        effect,
        incident,
        model_call,
        outbox,
        step,
        instance,
    )
)
