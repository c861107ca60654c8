"""Gateways: which flows are taken, and when tokens that meet go on together."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from SpiffWorkflow.util.task import TaskState

from engine.interpreter.specs.node import Exit, NodeSpec
from engine.interpreter.tokens import Scope, Token


class ExclusiveGatewaySpec(NodeSpec):
    """Takes the first flow, in drawing order, whose condition holds (BPMN 2.0.2, 13.4.2)."""

    def choose(self, token: Token) -> Sequence[Exit]:
        """Return the one flow to take. Raises NoFlowTaken, ConditionUndecided, SuggestionNotAccepted."""
        for each in self.exits:
            if not each.is_default and (each.condition is None or self.holds(each.condition, token)):
                return (each,)
        return self.default_exit() if self.exits else ()


class JoinSpec(NodeSpec):
    """A gateway whose tokens wait for one another when it has several incoming flows."""

    def admit(self, token: Token) -> bool:
        if len(self.incoming) < 2:
            token.scope.instance.record.status(self.drawn, token.decision)
            return True
        token.become(TaskState.WAITING)
        waiting = token.scope.arrived.setdefault(self.name, {})
        waiting.setdefault(token.via or "", deque()).append(token)
        if not self.may_fire(waiting):
            return False
        self.fire(token.scope, token)
        return True

    def may_fire(self, waiting: Mapping[str, deque[Token]]) -> bool:
        """Return whether an arrival makes the join go on."""
        raise NotImplementedError

    def fire(self, scope: Scope, arriving: Token | None = None) -> Token:
        """Merge the oldest token of each flow into the arriving one, else the last; it goes on, the others are gone.

        Raises
        ------
        ConflictingValues
            When two of them give one variable different values.
        """
        waiting = scope.arrived[self.name]
        taken = [tokens.popleft() for tokens in waiting.values()]
        for via in [via for via, tokens in waiting.items() if not tokens]:
            del waiting[via]
        merged = arriving or taken[-1]
        gathering = scope.gather(taken, self)
        for token in taken:
            if token is not merged:
                scope.remove(token)
        merged.cells = gathering.cells
        merged.forks = gathering.open_forks()
        scope.instance.record.status(self.drawn, merged.decision)
        return merged


class ParallelGatewaySpec(JoinSpec):
    """Waits for one token on each incoming flow; takes all outgoing flows (BPMN 2.0.2, 13.4.1).

    More tokens on a flow than are needed stay and count for the next time, so that it works in loops.
    """

    def may_fire(self, waiting: Mapping[str, deque[Token]]) -> bool:
        """Return whether every incoming flow has brought a token."""
        return len(waiting) == len(self.incoming)

    def choose(self, token: Token) -> Sequence[Exit]:
        """Return all outgoing flows."""
        return self.exits


class InclusiveGatewaySpec(JoinSpec):
    """Takes every flow whose condition holds; waits until no token can reach it any more (BPMN 2.0.2, 13.4.3)."""

    def may_fire(self, waiting: Mapping[str, deque[Token]]) -> bool:
        """Return False: whether tokens are still under way is looked at when nothing else can run."""
        return False

    def fire_if_due(self, scope: Scope) -> bool:
        """Go on with the waiting tokens unless another token may still bring one on a flow that has none.

        A token that can also reach a flow which has one does not count (13.4.3, second half of the condition).
        """
        waiting = scope.arrived.get(self.name, {})
        filled = waiting.keys()
        if not filled:
            return False
        at_this_join = {token.id for tokens in waiting.values() for token in tokens}
        for token in scope.tasks.values():
            if token.id in at_this_join or token.owner is not None:
                continue
            reached = scope.spec.reaches(token.spec.drawn.element_id, self.drawn.element_id)
            if reached and reached.isdisjoint(filled):
                return False
        self.fire(scope).get_ready()
        return True


class EventBasedGatewaySpec(NodeSpec):
    """Listens to all the events behind it; the first to occur goes on and the others are withdrawn (13.4.4)."""

    def work(self, token: Token) -> bool | None:
        for each in self.exits:
            each.target.listen_behind(token, each.flow_id)
        return None

    def taken_over(self, gateway: Token, event: Token) -> None:
        """One event occurred: its token goes on in the gateway's place."""
        scope = gateway.scope
        scope.instance.record.passed(self.passes_as)
        event.cells, event.forks = gateway.cells, gateway.forks
        event.owner = None
        gateway.owned.pop(event.id)
        scope.remove(gateway)
        scope.instance.record.status(event.spec.drawn, event.decision)
        event.number = scope.instance.count(event.spec.drawn.element_id)
