"""What an operator must look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, func, insert, select, update

from engine.contract.ids import (
    BusinessKey,
    DefinitionId,
    ExecutionId,
    PersonId,
    StepKey,
    TenantId,
    WorkflowId,
    WorkflowType,
)
from engine.store.statements import Change, Query, after, before, limit, new, same
from engine.store.tables import incident, instance


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedIncident(IncidentRow):
    """An incident as a list shows it, with its instance's names."""

    workflow_type: WorkflowType
    business_key: BusinessKey | None
    definition_id: DefinitionId


#: Open incidents that a count goes up to.
MOST_COUNTED = 1000

_CLOSED = new(incident, "closed_at", "closed_by")

INSERT = Change("incident.insert", "Open an incident.", insert(incident))
OPEN = Query(
    "incident.open",
    "Open incidents with the names of their instances, the oldest first. Parameters: tenant_id, after, limit.",
    select(incident, instance.c.workflow_type, instance.c.business_key, instance.c.definition_id)
    .join(instance, (instance.c.tenant_id == incident.c.tenant_id) & (instance.c.workflow_id == incident.c.workflow_id))
    .where(*same(incident, "tenant_id"), incident.c.closed_at.is_(None), after(incident.c.incident_id))
    .order_by(incident.c.incident_id)
    .limit(limit()),
    ListedIncident,
)
COUNT_OPEN = Query(
    "incident.count_open",
    "How many incidents are open; no further than MOST_COUNTED. Parameter: tenant_id.",
    select(func.count()).select_from(
        select(incident.c.incident_id)
        .where(*same(incident, "tenant_id"), incident.c.closed_at.is_(None))
        .limit(bindparam(None, MOST_COUNTED))
        .subquery()
    ),
    int,
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
