"""``chain200``, ``loop300``, ``parallel100``: what a size costs against a third of it, which must be about three times.

A third of the work takes a third of the time, so the ratio is 3 where cost is in proportion; the budget leaves room for
what is logarithmic.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bench import drawn
from bench.house import House
from bench.measuring import Phase, sandbox_cpu
from bench.report import Budget, Line
from bench.running import Given, run_counted, warm_up
from engine.contract.ids import WorkflowType
from engine.runtime.commands import ExecutionState

MOST_TIMES = 3.5
COUNT = 15


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


def measure(name: str) -> Callable[[Given], Line]:
    """Return the benchmark of this name."""
    return lambda given: _measure(name, given)


def _measure(name: str, given: Given) -> Line:
    shape = SHAPES[name]
    whole, third = Phase(), Phase()
    times: list[float] = []
    with given.tables() as tables, given.house(tables.url) as house:
        whole_type, third_type = (house.deploy(shape.draw(size)) for size in (shape.size, shape.third))

        def once(number: int) -> None:
            """Run both sizes one after the other, so that neighbours on the machine disturb both alike."""
            ours = _run(house, whole_type, number, whole)
            times.append(3 * ours / sum(_run(house, third_type, number, third) for _ in range(3)))

        for workflow_type in (whole_type, third_type):
            warm_up(lambda number, each=workflow_type: _run(house, each, number, Phase()), times=2)
        count = given.instances(COUNT)
        stored = [
            run_counted(given, tables.size, lambda number, each=each: _run(house, each, number, Phase()), COUNT).bytes_
            for each in (whole_type, third_type)
        ]
        measured = run_counted(given, tables.size, once, COUNT)
    measured = replace(measured, bytes_=stored[0], scripts_cpu=_scripts(whole) * count)
    ratios = {
        "cpu": statistics.median(times),
        "statements": whole.statements / third.statements,
        "commits": whole.commits / third.commits,
    }
    if given.kind == "sqlite":
        ratios["bytes"] = stored[0].rows / stored[1].rows
    return measured.line(
        name,
        given,
        {"start": whole},
        budgets=tuple(
            Budget(what=f"{what} against size {shape.third}", at_most=MOST_TIMES, measured=ratio)
            for what, ratio in ratios.items()
        ),
        more={
            "size": shape.size,
            "third": {
                "size": shape.third,
                "cpu_ms": round(third.cpu_ms + _scripts(third), 3),
                "bytes": stored[1].rows,
                "statements": third.statements,
            },
        },
    )


def _run(house: House, workflow_type: WorkflowType, number: int, phase: Phase) -> float:
    """Run one instance; return its processor time in milliseconds, the sandbox's included."""
    before = sandbox_cpu()
    with phase.measured(house.store):
        instance = house.start(workflow_type, {"number": number})
    phase.scripts.append(sandbox_cpu() - before)
    assert instance.execution_state is ExecutionState.FINISHED
    return phase.cpu[-1] + phase.scripts[-1]


def _scripts(phase: Phase) -> float:
    return statistics.fmean(phase.scripts)
