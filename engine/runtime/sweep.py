"""Heals and tidies, row by row: leases that ran out, messages that missed their subscription, expired history."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.runtime.advance import load_instance, plan_trouble
from engine.runtime.after_commit import meet
from engine.runtime.apply import apply
from engine.runtime.cause import Cause, Trouble
from engine.runtime.fire import Done
from engine.runtime.limits import EARLY_MESSAGE_PERIOD, LOST_LIMIT, REPEAT_PERIOD, SENT_PERIOD, SIGN_IN_PERIOD
from engine.runtime.rooms import Rooms, starting_over
from engine.store import due, jobs, messages, retention, steps
from engine.store.jobs import ExpiredJob
from engine.store.messages import KeptMessage
from engine.store.retention import Expired, Passing
from engine.store.sessions import ReadSession, WriteSession
from engine.store.statements import FIRST
from engine.store.steps import StepStatus

log = structlog.stdlib.get_logger("engine.runtime")

#: Code of the incident of a job whose workers kept disappearing.
WORKER_LOST = "worker_lost"
#: Rows of one kind that one pass goes over.
_MOST_ROWS = 200
#: Kept messages that one pass looks at; most of them wait for somebody who is yet to come.
_MOST_KEPT = 500
#: How long rows live that no instance owns.
_PERIODS = {
    retention.RECEIVED_EVENTS: REPEAT_PERIOD,
    retention.ANSWERED_REQUESTS: REPEAT_PERIOD,
    retention.KEPT_MESSAGES: EARLY_MESSAGE_PERIOD,
    retention.SENT_MESSAGES: SENT_PERIOD,
    retention.ENDED_SESSIONS: SIGN_IN_PERIOD,
    retention.FAILED_SIGN_INS: SIGN_IN_PERIOD,
}

Row = TypeVar("Row")


class Round:
    """How far a process has gone over the kept messages: each pass looks at the next ones, and then begins again."""

    def __init__(self) -> None:
        self.after = FIRST

    def next_page(self, session: ReadSession) -> list[KeptMessage]:
        """Return those among the next kept messages for which somebody waits."""
        found = session.all(messages.KEPT, {"after": self.after, "limit": _MOST_KEPT})
        self.after = found[-1].message_id if len(found) == _MOST_KEPT else FIRST
        return [each for each in found if each.is_awaited]


def sweep(rooms: Rooms, actor: Actor, of_messages: Round) -> Done:
    """Make one pass. What fails is counted and left for the next pass. Raises PermissionDenied."""
    require(actor, Permission.WORK)
    with rooms.store.reading() as session:
        expired = session.all(jobs.EXPIRED, {"limit": _MOST_ROWS})
        missed = of_messages.next_page(session)
        kept_long_enough = session.all(retention.EXPIRED, {"limit": _MOST_ROWS})
        old = _old(session)
    done = _each(expired, lambda job: _release(rooms, actor, job))
    done += _each(missed, lambda each: meet(rooms, each.tenant_id, each.message_name, each.correlation_key))
    done += _each(kept_long_enough, lambda each: _remove(rooms, each))
    return done + _each(old, lambda each: _remove_old(rooms, *each))


def due_in(rooms: Rooms) -> timedelta | None:
    """Return how long until the next job, lease, timer or message falls due; None when nothing is open.

    Told as a duration of the store's clock, so that nobody compares its instants with another clock (P13). Not more
    than nothing: it is due.
    """
    with rooms.store.reading() as session:
        found = session.one(due.NEXT)
        earliest = None if found is None else found.earliest
        return None if earliest is None else earliest - session.now()


def _each(rows: Iterable[Row], heal: Callable[[Row], None]) -> Done:
    done = Done()
    for row in rows:
        try:
            heal(row)
            done += Done(count=1)
        except Exception:
            # Whatever is wrong with one row, the others must not wait for it (facts/durable.md 8.6).
            log.exception("sweep.failed", row=type(row).__name__)
            done += Done(failed=1)
    return done


def _release(rooms: Rooms, actor: Actor, job: ExpiredJob) -> None:
    """Make a job whose lease ran out ready again; one that was lost too often goes to a person."""
    if job.lost_count + 1 >= LOST_LIMIT:
        starting_over(lambda: _park(rooms, actor, job))
        return
    with rooms.store.writing("sweep") as session:
        terms = {"job_id": job.job_id, "claim": job.attempt, "unknown": job.has_open_intent or job.is_unknown}
        if session.run(jobs.RELEASE_LOST, terms) == 0:
            session.abandon()
            return
        _mark(session, job, StepStatus.UNKNOWN if job.has_open_intent else StepStatus.RETRY_WAIT)
    rooms.bell([job.job_id])


def _park(rooms: Rooms, actor: Actor, job: ExpiredJob) -> None:
    with rooms.store.reading() as session:
        loaded = load_instance(rooms, session, job.tenant_id, job.workflow_id)
    trouble = Trouble(
        code=WORKER_LOST,
        message=f"{LOST_LIMIT} workers were lost while they did this step, the last one {job.owner}.",
        step_key=job.step_key,
        wait_id=job.job_id,
    )
    cause = Cause(
        event="job_parked",
        actor=actor.person_id,
        person_id=actor.person_id,
        detail={"element": job.step_key, "error": WORKER_LOST},
    )
    with rooms.store.writing("sweep") as session:
        apply(session, plan_trouble(loaded, cause, trouble), rooms.new_id)
        terms = {"job_id": job.job_id, "claim": job.attempt, "unknown": job.has_open_intent or job.is_unknown}
        if session.run(jobs.PARK_LOST, terms) == 0:
            session.abandon()
            return
        _mark(session, job, StepStatus.UNKNOWN if job.has_open_intent else StepStatus.FAILED)


def _remove(rooms: Rooms, instance: Expired) -> None:
    """Remove an instance whose retention is over, with everything that it left, in one unit (P12)."""
    this = {"tenant_id": instance.tenant_id, "workflow_id": instance.workflow_id}
    with rooms.store.writing("retention") as session:
        for removal in retention.REMOVALS:
            session.run(removal, this)


def _old(session: ReadSession) -> list[tuple[Passing, datetime]]:
    """Return the kinds of which some rows have lived for their period, with how far a batch of them goes."""
    found = ((rows, session.one(rows.reached, {"keep": keep, "limit": _MOST_ROWS})) for rows, keep in _PERIODS.items())
    return [(rows, until) for rows, until in found if until is not None]


def _remove_old(rooms: Rooms, rows: Passing, until: datetime) -> None:
    with rooms.store.writing("retention") as session:
        removed = session.run(rows.remove, {"until": until})
    log.info("retention.removed", rows=rows.name, count=removed, until=until)


def _mark(session: WriteSession, job: ExpiredJob, status: StepStatus) -> None:
    session.run(
        steps.MARK,
        {
            "tenant_id": job.tenant_id,
            "workflow_id": job.workflow_id,
            "execution_id": job.job_id,
            "new_status": status,
            "new_error_code": WORKER_LOST,
            "new_error_message": f"The worker {job.owner} was lost.",
            "new_failure_count": job.failure_count,
        },
    )
