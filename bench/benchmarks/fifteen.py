"""A process of 15 steps: what the interpreter takes for one advance in its middle, and what a finished instance keeps.

The steps are ten scripts in FEEL, four jobs, and a person's task in the middle.
"""

from __future__ import annotations

from datetime import UTC, datetime

from bench.benchmarks.human import form
from bench.house import PROCESSES, House
from bench.measuring import Phase
from bench.report import Budget, Line
from bench.running import Given, run_counted, warm_up
from engine.contract.ids import WorkflowType
from engine.contract.origin import Origin
from engine.interpreter import Interpreter
from engine.interpreter.messages import Advance, JobSucceeded, JobWait, TaskCompleted, TaskWait
from engine.interpreter.values import Value
from engine.model import read_definition
from engine.runtime.commands import ExecutionState
from vermilion.ids import new_id
from vermilion.installation import read_folder

#: Bytes of one finished instance, and the interpreter's part of the calibration (ARCHITECTURE.md, Budgets).
MOST_BYTES = 8 * 1024
MOST_CALIBRATIONS = 0.031
COUNT = 200
ADVANCES = 600
_NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def measure_stored(given: Given) -> Line:
    """Measure whole instances through the runtime, jobs and all."""
    start, complete = Phase(), Phase()
    with given.tables() as tables, given.house(tables.url) as house:
        workflow_type = house.deploy(read_folder(PROCESSES / "fifteen"))
        warm_up(lambda number: run(house, workflow_type, number, Phase(), Phase()))
        measured = run_counted(
            given, tables.size, lambda number: run(house, workflow_type, number, start, complete), COUNT
        )
    return measured.line(
        "fifteen",
        given,
        {"start": start, "complete": complete},
        budgets=measured.bytes_budget(given.kind, MOST_BYTES),
    )


def run(house: House, workflow_type: WorkflowType, number: int, start: Phase, complete: Phase) -> None:
    """Run one instance to its end, each phase with the jobs that it brings."""
    with start.measured(house.store):
        instance = house.start(workflow_type, {"customer": f"Customer {number}"})
        house.work()
    decision = house.decision(instance, form(number))
    with complete.measured(house.store):
        house.decide(decision)
        house.work()
    if number < 0:
        assert house.state_of(instance) == ExecutionState.FINISHED


def measure_interpreter(given: Given) -> Line:
    """Measure the advance that completes the task: load the state, complete, run to the next wait, save."""
    phase = Phase()
    with given.tables() as tables, given.house(tables.url) as house:
        definition = read_definition(read_folder(PROCESSES / "fifteen"))
        interpreter, store = Interpreter(house.installation.scripts), house.store
        advance = interpreter.start(
            definition,
            start_element=None,
            variables={"customer": "Customer 1"},
            origin=Origin.PERSON,
            source="bench",
            now=_NOW,
            new_id=new_id,
        )
        while not isinstance(advance.opened[0], TaskWait):
            job = _job(advance)
            happening = JobSucceeded(
                wait_id=job.wait_id, result={"x": 1}, origin=Origin.RULE, source="bench.increment@1"
            )
            advance = interpreter.advance(definition, advance.state, happening, now=_NOW, new_id=new_id)
        values: dict[str, Value] = form(1)
        completed = TaskCompleted(wait_id=advance.opened[0].wait_id, values=values, source="bench")

        def once(number: int, into: Phase) -> None:
            del number
            with into.measured(store):
                after = interpreter.advance(definition, advance.state, completed, now=_NOW, new_id=new_id)
            assert after.opened[0].element_id == "step_11"

        warm_up(lambda number: once(number, Phase()))
        measured = run_counted(given, tables.size, lambda number: once(number, phase), ADVANCES)
    return measured.line(
        "interpreter15",
        given,
        {"advance": phase},
        budgets=(Budget(what="cpu_ratio", at_most=MOST_CALIBRATIONS, measured=phase.cpu_ms / measured.calibration_ms),),
        more={"state_bytes": len(advance.state)},
    )


def _job(advance: Advance) -> JobWait:
    (wait,) = advance.opened
    assert isinstance(wait, JobWait)
    return wait
