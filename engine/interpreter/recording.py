"""What happened on the way: collected during one advance, handed out at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.contract.ids import StepKey
from engine.interpreter.messages import (
    DecisionMade,
    MessageThrown,
    StatusEntered,
    StepEvent,
    StepOutcome,
    Wait,
    WaitClosed,
)
from engine.interpreter.values import Value

if TYPE_CHECKING:
    from engine.interpreter.tokens import Token


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

    def passed(self, token: Token) -> None:
        """A token goes on from a node."""
        drawn = token.spec.passes_as
        if drawn is not None:
            self.path.append(drawn)

    def status(self, token: Token) -> None:
        """A token enters a node that may name a business status."""
        status = token.spec.drawn.status
        if status is not None:
            self.statuses.append(StatusEntered(element_id=token.spec.drawn.element_id, status=status))

    def step(self, token: Token, outcome: StepOutcome, error_code: str | None = None) -> None:
        """A step stands differently; what was entered in this advance gives one event only."""
        event = StepEvent(
            execution_id=token.execution_id,
            element_id=token.spec.drawn.element_id,
            iteration=token.iteration,
            execution_number=token.number,
            outcome=outcome,
            error_code=error_code,
        )
        self._steps.pop(token.id, None)
        self._steps[token.id] = event

    def open(self, wait: Wait) -> None:
        """Something waits from now on."""
        self.opened[wait.wait_id] = wait

    def close(self, token: Token, *, is_withdrawn: bool) -> None:
        """Something waits no more; what also opened in this advance was never seen outside."""
        if self.opened.pop(token.id, None) is None and not token.is_new:
            self.closed.append(WaitClosed(wait_id=token.execution_id, is_withdrawn=is_withdrawn))

    def thrown(self, element_id: StepKey, message_name: str, payload: Mapping[str, Value]) -> None:
        """A message is to be published."""
        self.messages.append(MessageThrown(element_id=element_id, message_name=message_name, payload=payload))

    def decided(self, element_id: StepKey, decision: str, explanation: Value) -> None:
        """A decision was made."""
        self.decisions.append(DecisionMade(element_id=element_id, decision=decision, explanation=explanation))
