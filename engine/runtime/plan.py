"""What one advance changes, as rows: worked out here without touching anything, written by ``engine.runtime.apply``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from engine.contract.ids import StepKey
from engine.interpreter.messages import Advance, JobWait, StatusEntered, TaskWait
from engine.model.settings import ProcessSettings
from engine.runtime import step_rows, wait_rows
from engine.runtime.business_fields import business_fields
from engine.runtime.cause import Cause, Parameters, Surroundings, Trouble
from engine.runtime.commands import ExecutionState
from engine.runtime.encoding import digest, pack
from engine.runtime.transitions import Transition, as_detail, declared, follow_failure, walk
from engine.runtime.wait_rows import Closed
from engine.store.instances import InstanceRow

#: Most gateways and events whose ids an audit row carries.
_LONGEST_PATH = 100


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One instance's change.

    Attributes
    ----------
    before, after
        The instance as it stood and as it will stand; ``before.version`` 0: it is started.
    steps
        The rows of step executions.
    blobs
        Purpose and content of large values to keep.
    fields
        The searchable business fields; None: the process declares none.
    """

    before: InstanceRow
    after: InstanceRow
    now: datetime
    cause: Cause
    transitions: tuple[Transition, ...] = ()
    steps: step_rows.StepRows = step_rows.NONE
    jobs: tuple[Parameters, ...] = ()
    tasks: tuple[Parameters, ...] = ()
    timers: tuple[Parameters, ...] = ()
    subscriptions: tuple[Parameters, ...] = ()
    outbox: tuple[Parameters, ...] = ()
    blobs: tuple[tuple[str, bytes], ...] = ()
    fields: tuple[Parameters, ...] | None = None
    troubles: tuple[Trouble, ...] = ()
    closed_incidents: tuple[str, ...] = ()
    closed: Closed = wait_rows.NOTHING_CLOSED
    audit_detail: Mapping[str, Any] = field(default_factory=dict[str, Any])


def plan_advance(
    before: InstanceRow,
    advance: Advance,
    cause: Cause,
    around: Surroundings,
    *,
    results: Mapping[str, Any] | None = None,
) -> Plan:
    """Return what an advance changes. ``results`` gives the output summary of the step that ended, by execution id.

    Raises
    ------
    InterpretationFailed
        When the advance may not be applied: an illegal business status, an unaccepted suggestion in a write, or an
        operation that is not installed.
    """
    settings = around.definition.settings
    status, transitions = walk(settings, before.business_status, _statuses(before, advance, settings), cause)
    status, transitions, troubles = _ended(settings, advance, status, transitions, cause)
    after = _after(before, advance, around, status, is_stuck=bool(troubles))
    waits = wait_rows.opened(after, advance.opened, around, cause)
    jobs = waits.jobs
    if advance.is_capped:
        jobs = (*jobs, wait_rows.continuation(after, around))
    blobs, decisions = _decisions(advance)
    return Plan(
        before=before,
        after=after,
        now=around.now,
        cause=cause,
        transitions=transitions,
        steps=step_rows.from_events(after, advance, around.definition, around.now, waits.job_steps, results or {}),
        jobs=jobs,
        tasks=waits.tasks,
        timers=waits.timers,
        subscriptions=waits.subscriptions,
        outbox=wait_rows.thrown(after, advance.messages, around),
        blobs=blobs,
        fields=business_fields(after, settings, advance.variables),
        troubles=troubles,
        closed=wait_rows.closed(advance, around),
        audit_detail=_audit_detail(cause, advance, transitions) | decisions,
    )


def _statuses(before: InstanceRow, advance: Advance, settings: ProcessSettings) -> tuple[StatusEntered, ...]:
    """Return the statuses that were entered; an instance that starts enters the initial one first."""
    if before.version > 0 or settings.initial_status is None:
        return advance.statuses
    element_id = advance.path[0] if advance.path else ""
    return (StatusEntered(element_id=StepKey(element_id), status=settings.initial_status), *advance.statuses)


def _ended(
    settings: ProcessSettings,
    advance: Advance,
    status: str | None,
    transitions: tuple[Transition, ...],
    cause: Cause,
) -> tuple[str | None, tuple[Transition, ...], tuple[Trouble, ...]]:
    """Return the status, the transitions and what an operator must look at after tokens ended badly.

    A failed instance is not final: it keeps an incident until an operator repairs or closes it (DECISIONS, ids).
    """
    if advance.error_code is not None:
        element_id = advance.path[-1] if advance.path else ""
        status, further = follow_failure(settings, status, element_id, cause)
        message = advance.error_message or advance.error_code
        return status, transitions + further, (Trouble(code=advance.error_code, message=message, step_key=element_id),)
    if advance.is_finished and settings.statuses:
        present = declared(settings, status)
        if present is None or not present.is_final:
            message = f"Every path has ended, and the status is {status}, which is not final."
            return status, transitions, (Trouble(code="not_final", message=message),)
    return status, transitions, ()


def _after(
    before: InstanceRow, advance: Advance, around: Surroundings, status: str | None, *, is_stuck: bool
) -> InstanceRow:
    if is_stuck or (before.execution_state == ExecutionState.INCIDENT and not advance.is_finished):
        state = ExecutionState.INCIDENT
    elif advance.is_finished:
        state = ExecutionState.FINISHED
    else:
        state = ExecutionState.RUNNING if advance.is_capped else ExecutionState.WAITING
    after = replace(
        before,
        business_status=status,
        execution_state=state,
        version=before.version + 1,
        current_step=_current_step(before, advance),
        updated_at=around.now,
        finished_at=None,
        expires_at=None,
        state_format=advance.state_format,
        state=advance.state,
    )
    return finished(after, around.definition.settings, around.now) if state is ExecutionState.FINISHED else after


def finished(instance: InstanceRow, settings: ProcessSettings, now: datetime) -> InstanceRow:
    """Return an instance as ended now; its history is kept for the process's retention (P12)."""
    return replace(
        instance,
        execution_state=ExecutionState.FINISHED,
        finished_at=now,
        expires_at=now + timedelta(days=settings.retention_days),
    )


def _current_step(before: InstanceRow, advance: Advance) -> Any:
    waits = [wait for wait in advance.opened if isinstance(wait, (JobWait, TaskWait))] or advance.opened
    if waits:
        return waits[-1].element_id
    if advance.is_finished and advance.path:
        return advance.path[-1]
    return before.current_step


def _decisions(advance: Advance) -> tuple[tuple[tuple[str, bytes], ...], dict[str, Any]]:
    """Return the decisions' explanations as a blob, and what the audit row says of them."""
    if not advance.decisions:
        return (), {}
    content = pack(
        [
            {"element_id": each.element_id, "decision": each.decision, "explanation": each.explanation}
            for each in advance.decisions
        ]
    )
    return (("decisions", content),), {"decisions": digest(content)}


def _audit_detail(cause: Cause, advance: Advance, transitions: tuple[Transition, ...]) -> dict[str, Any]:
    """Return the audit row's detail: the status transitions, and the path between the steps, which have own rows."""
    detail = dict(cause.detail)
    if transitions:
        detail["status"] = as_detail(transitions)
    steps = {event.element_id for event in advance.steps}
    path = [element_id for element_id in advance.path if element_id not in steps]
    if path:
        detail["path"] = path[:_LONGEST_PATH]
    return detail
