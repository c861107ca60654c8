"""Step rows (W8) from the step events of an advance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.interpreter.messages import Advance, JobWait, StepEvent, StepOutcome
from engine.model.definition import Definition
from engine.model.graph import NodeKind
from engine.runtime.cause import Parameters
from engine.store.instances import InstanceRow
from engine.store.steps import StepStatus

_ENDS: Mapping[StepOutcome, StepStatus] = {
    StepOutcome.COMPLETED: StepStatus.SUCCEEDED,
    StepOutcome.WITHDRAWN: StepStatus.SKIPPED,
    StepOutcome.FAILED: StepStatus.FAILED,
}
_SCOPES = frozenset({NodeKind.SUB_PROCESS, NodeKind.CALL_ACTIVITY})


@dataclass(frozen=True, kw_only=True)
class StepRows:
    """Rows to insert, rows to update, and ends of inner scopes: updated where the row exists, else inserted."""

    new: tuple[Parameters, ...]
    ended: tuple[Parameters, ...]
    unsure: tuple[Parameters, ...]


NONE = StepRows(new=(), ended=(), unsure=())


def from_events(
    instance: InstanceRow,
    advance: Advance,
    definition: Definition,
    now: datetime,
    job_steps: Mapping[str, Parameters],
    results: Mapping[str, Any],
) -> StepRows:
    """Return the step rows of an advance.

    ``job_steps`` gives the idempotency key and input summary of steps that open a job, ``results`` the output summary
    of the step that the happening ended, both by execution id.
    """
    closed = {each.wait_id: each for each in advance.closed}
    waiting_jobs = {wait.wait_id for wait in advance.opened if isinstance(wait, JobWait)}
    new: list[Parameters] = []
    ended: list[Parameters] = []
    unsure: list[Parameters] = []
    for event in advance.steps:
        if event.outcome is StepOutcome.ENTERED:
            status = StepStatus.PENDING if event.execution_id in waiting_jobs else StepStatus.RUNNING
            new.append({**_row(instance, event, status, now, None), **job_steps.get(event.execution_id, {})})
            continue
        output = results.get(event.execution_id)
        row = _row(instance, event, _ENDS[event.outcome], now, now) | {"output_summary": output}
        if event.execution_id in closed:
            ended.append(end_of(row))
        elif event.outcome is StepOutcome.COMPLETED and not _is_scope(definition, event):
            new.append(row)
        else:
            unsure.append(row)
    told = {event.execution_id for event in advance.steps}
    for wait_id, each in closed.items():
        if wait_id not in told:
            ended.append(
                {
                    "tenant_id": instance.tenant_id,
                    "workflow_id": instance.workflow_id,
                    "execution_id": wait_id,
                    "new_status": StepStatus.SKIPPED if each.is_withdrawn else StepStatus.SUCCEEDED,
                    "new_output_summary": results.get(wait_id),
                    "new_error_code": None,
                    "new_error_message": None,
                    "new_ended_at": now,
                }
            )
    return StepRows(new=tuple(new), ended=tuple(ended), unsure=tuple(unsure))


def _is_scope(definition: Definition, event: StepEvent) -> bool:
    node = definition.nodes.get(event.element_id)
    return node is not None and (node.kind in _SCOPES or node.loop is not None)


def _row(
    instance: InstanceRow, event: StepEvent, status: StepStatus, started_at: datetime, ended_at: datetime | None
) -> dict[str, Any]:
    return {
        "tenant_id": instance.tenant_id,
        "workflow_id": instance.workflow_id,
        "execution_id": event.execution_id,
        "step_key": event.element_id,
        "iteration": event.iteration,
        "number": event.execution_number,
        "status": status,
        "output_summary": None,
        "error_code": event.error_code,
        "error_message": None,
        "failure_count": 0,
        "started_at": started_at,
        "ended_at": ended_at,
    }


def end_of(row: Parameters) -> Parameters:
    """Return what ``steps.END`` takes from a row as it would be inserted."""
    return {
        "tenant_id": row["tenant_id"],
        "workflow_id": row["workflow_id"],
        "execution_id": row["execution_id"],
        "new_status": row["status"],
        "new_output_summary": row["output_summary"],
        "new_error_code": row["error_code"],
        "new_error_message": row["error_message"],
        "new_ended_at": row["ended_at"],
    }
