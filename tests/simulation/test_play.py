"""A process played with scripted results and a clock that is moved."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.contract.ids import TaskId, WorkflowType
from engine.runtime.commands import DecideRequest, Failed, StartRequest, Succeeded
from engine.simulation import Simulation
from engine.store import Store
from tests.interpreter.playing import PlainScripts
from tests.runtime.company import REGISTRY, Ids
from tests.runtime.files import PURCHASE

READ = Succeeded(result='{"value": "6"}')
START = StartRequest(workflow_type=WorkflowType("purchase"), variables={"ref": "R1", "amount": 5, "by": ""})


@pytest.fixture
def simulation(sqlite_store: Store) -> Simulation:
    """A simulation of the purchase."""
    made = Simulation(sqlite_store, REGISTRY, PlainScripts(), new_id=Ids())
    made.deploy(PURCHASE)
    return made


def test_a_scenario_runs_until_somebody_must_decide(simulation: Simulation) -> None:
    manager = simulation.actor("managers")
    simulation.answers("read", [READ])
    simulation.answers("test.create", [Succeeded(result='{"number": "PO-5"}')])
    answer = simulation.runtime.start(manager, START)

    assert simulation.run() == 1

    (task,) = simulation.runtime.tasks(manager).items
    shown = simulation.runtime.task(manager, TaskId(task.task_id))
    values = {"approved": True, "note": ""}
    simulation.runtime.decide(
        manager, DecideRequest(task_id=task.task_id, values=values, bound_digest=shown.bound_digest)
    )
    assert simulation.run() == 1
    view = simulation.runtime.instance(manager, answer.workflow_id)
    assert view.business_status == "EXECUTING"
    assert view.variables["order"] == {"number": "PO-5"}


def test_days_pass_in_an_instant(simulation: Simulation) -> None:
    manager = simulation.actor("managers")
    simulation.answers("read", [READ])
    answer = simulation.runtime.start(manager, START)
    simulation.run()

    simulation.move_clock(timedelta(days=6))
    simulation.run()

    assert simulation.runtime.instance(manager, answer.workflow_id).business_status == "CANCELLED"


@pytest.mark.parametrize(
    ("scripted", "code"), [([], "not_scripted"), ([Failed(error_code="not_found", message="none")], "not_found")]
)
def test_what_goes_wrong_is_an_incident(simulation: Simulation, scripted: list[Failed], code: str) -> None:
    manager = simulation.actor("managers")
    simulation.answers("read", scripted)
    answer = simulation.runtime.start(manager, START)

    simulation.run()

    view = simulation.runtime.instance(manager, answer.workflow_id)
    assert [each.code for each in view.incidents] == [code]
