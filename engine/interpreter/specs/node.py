"""What every node does: a token reaches it, runs it, perhaps waits, and leaves along sequence flows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from SpiffWorkflow.bpmn.specs.mixins.bpmn_spec_mixin import BpmnSpecMixin
from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec

from engine.interpreter.expressions import Formula
from engine.interpreter.failures import ConditionUndecided, NoFlowTaken, NotRunnable
from engine.interpreter.messages import StepOutcome, Wait
from engine.interpreter.tokens import Boundary, Token
from engine.interpreter.variables import Variables
from engine.model.graph import FlowNode


@dataclass(frozen=True, kw_only=True)
class Exit:
    """An outgoing sequence flow. ``condition`` None is unconditional; a default flow is taken when no other is."""

    flow_id: str
    target: NodeSpec
    condition: Formula | None
    is_default: bool


class NodeSpec(BpmnSpecMixin):
    """A node that lets tokens pass: start and none events, abstract tasks. Others build on it.

    Specifications are shared by all instances and threads: nothing is written to one after it was built.

    Attributes
    ----------
    drawn
        The node of the graph.
    passes_as
        The drawn id that stands in ``Advance.path`` for passing here; None for nodes that normalising inserted beside
        their element.
    exits
        Outgoing sequence flows in drawing order.
    incoming
        Ids of the incoming sequence flows.
    boundaries
        Boundary events attached here.
    is_body
        It is what a loop repeats: its tokens belong to the loop's.
    opens_wait
        A token that waits here is a wait of the instance, seen outside.
    """

    opens_wait = False

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode, *, name: str | None = None) -> None:
        spec_name = name or drawn.element_id
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            scope_spec, spec_name, lane=drawn.lane, bpmn_name=drawn.name
        )
        self.name: str = spec_name
        self.drawn = drawn
        self.passes_as: str | None = drawn.drawn_id or drawn.element_id
        self.exits: tuple[Exit, ...] = ()
        self.incoming: tuple[str, ...] = drawn.incoming
        self.boundaries: tuple[Boundary, ...] = ()
        self.is_body = False

    # --- SpiffWorkflow's life of a task, in order ---

    def _predict(self, my_task: Any, seen: Any = None, looked_ahead: int = 0, mask: int = 0) -> None:
        """Nothing: tokens are made when a flow brings them, not before."""

    def _update(self, my_task: Token) -> None:
        if self.admit(my_task):
            my_task.get_ready()

    def _run_hook(self, my_task: Token) -> Any:
        return self.work(my_task)

    def _on_complete(self, my_task: Token) -> None:
        scope = my_task.scope
        record = scope.instance.record
        if my_task.number:
            record.step(my_task.step_event(StepOutcome.COMPLETED))
        record.passed(self.passes_as)
        owner = my_task.owner
        if self.is_body and owner is not None:
            scope.remove(my_task)
            owner.spec.body_completed(owner, my_task)
            return
        scope.leave(my_task, [(each.target, each.flow_id) for each in self.choose(my_task)])

    # --- what nodes add ---

    def reach(self, token: Token) -> None:
        """A token arrives."""
        self._update(token)

    def admit(self, token: Token) -> bool:
        """Return whether the token may run now; joins wait here."""
        if not self.is_body:
            token.scope.instance.record.status(self.drawn, token.decision)
        return True

    def work(self, token: Token) -> bool | None:
        """Do what the node does. True passes on at once, None waits for something outside."""
        return True

    def arm(self, token: Token) -> None:
        """The token has to wait here: its boundary events listen from now on."""
        for boundary in self.boundaries:
            boundary.listen(token)

    def choose(self, token: Token) -> Sequence[Exit]:
        """Return the flows to take: every unconditional one and every one whose condition holds, else the default.

        BPMN 2.0.2, 13.3.1 and 8.3.13: several outgoing flows of an activity are an implicit split.
        """
        if len(self.exits) == 1 and self.exits[0].condition is None:
            return self.exits
        taken = [
            each
            for each in self.exits
            if not each.is_default and (each.condition is None or self.holds(each.condition, token))
        ]
        if taken or not self.exits:
            return taken
        return self.default_exit()

    def default_exit(self) -> Sequence[Exit]:
        """Return the default flow. Raises NoFlowTaken."""
        for each in self.exits:
            if each.is_default:
                return (each,)
        raise NoFlowTaken(
            "No condition of the outgoing sequence flows holds and there is no default flow.",
            element_id=self.drawn.element_id,
        )

    def holds(self, condition: Formula, token: Token, variables: Variables | None = None) -> bool:
        """Return whether a condition is true, of the token's variables or of others.

        Raises
        ------
        ConditionUndecided
            When it is neither true nor false.
        SuggestionNotAccepted
            When it reads a suggestion that nobody has accepted.
        """
        seen = variables or token.data
        condition.require_accepted(seen)
        value = condition.value(token, seen)
        if value is True or value is False:
            return value
        raise ConditionUndecided(
            f"The condition {condition.text!r} gave {condition.shown(value)} instead of true or false.",
            element_id=self.drawn.element_id,
        )

    def enter_step(self, token: Token) -> None:
        """Count an execution and tell that it began."""
        instance = token.scope.instance
        token.number = instance.count(self.drawn.element_id)
        instance.record.step(token.step_event(StepOutcome.ENTERED))

    def body_completed(self, host: Token, body: Token) -> None:
        """An iteration of the loop at ``host`` is done. Only loops have iterations."""
        raise NotImplementedError

    def listen_behind(self, gateway: Token, via: str) -> None:
        """Wait for this event on behalf of an event-based gateway. Raises NotRunnable for what is no event."""
        raise NotRunnable("An event-based gateway leads to something that is no event.", element_id=gateway.spec.name)

    def wait_of(self, token: Token) -> Wait | None:
        """Return what a waiting token waits for; None when nothing outside is to happen to it directly."""
        return None
