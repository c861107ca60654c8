"""The budgets that are counts hold on every database, on the workloads that the benchmarks run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import FrameType

import pytest

from bench.benchmarks import fifteen, growth, human, idle, w7
from bench.benchmarks.growth import SHAPES
from bench.house import PROCESSES, House
from bench.measuring import Phase
from engine.contract.ids import WorkflowType
from engine.runtime.commands import ExecutionState
from vermilion.installation import read_folder

#: As many instances as show that no later one costs more than the first.
FEW = 3


@pytest.fixture
def house(store_url: str) -> Iterator[House]:
    """The product on each kind of database."""
    with House(store_url) as opened:
        yield opened


@pytest.fixture
def sqlite_house(sqlite_url: str) -> Iterator[House]:
    """The product on a SQLite file."""
    with House(sqlite_url) as opened:
        yield opened


def test_human_takes_at_most_fifteen_statements_and_two_commits_each_way(house: House) -> None:
    workflow_type = house.deploy(read_folder(PROCESSES / "human"))
    start, complete = Phase(), Phase()
    for number in range(FEW):
        human.run(house, workflow_type, number, start, complete)
    assert max(start.statements, complete.statements) <= human.MOST_STATEMENTS
    assert max(start.commits, complete.commits) <= human.MOST_COMMITS


def test_seven_jobs_and_a_message_take_at_most_twelve_commits(house: House) -> None:
    workflow_type = house.deploy(read_folder(PROCESSES / "w7_jobs"))
    start, finish = Phase(), Phase()
    for number in range(-FEW, 0):  # negative numbers also look at the result
        w7.run(house, workflow_type, number, start, finish)
    assert start.commits + finish.commits <= w7.MOST_COMMITS


def test_seven_scripts_and_a_message_take_two_commits(sqlite_house: House) -> None:
    workflow_type = sqlite_house.deploy(read_folder(PROCESSES / "w7_scripts"))
    start, finish = Phase(), Phase()
    w7.run(sqlite_house, workflow_type, -1, start, finish)
    assert (start.commits, finish.commits) == (1, 1)


def test_instances_that_wait_cost_an_idle_worker_no_statement(house: House) -> None:
    human_type = house.deploy(read_folder(PROCESSES / "human"))
    message_type = house.deploy(read_folder(PROCESSES / "w7_scripts"))
    empty, crowded = Phase(), Phase()
    idle.one_round(house, empty)
    for number in range(20):
        idle.park(house, human_type, message_type, number)
    idle.one_round(house, crowded)
    assert crowded.counts[0].by_name == empty.counts[0].by_name
    assert crowded.commits == 0


def test_fifteen_steps_run_to_their_end(sqlite_house: House) -> None:
    workflow_type = sqlite_house.deploy(read_folder(PROCESSES / "fifteen"))
    start, complete = Phase(), Phase()
    fifteen.run(sqlite_house, workflow_type, -1, start, complete)
    # One commit for each of start, decision and job, and one to claim the first job of each phase.
    assert (start.commits, complete.commits) == (4, 4)


@pytest.mark.parametrize("name", SHAPES)
def test_work_grows_in_proportion_to_the_size(sqlite_house: House, name: str) -> None:
    """Counted in calls, which neighbours on the machine do not change."""
    shape = SHAPES[name]
    calls: list[int] = []
    for size in (shape.third, shape.size):
        workflow_type = sqlite_house.deploy(shape.draw(size))
        sqlite_house.start(workflow_type, {})

        def once(workflow_type: WorkflowType = workflow_type) -> None:
            answer = sqlite_house.start(workflow_type, {})
            assert answer.execution_state is ExecutionState.FINISHED

        calls.append(_calls(once))
    (ratio,) = (after / before for before, after in pairwise(calls))
    assert ratio <= growth.MOST_TIMES, calls


def _calls(do: Callable[[], None]) -> int:
    """Return how many calls of functions, Python's and C's, it takes to do something."""
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    sys.setprofile(seen)
    try:
        do()
    finally:
        sys.setprofile(None)
    return count
