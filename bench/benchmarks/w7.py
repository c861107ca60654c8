"""W7: five steps, a message from outside, two more steps - as jobs through the ledger, and as scripts.

*W7-jobs* is to be compared with engines that make each step durable before the next, *W7-scripts* with those that keep
results only when they stop to wait. Beside them stands the floor of the same minute: the same by hand.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Callable

from bench.floor import COMMITS, floor_on
from bench.house import PROCESSES, House
from bench.measuring import Phase
from bench.report import Budget, Line
from bench.running import Given, run_counted, warm_up
from engine.contract.ids import BusinessKey, EventId, WorkflowType
from engine.runtime.commands import EventFate, ExecutionState, ReceivedEvent, StartRequest
from vermilion.installation import read_folder

#: Commits of one W7-jobs, as its client counts them (ARCHITECTURE.md, Budgets).
MOST_COMMITS = 12
COUNT = 150


def measure(name: str) -> Callable[[Given], Line]:
    """Return the benchmark of this name: ``w7_jobs`` or ``w7_scripts``."""
    return lambda given: _measure(name, given)


def _measure(name: str, given: Given) -> Line:
    start, finish = Phase(), Phase()
    by_hand: list[float] = []
    with (
        given.tables() as tables,
        given.tables() as floor_tables,
        given.house(tables.url) as house,
        floor_on(floor_tables.url) as floor,
    ):
        workflow_type = house.deploy(read_folder(PROCESSES / name))

        def once(number: int) -> None:
            run(house, workflow_type, number, start, finish)
            by_hand.append(floor.once())

        warm_up(lambda number: run(house, workflow_type, number, Phase(), Phase()))
        measured = run_counted(given, tables.size, once, COUNT)
    floor_ms = statistics.median(by_hand)
    ours = statistics.median(map(sum, zip(start.wall, finish.wall, strict=True)))
    commits = max(one.commits + two.commits for one, two in zip(start.counts, finish.counts, strict=True))
    return measured.line(
        name.replace("w7_", "W7-"),
        given,
        {"start to waiting": start, "message to finished": finish},
        budgets=(Budget(what="commits", at_most=MOST_COMMITS, measured=commits),) if name == "w7_jobs" else (),
        more={
            "commits": commits,
            "floor": {"per_second": round(1000 / floor_ms, 1), "p50_ms": round(floor_ms, 2), "commits": COMMITS},
            "times_floor": round(ours / floor_ms, 2),
            "ms_above_floor": round(ours - floor_ms, 2),
        },
    )


def run(house: House, workflow_type: WorkflowType, number: int, start: Phase, finish: Phase) -> None:
    """Run one instance to its end."""
    key = f"request {workflow_type} {number}"
    request = StartRequest(workflow_type=workflow_type, variables={"amount": 42}, business_key=BusinessKey(key))
    with start.measured(house.store):
        instance = house.runtime.start(house.service, request)
        house.work()
    data = {"request": key, "ok": True}
    event = ReceivedEvent(
        source="bench",
        event_id=EventId(key),
        event_type="approve",
        occurred_at=None,
        data=data,
        body_digest=hashlib.sha256(key.encode()).hexdigest(),
    )
    with finish.measured(house.store):
        answer = house.runtime.receive(house.service, event)
        house.work()
    assert answer.fate is EventFate.CORRELATED
    if number < 0:
        view = house.runtime.instance(house.watcher, instance.workflow_id)
        assert view.execution_state == ExecutionState.FINISHED
        step = view.variables.get("step")
        assert (step["x"] if isinstance(step, dict) else view.variables["x"]) == 7
