"""Each way out of the procurement process, played on the real engine against the real sandbox company."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.model.scenarios import Scenario, read_scenario, scenario_schema
from engine.store import Store
from tests.processes.shipped import PROCESSES
from tests.processes.stage import running_stage
from vermilion.scenario_player import ScenarioPlayer

FOLDER = PROCESSES / "procurement" / "scenarios"
SCHEMA = PROCESSES.parent / "docs" / "schemas" / "scenario.schema.json"
SCENARIOS = tuple(read_scenario(path.read_bytes(), path.name) for path in sorted(FOLDER.glob("*.yaml")))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_a_scenario_ends_as_written(scenario: Scenario, tmp_path: Path, sqlite_store: Store) -> None:
    with running_stage(scenario, tmp_path, sqlite_store) as running:
        assert ScenarioPlayer(stage=running.stage).play(scenario) == ()


def test_scenarios_are_named_after_their_files() -> None:
    assert [scenario.name for scenario in SCENARIOS] == [path.stem for path in sorted(FOLDER.glob("*.yaml"))]


def test_the_published_schema_is_the_one_that_is_read() -> None:
    assert json.loads(SCHEMA.read_text()) == scenario_schema()
