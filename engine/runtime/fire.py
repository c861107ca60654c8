"""Fires what fell due: timers of the drawing, reminders and escalations of tasks; each row in a unit of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import structlog

from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.failures import WaitGone
from engine.interpreter.messages import TimerFired
from engine.runtime.advance import Loaded, load_instance, plan_or_keep, surroundings
from engine.runtime.after_commit import announce
from engine.runtime.apply import apply, write_audit
from engine.runtime.cause import Cause
from engine.runtime.errors import UnknownInstance
from engine.runtime.plan import Plan
from engine.runtime.rooms import Rooms, starting_over
from engine.runtime.wait_rows import Closed, outbox_row
from engine.store import outbox, tasks, timers
from engine.store.tasks import TaskRow
from engine.store.timers import TimerKind, TimerRow

log = structlog.stdlib.get_logger("engine.runtime")

#: Topics under which people are told; ``notify`` operations and subscribers choose by them.
REMINDER_TOPIC = "task.reminder"
ESCALATION_TOPIC = "task.escalated"


@dataclass(frozen=True, kw_only=True)
class Done:
    """How many rows a pass went over, and how many of them failed; a failure never stops the rest."""

    count: int = 0
    failed: int = 0

    def __add__(self, other: Done) -> Done:
        return Done(count=self.count + other.count, failed=self.failed + other.failed)


class _TimerTaken(Exception):
    """Somebody else fired the timer."""


def fire_due(rooms: Rooms, actor: Actor, limit: int) -> Done:
    """Fire timers that fell due, over all tenants, the oldest first. Raises PermissionDenied."""
    require(actor, Permission.WORK)
    with rooms.store.reading() as session:
        due = session.all(timers.DUE, {"limit": limit})
    done = Done()
    for timer in due:
        try:
            done += Done(count=int(fire(rooms, actor, timer)))
        except Exception:
            # Whatever is wrong with one row, the others must not wait for it (facts/durable.md 8.6).
            log.exception("timer.failed", timer_id=timer.timer_id, workflow_id=timer.workflow_id)
            done += Done(failed=1)
    return done


def fire(rooms: Rooms, actor: Actor, timer: TimerRow) -> bool:
    """Fire one timer. Returns whether it was still there to be fired."""
    try:
        if timer.kind == TimerKind.EVENT:
            announce(rooms, starting_over(lambda: _fire_event(rooms, actor, timer)))
        else:
            starting_over(lambda: _tell(rooms, actor, timer))
    except _TimerTaken:
        return False
    except (WaitGone, UnknownInstance):
        _forget(rooms, timer)
        return False
    return True


def _fire_event(rooms: Rooms, actor: Actor, timer: TimerRow) -> Plan:
    with rooms.store.reading() as session:
        loaded = load_instance(rooms, session, timer.tenant_id, timer.workflow_id)
    cause = Cause(
        event="timer_fired",
        actor=actor.person_id,
        person_id=actor.person_id,
        detail={"element": timer.step_key, "due_at": timer.due_at},
        is_automatic=True,
    )
    happening = TimerFired(wait_id=timer.wait_id)
    plan = plan_or_keep(rooms, loaded, happening, cause, Closed())
    plan = replace(plan, closed=plan.closed.without_timer(timer.wait_id))
    with rooms.store.writing("timer") as session:
        apply(session, plan, rooms.new_id)
        if session.run(timers.DELETE, {"timer_id": timer.timer_id}) == 0:
            raise _TimerTaken
    return plan


def _tell(rooms: Rooms, actor: Actor, timer: TimerRow) -> None:
    """Remind a task's people, or escalate it; the instance itself does not move."""
    with rooms.store.reading() as session:
        task = session.one(tasks.BY_ID, {"tenant_id": timer.tenant_id, "task_id": timer.wait_id})
        if task is None:
            raise WaitGone(f"The task {timer.wait_id} is no longer open.")
        loaded = load_instance(rooms, session, timer.tenant_id, timer.workflow_id)
    is_escalation = timer.kind == TimerKind.ESCALATION
    to_role = _escalation_role(loaded, task) if is_escalation else task.role
    topic = ESCALATION_TOPIC if is_escalation else REMINDER_TOPIC
    around = surroundings(rooms, loaded.deployed, loaded.now)
    content = {"task_id": task.task_id, "element_id": task.step_key, "role": to_role, "due_at": task.due_at}
    this = {"tenant_id": task.tenant_id, "task_id": task.task_id}
    with rooms.store.writing("timer") as session:
        if session.run(timers.DELETE, {"timer_id": timer.timer_id}) == 0:
            raise _TimerTaken
        if is_escalation:
            session.run(tasks.ESCALATE, {**this, "to_role": to_role})
        else:
            session.run(tasks.REMINDED, this)
        session.run(outbox.INSERT, outbox_row(loaded.instance, around, topic, content))
        event = "task_escalated" if is_escalation else "task_reminded"
        detail = {"element": task.step_key, "task_id": task.task_id, "role": to_role}
        write_audit(session, loaded.instance, event, actor.person_id, detail, rooms.new_id, loaded.now)


def _escalation_role(loaded: Loaded, task: TaskRow) -> str:
    settings = loaded.deployed.definition.node(task.step_key).task
    return (settings.escalation_role if settings is not None else None) or task.role


def _forget(rooms: Rooms, timer: TimerRow) -> None:
    """Remove a timer whose wait is closed."""
    with rooms.store.writing("timer") as session:
        session.run(timers.DELETE, {"timer_id": timer.timer_id})
