"""When there is something to do next: one statement over everything that falls due (P4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, ScalarSelect, func, select

from engine.store.jobs import JobStatus
from engine.store.statements import Query
from engine.store.tables import job, outbox, timer


@dataclass(frozen=True, slots=True, kw_only=True)
class NextDue:
    """The earliest instant of each kind, None where nothing is open. ``lease_until``: when a lease ends first."""

    job_at: datetime | None
    lease_until: datetime | None
    timer_at: datetime | None
    outbox_at: datetime | None

    @property
    def earliest(self) -> datetime | None:
        """Return the earliest of them all."""
        return min((at for at in (self.job_at, self.lease_until, self.timer_at, self.outbox_at) if at), default=None)


def _first(instant: Column[datetime], *conditions: ColumnElement[bool]) -> ScalarSelect[Any]:
    return select(func.min(instant)).where(*conditions).scalar_subquery()


NEXT = Query(
    "due.next",
    "When the next job, lease, timer and message fall due, over all tenants; each is the first entry of an index.",
    select(
        _first(job.c.not_before, job.c.status == JobStatus.READY).label("job_at"),
        _first(job.c.lease_until, job.c.status == JobStatus.RUNNING).label("lease_until"),
        _first(timer.c.due_at).label("timer_at"),
        _first(outbox.c.next_at).label("outbox_at"),
    ),
    NextDue,
    tells_time=True,
)
