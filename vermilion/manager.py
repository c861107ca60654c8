"""The demo manager: decides the approvals of a demonstration as drafted, in the name of whoever may."""

from __future__ import annotations

from collections.abc import Sequence

from engine.contract.ids import TaskId, WorkflowId
from engine.identity import Actor
from engine.runtime import Runtime
from engine.runtime.commands import DecideRequest
from engine.runtime.views import TaskView, WaitView

#: The field that a form of approval has, and the value that approves.
DECISION_FIELD = "action"
APPROVAL = "approve"


class DemoManager:
    """Approves what can be approved as drafted; everything else is left to people.

    ``staff`` are asked in order: the first who may decide a task decides it.
    """

    def __init__(self, runtime: Runtime, staff: Sequence[Actor]) -> None:
        self._runtime = runtime
        self._staff = tuple(staff)

    def approve(self, waits: Sequence[WaitView]) -> int:
        """Approve what waits for an approval, and return how many tasks were decided."""
        return sum(self._decide(TaskId(each.wait_id)) for each in waits if each.kind == "task")

    def waiting_for(self, waits: Sequence[WaitView]) -> tuple[str, ...]:
        """Return in words what waits for whom."""
        return tuple(f"{each.label}: {each.detail.get('role', 'somebody')}" for each in waits if each.kind == "task")

    def _decide(self, task_id: TaskId) -> bool:
        for person in self._staff:
            task = self._runtime.task(person, task_id)
            if task.decision is not None or not _is_approval(task):
                return False
            if task.why_not is None:
                self._runtime.decide(person, _approval(task))
                return True
        return False


def _is_approval(task: TaskView) -> bool:
    decision = next((each for each in task.form.components if each.key == DECISION_FIELD), None) if task.form else None
    return decision is not None and any(option.value == APPROVAL for option in decision.options)


def _approval(task: TaskView) -> DecideRequest:
    return DecideRequest(
        task_id=task.task_id,
        workflow_id=WorkflowId(task.workflow_id),
        values={DECISION_FIELD: APPROVAL},
        bound_digest=task.bound_digest,
    )
