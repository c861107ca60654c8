"""``human``: a script, a person's decision with a form, the end - the workload on which SpiffArena was measured.

Each instance starts with data of its own; the decision carries ``approved``, a comment and a discount. The script takes
its ``ref`` from the sandbox's id function.
"""

from __future__ import annotations

from decimal import Decimal

from bench.house import PROCESSES, House
from bench.measuring import Phase
from bench.report import Budget, Line
from bench.running import Given, Measured, run_counted, warm_up
from engine.contract.ids import WorkflowType
from engine.interpreter.values import Value
from engine.runtime.commands import ExecutionState
from vermilion.installation import read_folder

#: SQL statements and commits of one phase, and bytes of one finished instance (ARCHITECTURE.md, Budgets).
MOST_STATEMENTS = 15
MOST_COMMITS = 2
MOST_BYTES = 3 * 1024

COUNT = 300


def measure(given: Given) -> Line:
    """Measure through the runtime's own door, without HTTP."""
    with given.tables() as tables, given.house(tables.url) as house:
        workflow_type = house.deploy(read_folder(PROCESSES / "human"))
        start, complete = Phase(), Phase()
        warm_up(lambda number: run(house, workflow_type, number, Phase(), Phase()))
        measured = run_counted(
            given, tables.size, lambda number: run(house, workflow_type, number, start, complete), COUNT
        )
    return line("human", given, measured, start, complete)


def run(house: House, workflow_type: WorkflowType, number: int, start: Phase, complete: Phase) -> None:
    """Run one instance to its end."""
    with start.measured(house.store):
        instance = house.start(workflow_type, {"customer": f"Customer {number}"})
    decision = house.decision(instance, form(number))
    with complete.measured(house.store):
        decided = house.decide(decision)
    assert decided.instance.execution_state is ExecutionState.FINISHED


def form(number: int) -> dict[str, Value]:
    """Return what the person enters."""
    return {"approved": True, "comment": f"looks fine, instance {number}", "discount": Decimal(5)}


def line(name: str, given: Given, measured: Measured, start: Phase, complete: Phase) -> Line:
    """Return the line of a run, held to the budgets of statements, commits and bytes."""
    phases = {"start": start, "complete": complete}
    budgets = [
        Budget(what=f"{phase}.{what}", at_most=most, measured=found)
        for phase, each in phases.items()
        for what, most, found in (
            ("statements", MOST_STATEMENTS, each.statements),
            ("commits", MOST_COMMITS, each.commits),
        )
    ]
    budgets.extend(measured.bytes_budget(given.kind, MOST_BYTES))
    return measured.line(name, given, phases, budgets=tuple(budgets))
