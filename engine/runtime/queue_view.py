"""Shows what waits: jobs by system, incidents, totals for metrics."""

from __future__ import annotations

from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.runtime.instance_view import incident_view
from engine.runtime.limits import MOST_LISTED
from engine.runtime.rooms import Rooms
from engine.runtime.views import BacklogView, Counts, QueueView
from engine.store import incidents, jobs, totals
from engine.store.sessions import ReadSession
from engine.store.statements import FIRST


def show_queue(rooms: Rooms, actor: Actor) -> QueueView:
    """Return what waits for workers and operators. Raises PermissionDenied."""
    require(actor, Permission.READ_INSTANCES)
    with rooms.store.reading() as session:
        opened = {"tenant_id": actor.tenant_id, "after": FIRST, "limit": MOST_LISTED}
        return QueueView(
            jobs=_backlog(session, actor),
            incidents=tuple(incident_view(each) for each in session.all(incidents.OPEN, opened)),
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
