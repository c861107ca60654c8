"""``chain200``, ``loop300``, ``parallel100``: what a size costs against a third of it, which must be about three times.

A third of the work takes a third of the time, so the ratio is 3 where cost is in proportion; the budget leaves room for
what is logarithmic.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench import drawn
from bench.house import House
from bench.measuring import Phase, sandbox_cpu
from bench.report import Budget, Line
from bench.running import Given, Measured, run_counted, warm_up
from bench.stores import Bytes
from engine.contract.ids import WorkflowType
from engine.runtime.commands import ExecutionState

MOST_TIMES = 3.5
COUNT = 24


@dataclass(frozen=True, kw_only=True)
class _Shape:
    draw: Callable[[int], Mapping[str, bytes]]
    size: int
    third: int


SHAPES = {
    "chain200": _Shape(draw=drawn.chain, size=200, third=67),
    "loop300": _Shape(draw=drawn.loop, size=300, third=100),
    "parallel100": _Shape(draw=drawn.parallel, size=100, third=33),
}


@dataclass(frozen=True, kw_only=True)
class _Cost:
    measured: Measured
    phase: Phase
    cpu_ms: float


def measure(name: str) -> Callable[[Given], Line]:
    """Return the benchmark of this name."""
    return lambda given: _measure(name, given)


def _measure(name: str, given: Given) -> Line:
    shape = SHAPES[name]
    with given.tables() as tables, given.house(tables.url) as house:
        types = {size: house.deploy(shape.draw(size)) for size in (shape.third, shape.size)}
        costs = {size: _cost(given, house, workflow_type, tables.size) for size, workflow_type in types.items()}
    whole, third = costs[shape.size], costs[shape.third]
    ratios = {
        "cpu": whole.cpu_ms / third.cpu_ms,
        "statements": whole.phase.statements / third.phase.statements,
        "commits": whole.phase.commits / third.phase.commits,
    }
    if given.kind == "sqlite":
        ratios["bytes"] = whole.measured.bytes_.rows / third.measured.bytes_.rows
    return whole.measured.line(
        name,
        given,
        {"start": whole.phase},
        budgets=tuple(
            Budget(what=f"{what} against size {shape.third}", at_most=MOST_TIMES, measured=ratio)
            for what, ratio in ratios.items()
        ),
        more={
            "size": shape.size,
            "third": {
                "size": shape.third,
                "cpu_ms": round(third.cpu_ms, 3),
                "bytes": third.measured.bytes_.rows,
                "statements": third.phase.statements,
            },
        },
    )


def _cost(given: Given, house: House, workflow_type: WorkflowType, size: Callable[[], Bytes]) -> _Cost:
    phase = Phase()
    scripts: list[float] = []

    def run(number: int, into: Phase) -> None:
        before = sandbox_cpu()
        with into.measured(house.store):
            instance = house.start(workflow_type, {"number": number})
        scripts.append(sandbox_cpu() - before)
        assert instance.execution_state is ExecutionState.FINISHED

    warm_up(lambda number: run(number, Phase()), times=2)
    scripts.clear()
    measured = run_counted(given, size, lambda number: run(number, phase), COUNT)
    return _Cost(measured=measured, phase=phase, cpu_ms=phase.cpu_ms + statistics.median(scripts))
