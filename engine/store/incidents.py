"""What an operator must look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select, update

from engine.contract.ids import ExecutionId, PersonId, StepKey, TenantId, WorkflowId
from engine.store.statements import Change, Query, after, before, limit, new, same
from engine.store.tables import incident


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentRow:
    """An incident; open while ``closed_at`` is None."""

    tenant_id: TenantId
    incident_id: str
    workflow_id: WorkflowId
    step_key: StepKey | None
    wait_id: ExecutionId | None
    code: str
    message: str
    role: str
    happening_digest: str | None
    opened_at: datetime
    closed_at: datetime | None
    closed_by: PersonId | None


_CLOSED = new(incident, "closed_at", "closed_by")

INSERT = Change("incident.insert", "Open an incident.", insert(incident))
OPEN = Query(
    "incident.open",
    "Open incidents, the oldest first. Parameters: tenant_id, after, limit.",
    select(incident)
    .where(*same(incident, "tenant_id"), incident.c.closed_at.is_(None), after(incident.c.incident_id))
    .order_by(incident.c.incident_id)
    .limit(limit()),
    IncidentRow,
)
ALL = Query(
    "incident.all",
    "Open and closed incidents, the newest first. Parameters: tenant_id, before, limit.",
    select(incident)
    .where(*same(incident, "tenant_id"), before(incident.c.incident_id))
    .order_by(incident.c.incident_id.desc())
    .limit(limit()),
    IncidentRow,
)
OPEN_OF_INSTANCE = Query(
    "incident.open_of_instance",
    "Open incidents of an instance. Parameters: tenant_id, workflow_id, limit.",
    select(incident)
    .where(*same(incident, "tenant_id", "workflow_id"), incident.c.closed_at.is_(None))
    .order_by(incident.c.incident_id)
    .limit(limit()),
    IncidentRow,
)
OF_INSTANCE = Query(
    "incident.of_instance",
    "Open and closed incidents of an instance. Parameters: tenant_id, workflow_id, after, limit.",
    select(incident)
    .where(*same(incident, "tenant_id", "workflow_id"), after(incident.c.incident_id))
    .order_by(incident.c.incident_id)
    .limit(limit()),
    IncidentRow,
)
CLOSE = Change(
    "incident.close",
    "Close an incident; 1 row: it was open. Parameters: tenant_id, incident_id, new_closed_at, new_closed_by.",
    update(incident).where(*same(incident, "tenant_id", "incident_id"), incident.c.closed_at.is_(None)).values(_CLOSED),
)
