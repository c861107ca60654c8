"""Numbers for metrics and for the operators' overview, over what is open now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Label, bindparam, func, literal_column, select

from engine.store.effects import EffectState
from engine.store.statements import Query, same
from engine.store.tables import effect, incident, instance, task


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenInstances:
    """Unfinished instances of one process in one business status ('': none) and execution state."""

    workflow_type: str
    business_status: str
    execution_state: str
    instances: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTasks:
    """Open tasks of one role; ``oldest_at`` is when the oldest was opened."""

    role: str
    tasks: int
    oldest_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIncidents:
    """Open incidents of one code; ``oldest_at`` is when the oldest was opened."""

    code: str
    incidents: int
    oldest_at: datetime


#: Execution states of instances that have not ended.
_UNFINISHED = ("running", "waiting", "paused", "incident")


def _name(column: Column[str]) -> Label[str]:
    """Return a text column, '' for NULL; an expression, lest SQLite read a whole index for the order of its groups."""
    return func.coalesce(column, literal_column("''")).label(column.name)


_BY_STATE = (_name(instance.c.workflow_type), _name(instance.c.business_status), _name(instance.c.execution_state))

INSTANCES = Query(
    "totals.instances",
    "Unfinished instances by process, business status ('': none) and execution state. Parameter: tenant_id.",
    select(*_BY_STATE, func.count().label("instances"))
    .where(
        *same(instance, "tenant_id"),
        instance.c.execution_state.in_([bindparam(None, state) for state in _UNFINISHED]),
    )
    .group_by(*_BY_STATE),
    OpenInstances,
)
TASKS = Query(
    "totals.tasks",
    "Open tasks by role. Parameter: tenant_id.",
    select(task.c.role, func.count().label("tasks"), func.min(task.c.opened_at).label("oldest_at"))
    .where(*same(task, "tenant_id"))
    .group_by(task.c.role)
    .order_by(task.c.role),
    OpenTasks,
)
INCIDENTS = Query(
    "totals.incidents",
    "Open incidents by code. Parameter: tenant_id.",
    select(incident.c.code, func.count().label("incidents"), func.min(incident.c.opened_at).label("oldest_at"))
    .where(*same(incident, "tenant_id"), incident.c.closed_at.is_(None))
    .group_by(incident.c.code)
    .order_by(incident.c.code),
    OpenIncidents,
)
UNKNOWN_EFFECTS = Query(
    "totals.unknown_effects",
    "Documents of unfinished instances of which nobody knows whether they exist. Parameter: tenant_id.",
    select(func.count())
    .select_from(instance)
    .join(effect, (effect.c.tenant_id == instance.c.tenant_id) & (effect.c.workflow_id == instance.c.workflow_id))
    .where(
        *same(instance, "tenant_id"),
        instance.c.execution_state.in_([bindparam(None, state) for state in _UNFINISHED]),
        effect.c.state == EffectState.UNKNOWN,
    ),
    int,
)
