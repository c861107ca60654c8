"""A running process, sub-process or called process: SpiffWorkflow's workflow classes over tokens.

Stock SpiffWorkflow looks through the whole tree of tasks after each completion. Here tokens are a flat dictionary and
those that can run stand in one queue of the instance, so a step costs the same whatever came before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from SpiffWorkflow.bpmn.util.subworkflow import BpmnSubWorkflow
from SpiffWorkflow.bpmn.workflow import BpmnWorkflow
from SpiffWorkflow.util.task import TaskState

from engine.contract.origin import Origin
from engine.interpreter.circumstances import Circumstances
from engine.interpreter.failures import ConflictingValues, InterpretationFailed, StepLimitReached, UnstorableValue
from engine.interpreter.merging import Conflict, Gathering, latest
from engine.interpreter.messages import StepOutcome
from engine.interpreter.recording import Recording
from engine.interpreter.specs.scope import ScopeSpec
from engine.interpreter.tokens import Node, Scope, Token
from engine.interpreter.variables import Cell, Cells, Share, Variables, storable


class ScopeInstance:
    """What a running process and a running sub-process have in common.

    Attributes
    ----------
    host
        The token of the sub-process or call activity around it; None for the process itself.
    arrived
        Tokens waiting at joins, by node and by the sequence flow that brought them, oldest first; flows without one are
        left out.
    ended
        What the tokens that ended here have left.
    shared
        The values of the data objects drawn in this scope: seen by all its tokens at once.
    """

    spec: ScopeSpec
    tasks: dict[str, Token]
    instance: Instance
    host: Token | None
    arrived: dict[str, dict[str, deque[Token]]]
    ended: Gathering
    shared: Cells

    def prepare(self, instance: Instance, host: Token | None) -> None:
        """Set up what SpiffWorkflow's own constructors do not know of."""
        self.instance = instance
        self.host = host
        self.arrived = {}
        self.ended = Gathering()
        self.shared = {}

    # --- variables ---

    def surrounding(self) -> list[Scope]:
        """Return this scope and those around it whose data objects it sees, innermost first."""
        scopes: list[Scope] = [self]
        while scopes[-1].host is not None and not scopes[-1].spec.is_called:
            scopes.append(scopes[-1].host.scope)
        return scopes

    def variables(self, token: Token) -> Variables:
        """Return what a token sees: its own variables, and the data objects of the scopes around it."""
        shared = [scope.shared for scope in self.surrounding() if scope.shared]
        return Variables(token.cells, *reversed(shared)) if shared else Variables(token.cells)

    def write(self, token: Token, name: str, value: object, origin: Origin, source: str) -> None:
        """Give a variable a new value. Raises UnstorableValue."""
        try:
            storable(name)
            kept, is_exact_json = storable(value)
        except UnstorableValue as wrong:
            element_id = token.spec.drawn.element_id
            raise UnstorableValue(f"The variable {name!r}: {wrong.message}", element_id=element_id) from None
        cell = Cell(name, kept, self.instance.tick(), origin, source, is_exact_json, token.forks)
        for scope in self.surrounding():
            if name in scope.spec.shared_names:
                scope.shared[name] = cell
                return
        token.cells[name] = cell

    def share(self, token: Token) -> None:
        """Move what a called process gave back for data objects from the token to where these are kept."""
        for scope in self.surrounding():
            for name in scope.spec.shared_names & token.cells.keys():
                scope.shared[name] = token.cells.pop(name)

    # --- the life of tokens ---

    def arrive(
        self, spec: Node, via: str | None, cells: Cells, forks: dict[int, Share], decision: str | None = None
    ) -> Token:
        """Bring a token to a node."""
        token = Token(self, spec, self.instance.given.new_id(), cells, forks)
        token.via = via
        token.decision = decision
        spec.reach(token)
        return token

    def leave(self, token: Token, targets: Sequence[tuple[Node, str]]) -> None:
        """Take a token off its node and on to others, each with the sequence flow there; without one it ends."""
        self.remove(token)
        if not targets:
            self.end(token)
            return
        self.spread(targets, token.cells, token.forks, token.decision)

    def spread(
        self,
        targets: Sequence[tuple[Node, str | None]],
        cells: Cells,
        forks: dict[int, Share],
        decision: str | None = None,
    ) -> None:
        """Bring a token to each of the targets; several of them part at a fork."""
        if len(targets) == 1:
            self.arrive(*targets[0], cells, forks, decision)
            return
        fork = self.instance.tick()
        whole = (1 << len(targets)) - 1
        for branch, (target, via) in enumerate(targets):
            self.arrive(target, via, dict(cells), {**forks, fork: (1 << branch, whole)}, decision)

    def remove(self, token: Token) -> None:
        """Take a token away without a trace, with those it owns."""
        for owned in list(token.owned.values()):
            owned.scope.withdraw(owned)
        self.tasks.pop(token.id, None)
        if token.owner is not None:
            token.owner.owned.pop(token.id, None)

    def end(self, token: Token) -> None:
        """A token has come to an end; with the last one the scope is complete."""
        self.keep(token)
        if not self.tasks:
            self.complete()

    def keep(self, token: Token) -> None:
        """Add what an ending token has to what the scope leaves behind. Raises ConflictingValues."""
        if self.host is None:
            self.ended.cells = latest((self.ended.cells, token.cells))
            return
        try:
            self.ended.add(token.cells, token.forks)
        except Conflict as conflict:
            raise conflicting(conflict, self.host.spec) from None

    def complete(self) -> None:
        """All tokens have ended: the activity around goes on with what they left."""
        host = self.host
        if host is None:
            return
        del self.instance.subprocesses[host.id]
        if self.ended.cells:
            host.cells = self.ended.cells
        if self.spec.is_called:
            host.scope.share(host)
        host.complete()

    def withdraw(self, token: Token) -> None:
        """Take a token away because something else was faster, with everything inside and attached to it."""
        if not token.is_alive:
            return
        self.discard_inside(token)
        if token.number:
            self.instance.record.step(token.step_event(StepOutcome.WITHDRAWN))
        if token.is_waiting:
            self.instance.record.close(token.execution_id, is_new=token.is_new, is_withdrawn=True)
        self.forget_arrival(token)
        self.remove(token)

    def discard_inside(self, token: Token) -> None:
        """Withdraw everything inside a sub-process or call activity."""
        inside = self.instance.subprocesses.pop(token.id, None)
        if inside is not None:
            inside.withdraw_all()

    def withdraw_all(self) -> None:
        """Withdraw every token of this scope."""
        for token in list(self.tasks.values()):
            self.withdraw(token)

    def forget_arrival(self, token: Token) -> None:
        """Take a token out of the join it waits at, if it does."""
        arrived = self.arrived.get(token.spec.name, {})
        waiting = arrived.get(token.via or "", ())
        if token in waiting:
            remaining = deque(each for each in waiting if each is not token)
            arrived[token.via or ""] = remaining
            if not remaining:
                del arrived[token.via or ""]

    def gather(self, tokens: Sequence[Token], at: Node) -> Gathering:
        """Merge the variables of tokens that meet. Raises ConflictingValues."""
        gathering = Gathering()
        try:
            for token in tokens:
                gathering.add(token.cells, token.forks)
        except Conflict as conflict:
            raise conflicting(conflict, at) from None
        return gathering


class SubInstance(ScopeInstance, BpmnSubWorkflow):  # pyright: ignore[reportIncompatibleVariableOverride]
    """A running sub-process or called process."""

    def __init__(self, spec: ScopeSpec, host: Token, instance: Instance) -> None:
        super().__init__(spec, host.id, instance, deserializing=True)  # pyright: ignore[reportUnknownMemberType]
        self.prepare(instance, host)

    def _calculate_depth(self) -> int:
        return 0


class Instance(ScopeInstance, BpmnWorkflow):  # pyright: ignore[reportIncompatibleVariableOverride]
    """A running process: the scope of its own tokens, and what all its scopes share.

    Attributes
    ----------
    given
        The circumstances of this advance.
    record
        What this advance did.
    queue
        Tokens that can run, first come first served.
    stamp
        The count of writes and forks.
    steps
        Nodes run in the instance's life.
    executions
        How often each step was executed.
    failure
        Code and message of the error that ended the instance.
    """

    subprocesses: dict[str, SubInstance]

    def __init__(self, spec: ScopeSpec, given: Circumstances, insides: Mapping[str, ScopeSpec]) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            spec, insides, script_engine=NoScriptEngine(), deserializing=True
        )
        self.insides = insides
        self.prepare(self, None)
        self.given = given
        self.record = Recording()
        self.queue: deque[Token] = deque()
        self.stamp = 0
        self.steps = 0
        self.executions: dict[str, int] = {}
        self.failure: tuple[str, str] | None = None

    def tick(self) -> int:
        """Return the next stamp."""
        self.stamp += 1
        return self.stamp

    def count(self, element_id: str) -> int:
        """Count one more execution of a step and return which it is."""
        number = self.executions[element_id] = self.executions.get(element_id, 0) + 1
        return number

    def scopes(self) -> list[ScopeInstance]:
        """Return all running scopes, outer ones first."""
        return [self, *self.subprocesses.values()]

    def create_subprocess(self, my_task: Token, spec_name: str) -> SubInstance:
        """Open the scope inside a sub-process or call activity. Raises InterpretationFailed beyond the depth limit."""
        depth, scope = 1, my_task.scope
        while scope.host is not None:
            depth, scope = depth + 1, scope.host.scope
        if depth > self.given.limits.depth:
            raise InterpretationFailed(
                f"More than {self.given.limits.depth} sub-processes and calls are open inside one another.",
                element_id=my_task.spec.drawn.element_id,
            )
        inside = SubInstance(self.insides[spec_name], my_task, self)
        self.subprocesses[my_task.id] = inside
        return inside

    def run_steps(self) -> bool:
        """Run until every token waits. Return whether the limit of this advance came first.

        Raises
        ------
        StepLimitReached
            When the instance has used up its life, or has too many tokens.
        """
        limits = self.given.limits
        left = limits.steps_per_advance
        while True:
            while self.queue:
                token = self.queue.popleft()
                if not token.is_alive or token.state != TaskState.READY:
                    continue
                if left == 0:
                    self.queue.appendleft(token)
                    self._refuse_flood()
                    return True
                left -= 1
                self.steps += 1
                if self.steps > limits.steps_per_instance:
                    raise StepLimitReached(
                        f"The instance has run {limits.steps_per_instance:,} steps: probably a loop without end.",
                        element_id=token.spec.drawn.element_id,
                    )
                token.run()
            if not any(scope.spec.fire_inclusive_joins(scope) for scope in self.scopes()):
                self._refuse_flood()
                return False

    def _refuse_flood(self) -> None:
        """Raise StepLimitReached for an instance that forks on and on: each advance would take longer than the last."""
        if sum(len(scope.tasks) for scope in self.scopes()) > self.given.limits.tokens:
            raise StepLimitReached(
                f"The instance has more than {self.given.limits.tokens:,} tokens: probably a loop that forks without a "
                "join."
            )

    def fail(self, code: str, message: str) -> None:
        """End the instance: an error reached the top and nothing caught it."""
        self.end_every_token()
        self.failure = (code, message)

    def end_every_token(self) -> None:
        """End the instance, with what its tokens know left behind; an earlier failure is over."""
        for token in self.tasks.values():
            self.keep(token)
        self.withdraw_all()
        self.queue.clear()
        self.failure = None

    def is_completed(self) -> bool:
        """Whether no token is left."""
        return not self.tasks


class NoScriptEngine:
    """Stands where SpiffWorkflow's own engine would be, which runs any Python: expressions and scripts never ask it."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"SpiffWorkflow's script engine is not used: {name}")


def conflicting(conflict: Conflict, at: Node) -> ConflictingValues:
    """Return the failure that names the element and the variable."""
    return ConflictingValues(
        f"Two branches gave the variable {conflict.name!r} different values. "
        "Let them write different names, or one of them only.",
        element_id=at.drawn.element_id,
    )
