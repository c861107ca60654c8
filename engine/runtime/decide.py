"""Takes a person's decision on a task, after the six checks of W16."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.contract.ids import ApprovalId, ExecutionId
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.interpreter.failures import WaitGone
from engine.interpreter.messages import TaskCompleted
from engine.interpreter.values import Value
from engine.runtime.advance import Loaded, load_instance, plan_or_keep
from engine.runtime.after_commit import announce
from engine.runtime.apply import apply
from engine.runtime.cause import Cause, Parameters
from engine.runtime.commands import DecideRequest, DecisionAnswer
from engine.runtime.decision_view import name_of
from engine.runtime.encoding import digest, pack
from engine.runtime.errors import (
    AlreadyDecided,
    DecisionConflict,
    FactsChanged,
    InstanceNotWaiting,
    NotThisInstance,
    NotYourTask,
    UnknownInstance,
    UnknownTask,
)
from engine.runtime.form_values import submitted
from engine.runtime.instances import answer_of, is_finished
from engine.runtime.roles import drawn_role, holds, title_of
from engine.runtime.rooms import Overtaken, Rooms, starting_over
from engine.runtime.shown import kept_shown
from engine.runtime.transitions import declared
from engine.runtime.wait_rows import Closed
from engine.store import approvals, inbox, instances, tasks
from engine.store.approvals import ApprovalRow
from engine.store.failures import DuplicateRow
from engine.store.sessions import ReadSession
from engine.store.tasks import TaskRow

#: The source under which decisions with an event id stand in the inbox.
_INBOX_SOURCE = "decisions"


@dataclass(frozen=True, kw_only=True)
class _Checked:
    """A decision that passed the six checks."""

    task: TaskRow
    loaded: Loaded
    values: dict[str, Value]


def decide(rooms: Rooms, actor: Actor, request: DecideRequest) -> DecisionAnswer:
    """Decide a task. The same decision sent again is answered with the first answer.

    Raises
    ------
    PermissionDenied, UnknownTask, NotThisInstance, NotYourTask, AlreadyDecided, InstanceNotWaiting, DecisionConflict
    FactsChanged, InvalidValues
        When the decision is not taken; nothing is stored.
    """
    require(actor, Permission.DECIDE)
    return starting_over(lambda: _once(rooms, actor, request))


def _once(rooms: Rooms, actor: Actor, request: DecideRequest) -> DecisionAnswer:
    with rooms.store.reading() as session:
        task = session.one(tasks.BY_ID, {"tenant_id": actor.tenant_id, "task_id": request.task_id})
        if task is None:
            return _decided_before(session, actor, request)
        try:
            if request.event_id is not None:
                _check_event_is_new(session, actor, request)
            checked = _check(rooms, session, actor, request, task)
        except (InstanceNotWaiting, DecisionConflict) as refused:
            # These were read after the task: if the task is gone by now, somebody decided in between.
            if session.one(tasks.BY_ID, {"tenant_id": actor.tenant_id, "task_id": request.task_id}) is None:
                raise Overtaken from refused
            raise
    return _write(rooms, actor, request, checked)


def _check(rooms: Rooms, session: ReadSession, actor: Actor, request: DecideRequest, task: TaskRow) -> _Checked:
    if request.workflow_id is not None and request.workflow_id != task.workflow_id:
        raise NotThisInstance
    loaded = load_instance(rooms, session, actor.tenant_id, task.workflow_id)
    reason = why_not(actor, task, loaded)
    if reason is not None:
        raise NotYourTask(reason=reason)
    _check_status(loaded, task)
    if request.bound_digest != task.bound_digest:
        raise FactsChanged
    node = loaded.deployed.definition.node(task.step_key)
    binding = node.task.form if node.task is not None else None
    values = submitted(loaded.deployed.definition, binding, request.values)
    return _Checked(task=task, loaded=loaded, values=values)


def why_not(actor: Actor, task: TaskRow, loaded: Loaded) -> str | None:
    """Return why an actor may not decide a task, as the end of a sentence; None when they may (W16, second check)."""
    settings = loaded.deployed.definition.settings
    if actor.person_id in (task.excluded or ()):
        return "you took part in this case, and somebody else must decide (four eyes)."
    if task.assignee is not None and task.assignee != actor.person_id:
        return "it is assigned to somebody else."
    names = {drawn_role(loaded.deployed.definition, task.step_key): None, task.role: None, task.escalated_to: None}
    if not holds(actor, settings, names):
        roles = [title_of(settings, name) for name in names if name]
        return f"it is for {' or '.join(roles)}."
    return None


def _check_status(loaded: Loaded, task: TaskRow) -> None:
    instance = loaded.instance
    settings = loaded.deployed.definition.settings
    if is_finished(instance):
        raise InstanceNotWaiting(reason="it has ended.")
    present = declared(settings, instance.business_status)
    if present is not None and present.is_final:
        raise InstanceNotWaiting(reason=f"its status is {present.name}, which is final.")
    asked_in = loaded.deployed.definition.node(task.step_key).status
    if asked_in is not None and asked_in != instance.business_status:
        raise InstanceNotWaiting(
            reason=f"the decision was asked for in status {asked_in}, and the status is now {instance.business_status}."
        )


def _check_event_is_new(session: ReadSession, actor: Actor, request: DecideRequest) -> None:
    """Refuse the id of an earlier decision on another task (W16, fifth check)."""
    received = session.one(
        inbox.BY_ID, {"tenant_id": actor.tenant_id, "source": _INBOX_SOURCE, "event_id": request.event_id}
    )
    if received is not None:
        raise DecisionConflict(event_id=str(request.event_id))


def _decided_before(session: ReadSession, actor: Actor, request: DecideRequest) -> DecisionAnswer:
    """Answer a decision on a task that is no longer open: a repeat gets the first answer."""
    approval = session.one(approvals.BY_TASK, {"tenant_id": actor.tenant_id, "task_id": request.task_id})
    if approval is None:
        raise UnknownTask(task_id=request.task_id)
    if request.workflow_id is not None and request.workflow_id != approval.workflow_id:
        raise NotThisInstance
    if not _is_same(approval, actor, request):
        if request.event_id is not None and approval.event_id == request.event_id:
            raise DecisionConflict(event_id=request.event_id)
        raise AlreadyDecided(
            decided_by=name_of(session, approval.tenant_id, approval.person_id),
            decided_at=approval.decided_at.strftime("%Y-%m-%d %H:%M UTC"),
        )
    head = session.one(instances.HEAD, {"tenant_id": actor.tenant_id, "workflow_id": approval.workflow_id})
    if head is None:
        raise UnknownInstance(workflow_id=approval.workflow_id)
    return DecisionAnswer(approval_id=approval.approval_id, instance=answer_of(head), is_repeat=True)


def _is_same(approval: ApprovalRow, actor: Actor, request: DecideRequest) -> bool:
    return (
        approval.person_id == actor.person_id
        and approval.bound_digest == request.bound_digest
        and approval.values_digest == _values_digest(request)
        and (request.event_id is None or approval.event_id in (None, request.event_id))
    )


def _values_digest(request: DecideRequest) -> str:
    """Return the digest of the values as they were sent: what makes a repeat the same decision."""
    return digest(pack(request.values))


def _write(rooms: Rooms, actor: Actor, request: DecideRequest, checked: _Checked) -> DecisionAnswer:
    task, loaded = checked.task, checked.loaded
    approval_id = ApprovalId(rooms.new_id())
    decided: dict[str, Value] = {
        "approval_id": approval_id,
        "decided_by": actor.person_id,
        "decided_at": loaded.now,
        "bound_digest": task.bound_digest,
    }
    values = checked.values | decided
    happening = TaskCompleted(wait_id=ExecutionId(task.task_id), values=values, source=actor.person_id)
    cause = Cause(
        event="decided",
        actor=actor.person_id,
        person_id=actor.person_id,
        detail={"element": task.step_key, "approval_id": approval_id}
        | ({"event_id": request.event_id} if request.event_id is not None else {}),
        approval_id=approval_id,
        event_id=request.event_id,
    )
    timers = (task.task_id,) if task.remind_at is not None or task.escalate_at is not None else ()
    try:
        plan = plan_or_keep(rooms, loaded, happening, cause, Closed(tasks=(task.task_id,), timers=timers))
    except WaitGone as error:
        raise Overtaken from error
    try:
        with rooms.store.writing("decision") as session:
            apply(session, plan, rooms.new_id)
            row = _approval(actor, request, checked, approval_id, loaded.now)
            session.run(approvals.INSERT, {**row, **kept_shown(rooms, loaded, task)})
            if request.event_id is not None:
                received = _inbox(actor, request, approval_id, loaded.now)
                if session.run(inbox.INSERT_IF_ABSENT, received) == 0:
                    raise Overtaken
    except DuplicateRow as error:
        raise Overtaken from error
    announce(rooms, plan)
    return DecisionAnswer(approval_id=approval_id, instance=answer_of(plan.after), is_repeat=False)


def _approval(
    actor: Actor, request: DecideRequest, checked: _Checked, approval_id: ApprovalId, now: datetime
) -> Parameters:
    return {
        "tenant_id": actor.tenant_id,
        "approval_id": approval_id,
        "workflow_id": checked.task.workflow_id,
        "task_id": checked.task.task_id,
        "step_key": checked.task.step_key,
        "person_id": actor.person_id,
        "bound_digest": checked.task.bound_digest,
        "values_digest": _values_digest(request),
        "event_id": request.event_id,
        "decided_at": now,
        "values": pack(checked.values),
    }


def _inbox(actor: Actor, request: DecideRequest, approval_id: ApprovalId, now: datetime) -> dict[str, Any]:
    return {
        "tenant_id": actor.tenant_id,
        "source": _INBOX_SOURCE,
        "event_id": request.event_id,
        "event_type": "decision",
        "body_digest": _values_digest(request),
        "received_at": now,
        "answer": {"approval_id": approval_id},
    }
