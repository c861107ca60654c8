"""Open timers: what falls due when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import delete, insert, select

from engine.contract.ids import ExecutionId, StepKey, TenantId, WorkflowId
from engine.store.clock import now_for_scan
from engine.store.statements import Change, Query, limit, same
from engine.store.tables import timer


class TimerKind(StrEnum):
    """What a timer concerns."""

    #: A wait of the interpreter.
    EVENT = "event"
    #: The task of the same wait: tell its people again.
    REMINDER = "reminder"
    #: The task of the same wait: give it to somebody else.
    ESCALATION = "escalation"
    #: The instance as a whole.
    DEADLINE = "deadline"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerRow:
    """A timer as stored."""

    tenant_id: TenantId
    timer_id: str
    workflow_id: WorkflowId
    step_key: StepKey
    kind: TimerKind
    wait_id: ExecutionId
    due_at: datetime


_OF_INSTANCE = same(timer, "tenant_id", "workflow_id")

INSERT = Change("timer.insert", "Set timers.", insert(timer))
DUE = Query(
    "timer.due",
    "Timers that have fallen due, over all tenants, the oldest first. Parameter: limit.",
    select(timer).where(timer.c.due_at <= now_for_scan()).order_by(timer.c.due_at).limit(limit()),
    TimerRow,
    tells_time=True,
)
OF_INSTANCE = Query(
    "timer.of_instance",
    "Open timers of an instance. Parameters: tenant_id, workflow_id.",
    select(timer).where(*_OF_INSTANCE).order_by(timer.c.due_at),
    TimerRow,
)
DELETE = Change(
    "timer.delete",
    "Remove a timer; 1 row: it was still open and is mine to fire. Parameter: timer_id.",
    delete(timer).where(*same(timer, "timer_id")),
)
DELETE_OF_WAIT = Change(
    "timer.delete_of_wait",
    "Remove the timers of a wait that is closed. Parameters: tenant_id, workflow_id, wait_id.",
    delete(timer).where(*_OF_INSTANCE, *same(timer, "wait_id")),
)
DELETE_OF_INSTANCE = Change(
    "timer.delete_of_instance",
    "Remove all timers of an instance. Parameters: tenant_id, workflow_id.",
    delete(timer).where(*_OF_INSTANCE),
)
