"""Costs, as ratios: against a fixed sum on the same processor, and against a third of the size.

The budgets are those of the architecture; ``make bench`` measures them exactly. Here is slack for a busy machine.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from decimal import Decimal

import pytest

from engine.contract.origin import Origin
from engine.interpreter import Interpreter
from engine.interpreter.messages import Advance, TaskCompleted
from engine.interpreter.values import Value
from engine.model.definition import Definition
from tests.interpreter.drawing import define, draw, feel_script, user
from tests.interpreter.playing import NOW, PlainScripts

ORDER: Value = {
    "ref": "PO-1",
    "items": [{"sku": f"A{n}", "price": Decimal("9.90"), "text": "x" * 60} for n in range(20)],
}
SLACK = 1.5


class _Clock:
    """An interpreter and ids for measuring."""

    def __init__(self) -> None:
        self.interpreter = Interpreter(PlainScripts())
        self._ids = itertools.count()

    def new_id(self) -> str:
        return f"{next(self._ids):032x}"

    def start(self, definition: Definition) -> Advance:
        return self.interpreter.start(
            definition,
            start_element=None,
            variables={"n": 0, "order": ORDER},
            origin=Origin.SYSTEM,
            source="test",
            now=NOW,
            new_id=self.new_id,
        )


def _least(action: Callable[[], object], times: int, repeats: int = 5) -> float:
    """Return the processor time of one action, the best of several rounds, in seconds."""
    found: list[float] = []
    for _ in range(repeats):
        began = time.process_time()
        for _ in range(times):
            action()
        found.append((time.process_time() - began) / times)
    return min(found)


def test_an_advance_of_a_process_of_fifteen_steps_costs_its_budget() -> None:
    names = [f"s{number}" for number in range(11)]
    definition = define(
        draw(
            f"start -> {' -> '.join(names[:6])} -> xor",
            "xor -> other if n > 1000",
            "xor -> review else",
            f"review -> {' -> '.join(names[6:])} -> done",
            other=user(),
            review=user(result="review"),
            **{name: feel_script(f"{{n: n + 1, v_{name}: order.ref}}") for name in names},
        )
    )
    clock = _Clock()
    waiting = clock.start(definition)
    happening = TaskCompleted(wait_id=waiting.opened[0].wait_id, values={"ok": True}, source="ann")

    def complete() -> Advance:
        return clock.interpreter.advance(definition, waiting.state, happening, now=NOW, new_id=clock.new_id)

    assert complete().is_finished
    unit = _least(lambda: sum(i * i for i in range(10**6)), 1)
    assert _least(complete, 50) <= 0.031 * unit * SLACK


def _loop(size: int) -> Definition:
    lines = ("start -> xor -> count -> xor2", f"xor2 -> xor if n < {size}", "xor2 -> done else")
    return define(draw(*lines, count=feel_script("{n: n + 1}")))


def _chain(size: int) -> Definition:
    names = [f"c{number}" for number in range(size)]
    return define(draw(f"start -> {' -> '.join(names)} -> done", **{name: feel_script("{n: n + 1}") for name in names}))


def _parallel(size: int) -> Definition:
    names = [f"c{number}" for number in range(size)]
    branches = (f"and1 -> {name} -> and2" for name in names)
    scripts = {name: feel_script(f"{{{name}: n + 1}}") for name in names}
    return define(draw("start -> and1", *branches, "and2 -> done", **scripts))


@pytest.mark.parametrize(("kind", "size"), [(_loop, 300), (_chain, 201), (_parallel, 99)])
def test_three_times_the_size_costs_about_three_times(kind: Callable[[int], Definition], size: int) -> None:
    clock = _Clock()
    costs: list[float] = []
    for each in (size // 3, size):
        definition = kind(each)
        assert clock.start(definition).is_finished
        costs.append(_least(lambda definition=definition: clock.start(definition), 3))

    assert costs[1] <= 3.5 * costs[0] * SLACK
