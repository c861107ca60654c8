"""``idle``: what instances cost that wait for a person, a message or a date - nothing (P4).

A worker's whole round - due jobs, timers, the outbox, the sweep, the next due time - runs with nothing parked and with
many parked; statements and threads must be the same, and each parked instance runs in no statement of its own.
"""

from __future__ import annotations

import statistics
import threading

from bench.house import PROCESSES, House
from bench.measuring import Phase, calibrate
from bench.report import Budget, Line
from bench.running import Given
from engine.contract.ids import BusinessKey, WorkflowType
from engine.runtime.commands import StartRequest
from vermilion.installation import read_folder

#: Parked instances of each kind.
COUNT = 500
ROUNDS = 30


def measure(given: Given) -> Line:
    """Measure rounds of an idle worker before and after many instances were parked."""
    empty, crowded = Phase(), Phase()
    parked = given.instances(COUNT)
    calibration = calibrate()
    with given.tables() as tables, given.house(tables.url) as house:
        human = house.deploy(read_folder(PROCESSES / "human"))
        message = house.deploy(read_folder(PROCESSES / "w7_scripts"))
        park(house, human, message, -1)
        one_round(house, Phase())
        threads = threading.active_count()
        for _ in range(ROUNDS):
            one_round(house, empty)
        for number in range(parked):
            park(house, human, message, number)
        for _ in range(ROUNDS):
            one_round(house, crowded)
        more_threads = threading.active_count() - threads
    added = max(one.statements - other.statements for one, other in zip(crowded.counts, empty.counts, strict=True))
    return Line(
        bench="idle",
        store=given.kind,
        count=ROUNDS,
        per_second=1000 / statistics.fmean(crowded.wall),
        cpu_ms=crowded.cpu_ms,
        calibration_ms=calibration,
        phases={"round with 1 of each": empty, "round with many": crowded},
        budgets=(
            Budget(what="statements for parked instances", at_most=0, measured=added),
            Budget(what="commits of a round", at_most=0, measured=crowded.commits),
            Budget(what="threads for parked instances", at_most=0, measured=more_threads),
        ),
        more={"parked": 2 * parked, "statements of a round": dict(crowded.counts[-1].by_name)},
    )


def park(house: House, human: WorkflowType, message: WorkflowType, number: int) -> None:
    """Start one instance that waits for a person and one that waits for a message."""
    house.start(human, {"customer": f"Customer {number}"})
    house.runtime.start(
        house.service,
        StartRequest(workflow_type=message, variables={"amount": 42}, business_key=BusinessKey(f"parked {number}")),
    )


def one_round(house: House, phase: Phase) -> None:
    """Let a worker look for work once; there is none."""
    with phase.measured(house.store):
        done = house.worker.run_until_idle()
        house.runtime.sweep(house.service)
        house.runtime.due_in()
    assert done == 0
