"""What a purchase refuses at its door, and what a scenario file refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.contract.ids import EventId
from engine.model import DefinitionRefused
from engine.model.scenarios import Scenario, read_scenario
from engine.runtime.commands import ReceivedEvent
from engine.runtime.errors import Refused
from engine.runtime.views import InstanceView
from engine.store import Store
from tests.processes.stage import RunningStage, running_stage
from vermilion.scenario_player import ScenarioPlayer

SHORTAGE = {"material_id": "MAT-015", "material_risk_id": "MR-900", "reported_by": "mes"}
SCENARIO = Scenario.model_validate(
    {
        "name": "by-rule",
        "shows": "A purchase that a rule approves.",
        "start": {"event": {"type": "material.shortage", "data": SHORTAGE}},
        "expect": {},
    }
)


@pytest.fixture
def running(tmp_path: Path, sqlite_store: Store) -> Iterator[RunningStage]:
    with running_stage(SCENARIO, tmp_path, sqlite_store) as running:
        yield running


def shortage(**changes: Any) -> ReceivedEvent:
    return ReceivedEvent(
        source="/test",
        event_id=EventId("1"),
        event_type="material.shortage",
        occurred_at=None,
        data={name: value for name, value in (SHORTAGE | changes).items() if value is not None},
        body_digest="0" * 64,
    )


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"quantity_hint": -5}, id="a negative quantity"),
        pytest.param({"quantity_hint": 0}, id="no quantity"),
        pytest.param({"material_id": None}, id="no material"),
        pytest.param({"material_id": ""}, id="an empty material"),
        pytest.param({"material_risk_id": None}, id="no number"),
        pytest.param({"surprise": "x"}, id="an unknown field"),
    ],
)
def test_a_shortage_that_does_not_have_the_agreed_form_is_refused(
    running: RunningStage, changes: dict[str, Any]
) -> None:
    stage = running.stage
    with pytest.raises(Refused):
        stage.runtime.receive(stage.sender, shortage(**changes))
    assert stage.runtime.instances(stage.watcher).items == ()


def test_an_approval_by_rule_waits_and_is_granted_in_one_transaction(running: RunningStage) -> None:
    player = ScenarioPlayer(stage=running.stage)
    player.play(SCENARIO)
    assert player.workflow_id is not None
    instance: InstanceView = running.stage.runtime.instance(running.stage.watcher, player.workflow_id)
    entered = {each.detail["after"]: each for each in instance.timeline if each.event == "status"}

    assert entered["WAITING_APPROVAL"].at == entered["APPROVED"].at
    assert entered["WAITING_APPROVAL"].step_key == "approve_by_rule"
    assert instance.decisions == ()


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("name: Wrong Name\n", "name"),
        ("name: a\nshows: b\nstart: {}\nexpect: {}\n", "start"),
        ("name: a\nshows: b\nstart: {form: {by: x, values: {}}}\nsteps: [{clock: soon}]\nexpect: {}\n", "steps.0"),
        ("name: a\nshows: b\nstart: {form: {by: x, values: {}}}\nsteps: [{}]\nexpect: {}\n", "steps.0"),
        ("name: a\nshows: b\nstart: {form: {by: x, values: {}}}\nexpect: {stauts: X}\n", "expect.stauts"),
        ("- a\n", "the file"),
    ],
)
def test_a_wrong_scenario_names_the_entry(text: str, entry: str) -> None:
    with pytest.raises(DefinitionRefused, match=rf"{entry}: "):
        read_scenario(text.encode(), "scenarios/a.yaml")
