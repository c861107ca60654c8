"""The timeline of an instance: audit rows, steps and calls in the order of time, with their correlation ids (W22)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.runtime.views import TimelineEntry
from engine.store.attempts import AttemptRow
from engine.store.audit import AuditRow
from engine.store.instances import InstanceHead
from engine.store.steps import StepRow

#: Names in an audit row's detail that are correlation ids.
_IDS = ("event_id", "approval_id", "trace_id", "task_id", "incident_id")
Label = Callable[[str], str]


def timeline(
    instance: InstanceHead,
    audits: Iterable[AuditRow],
    steps: Iterable[StepRow],
    attempts: Iterable[AttemptRow],
    label: Label,
) -> tuple[TimelineEntry, ...]:
    """Return what happened, in order. Entries of one instant stand as: what was commanded, steps, calls."""
    entries: list[TimelineEntry] = []
    by_execution = {each.execution_id: each for each in steps}
    for each in audits:
        entries.extend(_of_audit(instance, each, label))
    for each in by_execution.values():
        entries.extend(_of_step(instance, each, label))
    for each in attempts:
        entries.extend(_of_attempt(instance, each, by_execution.get(each.job_id), label))  # pyright: ignore[reportArgumentType, reportCallIssue]
    return tuple(sorted(entries, key=lambda entry: entry.at))


def _ids(instance: InstanceHead, **further: str | None) -> dict[str, str]:
    ids = {"workflow_id": instance.workflow_id, "business_key": instance.business_key, "trace_id": instance.trace_id}
    return {name: value for name, value in {**ids, **further}.items() if value is not None}


def _of_audit(instance: InstanceHead, row: AuditRow, label: Label) -> list[TimelineEntry]:
    detail: dict[str, Any] = dict(row.detail or {})
    step_key = detail.pop("element", None)
    ids = _ids(instance, **{name: detail.pop(name) for name in _IDS if name in detail})
    transitions = detail.pop("status", [])
    entries = [
        TimelineEntry(
            at=row.at,
            event=row.event,
            step_key=step_key,
            label=label(step_key) if step_key else "",
            actor=row.actor,
            detail=detail,
            ids=ids,
        )
    ]
    for before, after, element_id, *rules in transitions:
        entries.append(
            TimelineEntry(
                at=row.at,
                event="status",
                step_key=element_id,
                label=label(element_id) if element_id else "",
                actor=f"rule:{rules[0]}" if rules else row.actor,
                detail={"before": before, "after": after},
                ids=ids,
            )
        )
    return entries


def _of_step(instance: InstanceHead, row: StepRow, label: Label) -> list[TimelineEntry]:
    ids = _ids(instance, execution_id=row.execution_id, idempotency_key=row.idempotency_key)

    def entry(at: Any, event: str, detail: Mapping[str, Any]) -> TimelineEntry:
        return TimelineEntry(
            at=at, event=event, step_key=row.step_key, label=label(row.step_key), actor="", detail=detail, ids=ids
        )

    entries = [entry(row.started_at, "step_started", {"number": row.number, "iteration": row.iteration})]
    if row.ended_at is not None:
        error = {"error_code": row.error_code} if row.error_code else {}
        entries.append(entry(row.ended_at, f"step_{row.status}", error))
    return entries


def _of_attempt(instance: InstanceHead, row: AttemptRow, step: StepRow | None, label: Label) -> list[TimelineEntry]:
    step_key = step.step_key if step is not None else None
    ids = _ids(
        instance,
        execution_id=row.job_id,
        idempotency_key=step.idempotency_key if step is not None else None,
        sent_key=row.sent_key or None,
    )
    detail: dict[str, Any] = {"operation": row.operation, "attempt": row.attempt, "purpose": row.purpose}

    def entry(at: Any, event: str, further: Mapping[str, Any]) -> TimelineEntry:
        return TimelineEntry(
            at=at,
            event=event,
            step_key=step_key,
            label=label(step_key) if step_key else "",
            actor=row.owner,
            detail={**detail, **further},
            ids=ids,
        )

    entries = [entry(row.intent_at, "call_began", {})]
    if row.answered_at is not None:
        error = {"error": row.error_message} if row.error_message else {}
        entries.append(entry(row.answered_at, f"call_{row.outcome}", error))
    return entries
