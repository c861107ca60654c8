"""Writes a plan: the instance under its version first, then what it waits for, then its history, all in one unit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.runtime.cause import NewId, Trouble, parameters_of
from engine.runtime.encoding import digest
from engine.runtime.plan import Plan
from engine.runtime.rooms import Overtaken
from engine.runtime.step_rows import end_of
from engine.store import (
    audit,
    blobs,
    business_fields,
    incidents,
    instances,
    jobs,
    outbox,
    steps,
    subscriptions,
    tasks,
    timers,
)
from engine.store.instances import InstanceHead
from engine.store.sessions import WriteSession

#: Who is told of an incident.
OPERATOR = "operator"
_LONGEST_MESSAGE = 1000
_LONGEST_CODE = 64
_WITHDRAW_ALL = (
    jobs.DELETE_OF_INSTANCE,
    tasks.DELETE_OF_INSTANCE,
    timers.DELETE_OF_INSTANCE,
    subscriptions.DELETE_OF_INSTANCE,
)


def apply(session: WriteSession, plan: Plan, new_id: NewId) -> None:
    """Write a plan. The instance row comes first: whoever changes it first makes the others wait, then start over.

    Raises
    ------
    Overtaken
        When the instance is no longer at the version that was read.
    DuplicateRow
        When a started instance's business key is held.
    """
    _instance(session, plan)
    _close(session, plan)
    session.run(jobs.INSERT, plan.jobs)
    session.run(tasks.INSERT, plan.tasks)
    session.run(timers.INSERT, plan.timers)
    session.run(subscriptions.INSERT, plan.subscriptions)
    _steps(session, plan)
    _fields(session, plan)
    session.run(outbox.INSERT, plan.outbox)
    for purpose, content in plan.blobs:
        keep_blob(session, plan.after.tenant_id, plan.after.workflow_id, purpose, content, plan.now)
    closed = {"tenant_id": plan.after.tenant_id, "new_closed_at": plan.now, "new_closed_by": plan.cause.person_id}
    session.run(incidents.CLOSE, [{**closed, "incident_id": each} for each in plan.closed_incidents])
    for trouble in plan.troubles:
        open_incident(session, plan.after, trouble, new_id, plan.now)
    write_audit(session, plan.after, plan.cause.event, plan.cause.actor, plan.audit_detail, new_id, plan.now)


def _instance(session: WriteSession, plan: Plan) -> None:
    after = plan.after
    if plan.before.version == 0:
        session.run(instances.INSERT, parameters_of(after))
        return
    changed = {f"new_{name}": getattr(after, name) for name in instances.CHANGED}
    changes = {
        "tenant_id": after.tenant_id,
        "workflow_id": after.workflow_id,
        "expected_version": plan.before.version,
        **changed,
    }
    if session.run(instances.UPDATE, changes) == 0:
        raise Overtaken


def _close(session: WriteSession, plan: Plan) -> None:
    tenant_id, workflow_id = plan.after.tenant_id, plan.after.workflow_id
    closed = plan.closed
    if closed.everything:
        this = {"tenant_id": tenant_id, "workflow_id": workflow_id}
        for withdraw in _WITHDRAW_ALL:
            session.run(withdraw, this)
        return
    session.run(jobs.DELETE, [{"tenant_id": tenant_id, "job_id": each} for each in closed.jobs])
    session.run(tasks.DELETE, [{"tenant_id": tenant_id, "task_id": each} for each in closed.tasks])
    session.run(
        timers.DELETE_OF_WAIT,
        [{"tenant_id": tenant_id, "workflow_id": workflow_id, "wait_id": each} for each in closed.timers],
    )
    session.run(
        subscriptions.DELETE, [{"tenant_id": tenant_id, "subscription_id": each} for each in closed.subscriptions]
    )


def _steps(session: WriteSession, plan: Plan) -> None:
    session.run(steps.END, plan.steps.ended)
    unrecorded = [row for row in plan.steps.unsure if session.run(steps.END, end_of(row)) == 0]
    session.run(steps.INSERT, [*plan.steps.new, *unrecorded])


def _fields(session: WriteSession, plan: Plan) -> None:
    if plan.fields is None:
        return
    if plan.before.version > 0:
        session.run(
            business_fields.DELETE_OF_INSTANCE,
            {"tenant_id": plan.after.tenant_id, "workflow_id": plan.after.workflow_id},
        )
    session.run(business_fields.INSERT, plan.fields)


def keep_blob(
    session: WriteSession, tenant_id: str, workflow_id: str, purpose: str, content: bytes, now: datetime
) -> str:
    """Keep a large value beside an instance and return its digest."""
    found = digest(content)
    session.run(
        blobs.INSERT_IF_ABSENT,
        {
            "tenant_id": tenant_id,
            "workflow_id": workflow_id,
            "digest": found,
            "purpose": purpose,
            "content": blobs.packed(content),
            "created_at": now,
        },
    )
    return found


def open_incident(
    session: WriteSession, instance: InstanceHead, trouble: Trouble, new_id: NewId, now: datetime
) -> None:
    """Open an incident for the operators."""
    kept = None
    if trouble.happening is not None:
        kept = keep_blob(session, instance.tenant_id, instance.workflow_id, "happening", trouble.happening, now)
    session.run(
        incidents.INSERT,
        {
            "tenant_id": instance.tenant_id,
            "incident_id": new_id(),
            "workflow_id": instance.workflow_id,
            "step_key": trouble.step_key,
            "wait_id": trouble.wait_id,
            "code": trouble.code[:_LONGEST_CODE],
            "message": trouble.message[:_LONGEST_MESSAGE],
            "role": OPERATOR,
            "happening_digest": kept,
            "opened_at": now,
        },
    )


def write_audit(
    session: WriteSession,
    instance: InstanceHead,
    event: str,
    actor: str,
    detail: Mapping[str, Any],
    new_id: NewId,
    now: datetime,
) -> None:
    """Write one audit row."""
    session.run(
        audit.INSERT,
        {
            "tenant_id": instance.tenant_id,
            "workflow_id": instance.workflow_id,
            "audit_id": new_id(),
            "event": event,
            "actor": actor,
            "at": now,
            "detail": dict(detail) or None,
        },
    )
