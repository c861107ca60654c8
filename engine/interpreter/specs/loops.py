"""Standard loops and multi-instance activities (BPMN 2.0.2, 10.3.8): one token hosts the loop, iterations belong to it.

Inside an iteration the variable ``loopCounter`` is its number, from 1. What an instance of a multi-instance activity
writes stays its own, but for the output item; a standard loop hands its variables on from round to round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TypedDict, cast

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec

from engine.contract.origin import Origin, taint
from engine.interpreter.expressions import Formula, origin_of
from engine.interpreter.failures import ExpressionFailed
from engine.interpreter.specs.node import NodeSpec
from engine.interpreter.tokens import Token
from engine.interpreter.values import Value
from engine.interpreter.variables import Cell, Variables
from engine.model.graph import FlowNode, MultiInstance, StandardLoop

COUNTER = "loopCounter"


class Rounds(TypedDict):
    """The account of a standard loop: the number of the latest round, and what ``loopCounter`` was outside."""

    latest: int


class Instances(TypedDict):
    """The account of a multi-instance activity.

    ``outputs`` are values and origins by instance, from 1; ``items`` is None for a cardinality.
    """

    total: int
    started: int
    completed: int
    items: list[Value] | None
    items_origin: str
    outputs: dict[str, list[Value]]


class LoopSpec(NodeSpec):
    """The host of a loop.

    Attributes
    ----------
    body
        What is repeated.
    """

    body: NodeSpec

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode) -> None:
        super().__init__(scope_spec, drawn)
        self.passes_as = None

    def start_iteration(self, host: Token, number: int, cells: dict[str, Cell]) -> Token:
        """Bring a token to the body."""
        scope = host.scope
        body = scope.arrive(self.body, None, cells, host.forks)
        body.belongs_to(host)
        body.index = number
        scope.write(body, COUNTER, number, Origin.RULE, self.drawn.element_id)
        return body


class StandardLoopSpec(LoopSpec):
    """Repeats its body while the condition holds."""

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode, loop: StandardLoop) -> None:
        super().__init__(scope_spec, drawn)
        self.characteristics = loop
        self.condition = Formula(loop.condition)

    def work(self, token: Token) -> bool | None:
        rounds: Rounds = {"latest": 0}
        token.loop = cast("dict[str, Value]", rounds)
        if self.characteristics.is_tested_before and not self.goes_on(token, 0):
            return True
        self.start_round(token, 1)
        return None

    def start_round(self, host: Token, number: int) -> None:
        """Start a round with the loop's own variables."""
        assert host.loop is not None  # noqa: S101 - set when the loop began
        host.loop["latest"] = number
        self.start_iteration(host, number, dict(host.cells))

    def goes_on(self, host: Token, latest: int) -> bool:
        """Return whether another round follows. Raises as :meth:`NodeSpec.holds`."""
        maximum = self.characteristics.maximum
        if maximum is not None and latest >= maximum:
            return False
        return self.holds(self.condition, host, counted(host, {COUNTER: latest}, self.drawn.element_id))

    def body_completed(self, host: Token, body: Token) -> None:
        """Take over what the round wrote and go on or leave."""
        outside = host.cells.get(COUNTER)
        host.cells = body.cells
        host.cells.pop(COUNTER, None)
        if outside is not None:
            host.cells[COUNTER] = outside
        number = body.index or 0
        if self.goes_on(host, number):
            self.start_round(host, number + 1)
        else:
            host.complete()


class MultiInstanceSpec(LoopSpec):
    """Runs its body once for each item of a collection, or a number of times, at once or one after another."""

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode, loop: MultiInstance) -> None:
        super().__init__(scope_spec, drawn)
        self.characteristics = loop
        self.collection = Formula(loop.collection) if loop.collection is not None else None
        self.cardinality = Formula(loop.cardinality) if loop.cardinality is not None else None
        self.condition = Formula(loop.completion_condition) if loop.completion_condition is not None else None

    def work(self, token: Token) -> bool | None:
        account = self._account(token)
        token.loop = cast("dict[str, Value]", account)
        if account["total"] == 0:
            self._give_output(token, account)
            return True
        for _ in range(1 if self.characteristics.is_sequential else account["total"]):
            self._start_next(token, account)
        return None

    def _account(self, host: Token) -> Instances:
        items: list[Value] | None = None
        origin = Origin.RULE
        if self.collection is not None:
            items = self._items(self.collection.value(host))
            origin = origin_of(host.data, self.collection.reads)
            total = len(items)
        else:
            total = self._number(host)
        limit = host.scope.instance.given.limits.instances
        if total > limit:
            raise ExpressionFailed(
                f"{total:,} instances are more than the {limit:,} that are allowed.", element_id=self.drawn.element_id
            )
        return {
            "total": total,
            "started": 0,
            "completed": 0,
            "items": items,
            "items_origin": origin,
            "outputs": {},
        }

    def _items(self, value: Value) -> list[Value]:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return list(value)
        raise ExpressionFailed(
            f"The collection should be a list but is {Formula.shown(value)}.", element_id=self.drawn.element_id
        )

    def _number(self, host: Token) -> int:
        value = self.cardinality.value(host) if self.cardinality is not None else None
        if isinstance(value, (int, Decimal)) and not isinstance(value, bool) and value == int(value) and value >= 0:
            return int(value)
        raise ExpressionFailed(
            f"The number of instances should be a whole number from 0 but is {Formula.shown(value)}.",
            element_id=self.drawn.element_id,
        )

    def _start_next(self, host: Token, account: Instances) -> None:
        account["started"] += 1
        number = account["started"]
        body = self.start_iteration(host, number, dict(host.cells))
        name = self.characteristics.input_item
        if name is not None and account["items"] is not None:
            item = account["items"][number - 1]
            host.scope.write(body, name, item, Origin(account["items_origin"]), self.drawn.element_id)

    def body_completed(self, host: Token, body: Token) -> None:
        """Collect the output, then start the next instance, or leave when this was the last or the condition holds."""
        account = cast(Instances, host.loop)
        account["completed"] += 1
        name = self.characteristics.output_item
        if name is not None:
            seen = body.data
            origins: list[Value] = [str(origin) for origin in seen.origin((name,))]
            account["outputs"][str(body.index)] = [seen.get(name), *origins]
        if self.condition is not None and self._is_enough(body, account):
            self._leave(host, account)
        elif account["started"] < account["total"] and self.characteristics.is_sequential:
            self._start_next(host, account)
        elif account["completed"] == account["total"]:
            self._leave(host, account)

    def _is_enough(self, body: Token, account: Instances) -> bool:
        assert self.condition is not None  # noqa: S101 - asked only where one is drawn
        is_sequential = self.characteristics.is_sequential
        active = 0 if is_sequential else account["total"] - account["completed"]
        counts = {
            "numberOfInstances": account["total"],
            "numberOfActiveInstances": active,
            "numberOfCompletedInstances": account["completed"],
            "numberOfTerminatedInstances": 0,
        }
        return self.holds(self.condition, body, counted(body, counts, self.drawn.element_id))

    def _leave(self, host: Token, account: Instances) -> None:
        for instance in list(host.owned.values()):
            if instance.spec is self.body:
                host.scope.withdraw(instance)
        self._give_output(host, account)
        host.complete()

    def _give_output(self, host: Token, account: Instances) -> None:
        name = self.characteristics.output_collection
        if name is None:
            return
        outputs = [account["outputs"][each] for each in sorted(account["outputs"], key=int)]
        origin = taint(*(Origin(str(each)) for output in outputs for each in output[1:]))
        host.scope.write(host, name, [output[0] for output in outputs], origin, self.drawn.element_id)


def counted(token: Token, counts: Mapping[str, int], source: str) -> Variables:
    """Return what a token sees, and counts beside it."""
    cells = {name: Cell(name, count, 0, Origin.RULE, source, True) for name, count in counts.items()}
    return Variables(token.data.cells(), cells)
