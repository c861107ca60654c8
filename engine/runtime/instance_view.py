"""Shows instances: a page of them, or everything about one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from engine.contract.ids import WorkflowId
from engine.contract.keys import sent_key
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.values import Value
from engine.runtime.advance import Loaded, load_instance
from engine.runtime.cursors import read_cursor
from engine.runtime.decision_view import decision_views
from engine.runtime.errors import InvalidFilter
from engine.runtime.limits import MOST_LISTED, MOST_ROWS
from engine.runtime.rooms import Rooms
from engine.runtime.timeline import timeline
from engine.runtime.views import (
    DocumentView,
    IncidentView,
    InstanceSummary,
    InstanceView,
    Page,
    StepView,
    WaitView,
)
from engine.store import attempts, audit, effects, incidents, instances, jobs, steps, subscriptions, tasks, timers
from engine.store.effects import EffectRow
from engine.store.incidents import IncidentRow
from engine.store.instances import InstanceHead
from engine.store.sessions import ReadSession
from engine.store.statements import FIRST, LAST
from engine.store.steps import StepRow

Label = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class InstanceFilter:
    """Which instances to list; None does not filter. ``business_key`` finds the one that holds it, by its process."""

    workflow_type: str | None = None
    business_status: str | None = None
    execution_state: str | None = None
    business_key: str | None = None


def list_instances(
    rooms: Rooms, actor: Actor, wanted: InstanceFilter, *, cursor: str | None, limit: int, language: str = "en"
) -> Page[InstanceSummary]:
    """Return a page of instances, the newest first.

    Raises
    ------
    PermissionDenied, InvalidCursor
    InvalidFilter
        For a business key or a business status without the process whose key or status it is.
    """
    require(actor, Permission.READ_INSTANCES)
    limit = max(1, min(limit, MOST_LISTED))
    if wanted.business_status is not None and wanted.workflow_type is None:
        raise InvalidFilter(reason="a business status belongs to a process; name its workflow_type, too.")
    query, parameters = instances.listing(
        workflow_type=wanted.workflow_type,
        business_status=wanted.business_status,
        execution_state=wanted.execution_state,
    )
    before = LAST if cursor is None else read_cursor(cursor)
    with rooms.store.reading() as session:
        if wanted.business_key is not None:
            rows = _with_key(session, actor, wanted)
        else:
            found = {**parameters, "tenant_id": actor.tenant_id, "before": before, "limit": limit + 1}
            rows = session.all(query, found)
        items = tuple(_summary(rooms, session, each, language) for each in rows[:limit])
    return Page(items=items, next=items[-1].workflow_id if len(rows) > limit else None)


def _with_key(session: ReadSession, actor: Actor, wanted: InstanceFilter) -> list[InstanceHead]:
    if wanted.workflow_type is None:
        raise InvalidFilter(reason="a business key belongs to a process; name its workflow_type, too.")
    names = {"tenant_id": actor.tenant_id, "workflow_type": wanted.workflow_type}
    held = session.one(instances.BY_HELD_KEY, {**names, "held_key": wanted.business_key})
    if held is None or wanted.business_status not in (None, held.business_status):
        return []
    return [held] if wanted.execution_state in (None, held.execution_state) else []


def _summary(rooms: Rooms, session: ReadSession, head: InstanceHead, language: str) -> InstanceSummary:
    definition = rooms.definitions.get(session, head.tenant_id, head.definition_id).definition
    return InstanceSummary(
        workflow_id=head.workflow_id,
        workflow_type=head.workflow_type,
        business_key=head.business_key,
        business_status=head.business_status,
        execution_state=head.execution_state,
        current_step=head.current_step,
        current_label=definition.label(head.current_step, language) if head.current_step else "",
        created_at=head.created_at,
        updated_at=head.updated_at,
        finished_at=head.finished_at,
    )


def show_instance(rooms: Rooms, actor: Actor, workflow_id: WorkflowId, *, language: str = "en") -> InstanceView:
    """Return everything about an instance. Raises PermissionDenied, UnknownInstance."""
    require(actor, Permission.READ_INSTANCES)
    with rooms.store.reading() as session:
        loaded = load_instance(rooms, session, actor.tenant_id, workflow_id)
        definition = loaded.deployed.definition

        def label(element_id: str) -> str:
            return definition.label(element_id, language)

        this = {"tenant_id": actor.tenant_id, "workflow_id": workflow_id}
        page = {**this, "after": FIRST, "limit": MOST_ROWS}
        step_rows = session.all(steps.OF_INSTANCE, page)
        audit_rows = session.all(audit.OF_INSTANCE, page)
        attempt_rows = session.all(attempts.OF_INSTANCE, page)
        incident_rows = session.all(incidents.OF_INSTANCE, page)
        effect_rows = session.all(effects.OF_INSTANCE, {**this, "limit": MOST_ROWS})
        decisions = decision_views(session, loaded.instance)
        waits = _waits(session, this, label)
    entries = timeline(loaded.instance, audit_rows, step_rows, attempt_rows, label)
    variables, origins = _variables(rooms, actor, loaded)
    return _view(
        loaded,
        steps=tuple(_step(each, label) for each in step_rows),
        waits=waits,
        documents=tuple(_document(each) for each in effect_rows),
        decisions=decisions,
        incidents=tuple(incident_view(each) for each in incident_rows),
        timeline=entries,
        variables=variables,
        origins=origins,
    )


def _view(loaded: Loaded, **parts: Any) -> InstanceView:
    instance = loaded.instance
    return InstanceView(
        workflow_id=instance.workflow_id,
        workflow_type=instance.workflow_type,
        definition_id=instance.definition_id,
        definition_number=loaded.deployed.number,
        business_key=instance.business_key,
        business_status=instance.business_status,
        execution_state=instance.execution_state,
        version=instance.version,
        current_step=instance.current_step,
        retry_count=instance.retry_count,
        trace_id=instance.trace_id,
        started_by=instance.started_by,
        deadline_at=instance.deadline_at,
        cancel_reason=instance.cancel_reason,
        created_at=instance.created_at,
        updated_at=instance.updated_at,
        finished_at=instance.finished_at,
        **parts,
    )


def _variables(rooms: Rooms, actor: Actor, loaded: Loaded) -> tuple[Mapping[str, Value], Mapping[str, str]]:
    """Return the variables that the actor may see, and who vouches for them."""
    instance, definition = loaded.instance, loaded.deployed.definition
    if not instance.state:
        return {}, {}
    variables = rooms.interpreter.variables(definition, instance.state)
    origins = rooms.interpreter.origins(definition, instance.state)
    hidden = () if Permission.READ_AUDIT in actor.permissions else definition.settings.sensitive
    return (
        {name: value for name, value in variables.items() if name not in hidden},
        {name: origin.value for name, (origin, _) in origins.items() if name not in hidden},
    )


def _waits(session: ReadSession, this: Mapping[str, str], label: Label) -> tuple[WaitView, ...]:
    def view(wait_id: str, kind: str, step_key: Any, **detail: Any) -> WaitView:
        return WaitView(wait_id=wait_id, kind=kind, step_key=step_key, label=label(step_key), detail=detail)

    found = [
        view(
            each.job_id,
            "job",
            each.step_key,
            operation=each.operation,
            status=each.status,
            not_before=each.not_before,
            failure_count=each.failure_count,
            is_unknown=each.is_unknown,
        )
        for each in session.all(jobs.OF_INSTANCE, this)
    ]
    found += [
        view(each.task_id, "task", each.step_key, role=each.role, due_at=each.due_at)
        for each in session.all(tasks.OF_INSTANCE, this)
    ]
    found += [
        view(each.timer_id, "timer", each.step_key, timer=each.kind, due_at=each.due_at)
        for each in session.all(timers.OF_INSTANCE, this)
    ]
    found += [
        view(
            each.subscription_id,
            "message",
            each.step_key,
            message=each.message_name,
            correlation_key=each.correlation_key,
        )
        for each in session.all(subscriptions.OF_INSTANCE, this)
    ]
    return tuple(found)


def _step(row: StepRow, label: Label) -> StepView:
    return StepView(
        execution_id=row.execution_id,
        step_key=row.step_key,
        label=label(row.step_key),
        iteration=row.iteration,
        number=row.number,
        status=row.status,
        idempotency_key=row.idempotency_key,
        input_summary=row.input_summary,
        output_summary=row.output_summary,
        error_code=row.error_code,
        error_message=row.error_message,
        failure_count=row.failure_count,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def _document(row: EffectRow) -> DocumentView:
    return DocumentView(
        step_key=row.step_key,
        iteration=row.iteration,
        intent=row.intent,
        system=row.system,
        operation=row.operation,
        idempotency_key=row.idempotency_key,
        sent_key=sent_key(row.idempotency_key),
        state=row.state,
        result=orjson.loads(row.result) if row.result else None,
        updated_at=row.updated_at,
    )


def incident_view(row: IncidentRow) -> IncidentView:
    """Return an incident as it is shown."""
    return IncidentView(
        incident_id=row.incident_id,
        workflow_id=row.workflow_id,
        step_key=row.step_key,
        code=row.code,
        message=row.message,
        role=row.role,
        opened_at=row.opened_at,
        closed_at=row.closed_at,
        can_be_applied_again=row.happening_digest is not None,
    )
