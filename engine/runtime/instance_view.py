"""Shows instances: a page of them, or everything about one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from engine.contract.ids import WorkflowId
from engine.contract.keys import sent_key
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.values import Value
from engine.runtime.advance import Loaded, load
from engine.runtime.cursors import read_cursor
from engine.runtime.decision_view import approval_rows, decision_view, names_of
from engine.runtime.errors import InvalidFilter
from engine.runtime.limits import MOST_LISTED, MOST_ROWS
from engine.runtime.rooms import Rooms
from engine.runtime.standing import possible_acts, process_title, standing, status_title
from engine.runtime.timeline import timeline
from engine.runtime.views import (
    CallView,
    DocumentView,
    IncidentView,
    InstanceSummary,
    InstanceView,
    ModelCallView,
    Page,
    StepView,
    WaitView,
)
from engine.store import attempts, audit, effects, incidents, instances, model_calls, steps, waits
from engine.store.attempts import AttemptRow
from engine.store.effects import EffectRow
from engine.store.incidents import IncidentRow
from engine.store.instances import InstanceHead
from engine.store.model_calls import ModelCallRow
from engine.store.sessions import ReadSession
from engine.store.statements import FIRST, LAST
from engine.store.steps import StepRow
from engine.store.waits import WaitRow

#: An id as stored; actors of the audit trail that are no people (rules, timers) have none.
_ID = re.compile(r"[0-9a-f]{32}")
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
        process_title=process_title(definition, language),
        business_status=head.business_status,
        status_title=status_title(definition, head.business_status, language),
        standing=standing(definition, head),
        execution_state=head.execution_state,
        current_step=head.current_step,
        current_label=definition.label(head.current_step, language) if head.current_step else "",
        created_at=head.created_at,
        updated_at=head.updated_at,
        finished_at=head.finished_at,
    )


def show_instance(rooms: Rooms, actor: Actor, workflow_id: WorkflowId, *, language: str = "en") -> InstanceView:
    """Return everything about an instance; ten statements, however long its story is.

    Raises PermissionDenied, UnknownInstance.
    """
    require(actor, Permission.READ_INSTANCES)
    with rooms.store.reading() as session:
        instance = load(session, actor.tenant_id, workflow_id)
        deployed = rooms.definitions.get(session, actor.tenant_id, instance.definition_id)
        loaded = Loaded(instance=instance, deployed=deployed, now=session.now(), incidents=())
        this = {"tenant_id": actor.tenant_id, "workflow_id": workflow_id}
        page = {**this, "after": FIRST, "limit": MOST_ROWS}
        step_rows = session.all(steps.OF_INSTANCE, page)
        audit_rows = session.all(audit.OF_INSTANCE, page)
        attempt_rows = session.all(attempts.OF_INSTANCE, page)
        incident_rows = session.all(incidents.OF_INSTANCE, page)
        effect_rows = session.all(effects.OF_INSTANCE, {**this, "limit": MOST_ROWS})
        approvals = approval_rows(session, instance)
        model_rows = session.all(model_calls.OF_INSTANCE, {**this, "limit": MOST_ROWS})
        wait_rows = session.all(waits.OF_INSTANCE, {**this, "limit": MOST_ROWS})
        people = (instance.started_by, *(each.person_id for each in approvals), *(each.actor for each in audit_rows))
        names = names_of(session, actor.tenant_id, (each for each in people if _ID.fullmatch(each)))
    definition = deployed.definition

    def label(element_id: str) -> str:
        return definition.label(element_id, language)

    variables, origins = _variables(rooms, actor, loaded)
    return InstanceView(
        tenant_id=instance.tenant_id,
        workflow_id=instance.workflow_id,
        workflow_type=instance.workflow_type,
        process_title=process_title(definition, language),
        definition_id=instance.definition_id,
        definition_number=deployed.number,
        business_key=instance.business_key,
        business_status=instance.business_status,
        status_title=status_title(definition, instance.business_status, language),
        standing=standing(definition, instance),
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
        steps=tuple(_step(each, label) for each in step_rows),
        waits=tuple(_wait(each, label) for each in wait_rows),
        documents=tuple(_document(each) for each in effect_rows),
        decisions=tuple(decision_view(each, names.get(each.person_id, each.person_id)) for each in approvals),
        incidents=tuple(incident_view(each) for each in incident_rows),
        timeline=timeline(instance, audit_rows, step_rows, attempt_rows, label),
        variables=variables,
        origins=origins,
        names=names,
        calls=tuple(_call(each, step_rows) for each in attempt_rows),
        model_calls=tuple(_model_call(each) for each in model_rows),
        possible=possible_acts(actor, definition, instance, [each for each in incident_rows if each.closed_at is None]),
        is_cut=max(len(step_rows), len(audit_rows), len(attempt_rows)) == MOST_ROWS,
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


def _wait(row: WaitRow, label: Label) -> WaitView:
    match row.kind:
        case "job":
            detail: dict[str, Any] = {
                "operation": row.name,
                "status": row.detail,
                "not_before": row.at,
                "failure_count": row.failure_count,
                "is_unknown": row.is_unknown,
            }
        case "task":
            detail = {"role": row.name, "due_at": row.at}
        case "timer":
            detail = {"timer": row.name, "due_at": row.at}
        case _:
            detail = {"message": row.name, "correlation_key": row.detail}
    return WaitView(wait_id=row.wait_id, kind=row.kind, step_key=row.step_key, label=label(row.step_key), detail=detail)


def _call(row: AttemptRow, step_rows: Sequence[StepRow]) -> CallView:
    step_key = next((each.step_key for each in step_rows if each.execution_id == row.job_id), None)
    return CallView(
        step_key=step_key,
        operation=row.operation,
        attempt=row.attempt,
        purpose=row.purpose,
        sent_key=row.sent_key,
        began_at=row.intent_at,
        outcome=row.outcome,
        answered_at=row.answered_at,
        error_message=row.error_message,
    )


def _model_call(row: ModelCallRow) -> ModelCallView:
    return ModelCallView(
        provider=row.provider,
        model=row.model,
        status=row.status,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        cost_micros=row.cost_micros,
        called_at=row.called_at,
    )


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
