"""What happened on the way: collected during one advance, handed out at its end."""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract.ids import ExecutionId, StepKey
from engine.interpreter.messages import (
    DecisionMade,
    MessageThrown,
    StatusEntered,
    StepEvent,
    Wait,
    WaitClosed,
)
from engine.interpreter.values import Value
from engine.model.graph import FlowNode


class Recording:
    """The account of one advance. Attributes are those of :class:`engine.interpreter.messages.Advance`."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.statuses: list[StatusEntered] = []
        self.messages: list[MessageThrown] = []
        self.decisions: list[DecisionMade] = []
        self.opened: dict[str, Wait] = {}
        self.closed: list[WaitClosed] = []
        self._steps: dict[str, StepEvent] = {}

    @property
    def steps(self) -> tuple[StepEvent, ...]:
        """The step events in order."""
        return tuple(self._steps.values())

    def passed(self, drawn_id: str | None) -> None:
        """A token goes on from a node; None for one that is not shown."""
        if drawn_id is not None:
            self.path.append(drawn_id)

    def status(self, drawn: FlowNode, decision: str | None) -> None:
        """A token that came from a decision, or from none, enters a node that may name a business status."""
        if drawn.status is not None:
            entered = StatusEntered(element_id=drawn.element_id, status=drawn.status, decision=decision)
            self.statuses.append(entered)

    def step(self, event: StepEvent) -> None:
        """A step stands differently; what was entered in this advance gives one event only."""
        self._steps.pop(event.execution_id, None)
        self._steps[event.execution_id] = event

    def open(self, wait: Wait) -> None:
        """Something waits from now on."""
        self.opened[wait.wait_id] = wait

    def close(self, wait_id: ExecutionId, *, is_new: bool, is_withdrawn: bool) -> None:
        """Something waits no more; what also opened in this advance was never seen outside."""
        if self.opened.pop(wait_id, None) is None and not is_new:
            self.closed.append(WaitClosed(wait_id=wait_id, is_withdrawn=is_withdrawn))

    def thrown(self, element_id: StepKey, message_name: str, payload: Mapping[str, Value]) -> None:
        """A message is to be published."""
        self.messages.append(MessageThrown(element_id=element_id, message_name=message_name, payload=payload))

    def decided(self, element_id: StepKey, decision: str, explanation: Value) -> None:
        """A decision was made."""
        self.decisions.append(DecisionMade(element_id=element_id, decision=decision, explanation=explanation))
