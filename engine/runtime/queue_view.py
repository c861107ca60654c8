"""Shows what waits: jobs by system, incidents, totals for metrics."""

from __future__ import annotations

from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.runtime.limits import MOST_LISTED
from engine.runtime.roles import title_of
from engine.runtime.rooms import Rooms
from engine.runtime.standing import process_title
from engine.runtime.task_view import list_tasks
from engine.runtime.views import BacklogView, Counts, OpenIncidentView, QueueView, WaitingView
from engine.store import incidents, jobs, totals
from engine.store.incidents import ListedIncident
from engine.store.sessions import ReadSession
from engine.store.statements import FIRST

#: Tasks that the count of what waits for somebody goes up to.
MOST_TASKS = 100
MOST_INCIDENTS = incidents.MOST_COUNTED


def show_queue(rooms: Rooms, actor: Actor, *, language: str = "en") -> QueueView:
    """Return what waits for workers and operators. Raises PermissionDenied."""
    require(actor, Permission.READ_INSTANCES)
    with rooms.store.reading() as session:
        opened = {"tenant_id": actor.tenant_id, "after": FIRST, "limit": MOST_LISTED + 1}
        rows = session.all(incidents.OPEN, opened)
        return QueueView(
            jobs=_backlog(session, actor),
            incidents=tuple(_open_incident(rooms, session, each, language) for each in rows[:MOST_LISTED]),
            has_more=len(rows) > MOST_LISTED,
        )


def _open_incident(rooms: Rooms, session: ReadSession, row: ListedIncident, language: str) -> OpenIncidentView:
    definition = rooms.definitions.get(session, row.tenant_id, row.definition_id).definition
    return OpenIncidentView(
        incident_id=row.incident_id,
        workflow_id=row.workflow_id,
        workflow_type=row.workflow_type,
        process_title=process_title(definition, language),
        business_key=row.business_key,
        step_key=row.step_key,
        step_label=definition.label(row.step_key, language) if row.step_key is not None else "",
        code=row.code,
        message=row.message,
        role=row.role,
        role_title=title_of(definition.settings, row.role, language),
        opened_at=row.opened_at,
        closed_at=row.closed_at,
        can_be_applied_again=row.happening_digest is not None,
    )


def show_waiting(rooms: Rooms, actor: Actor) -> WaitingView:
    """Return how much waits for somebody: tasks for who decides, incidents for who repairs.

    One statement for incidents, two to six for tasks. What an actor may not do waits for others and counts nothing.
    """
    decides = Permission.DECIDE in actor.permissions and Permission.READ_TASKS in actor.permissions
    opened = 0
    if Permission.REPAIR in actor.permissions:
        with rooms.store.reading() as session:
            opened = session.one(incidents.COUNT_OPEN, {"tenant_id": actor.tenant_id}) or 0
    return WaitingView(
        tasks=len(list_tasks(rooms, actor, cursor=None, limit=MOST_TASKS).items) if decides else 0,
        incidents=opened,
    )


def show_counts(rooms: Rooms, actor: Actor) -> Counts:
    """Return what is open now. Raises PermissionDenied."""
    require(actor, Permission.READ_INSTANCES)
    tenant = {"tenant_id": actor.tenant_id}
    with rooms.store.reading() as session:
        now = session.now()
        open_tasks = session.all(totals.TASKS, tenant)
        return Counts(
            instances={
                (each.workflow_type, each.business_status, each.execution_state): each.instances
                for each in session.all(totals.INSTANCES, tenant)
            },
            tasks={each.role: each.tasks for each in open_tasks},
            oldest_task_age={each.role: (now - each.oldest_at).total_seconds() for each in open_tasks},
            incidents={each.code: each.incidents for each in session.all(totals.INCIDENTS, tenant)},
            unknown_documents=session.one(totals.UNKNOWN_EFFECTS, tenant) or 0,
            jobs=_backlog(session, actor),
        )


def _backlog(session: ReadSession, actor: Actor) -> tuple[BacklogView, ...]:
    now = session.now()
    return tuple(
        BacklogView(
            system=each.system,
            status=each.status,
            count=each.jobs,
            oldest_due_age=(now - each.oldest_at).total_seconds(),
        )
        for each in session.all(jobs.BACKLOG, {"tenant_id": actor.tenant_id})
    )
