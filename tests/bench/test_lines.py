"""What ``python -m bench`` prints, and when it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.measuring import Phase, percentile
from bench.report import Budget, Line
from bench.stores import Bytes, NotReachable, fresh_tables

ROOT = Path(__file__).parents[2]


def run(*arguments: str, **environment: str) -> tuple[int, list[dict[str, object]]]:
    ended = subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()]


def test_each_benchmark_has_a_line_with_its_cost_and_its_budget() -> None:
    code, (human, calibration) = run("--only", "human", "--store", "sqlite", "--count", "40")
    assert code == 0
    assert {"per_second", "cpu_ms", "cpu_ratio", "bytes", "blob_bytes", "phases", "budget"} <= human.keys()
    assert human["meets_budget"] is True
    assert calibration["bench"] == "calibration"


def test_a_database_that_cannot_be_reached_is_told_and_left_out() -> None:
    nowhere = "postgresql+psycopg://nobody@127.0.0.1:1/none"
    code, (skipped, _) = run("--only", "idle", "--store", "postgresql", VERMILION_TEST_POSTGRESQL=nowhere)
    assert code == 0
    assert skipped["store"] == "postgresql"
    assert "skipped" in skipped


@pytest.mark.parametrize(("measured", "is_met"), [(0.0, True), (2.0, True), (2.001, False)])
def test_a_budget_is_met_up_to_its_figure(measured: float, is_met: bool) -> None:
    budget = Budget(what="commits", at_most=2, measured=measured)
    line = Line(bench="b", store="sqlite", count=1, per_second=1, cpu_ms=1, calibration_ms=50, budgets=(budget,))
    assert line.report()["meets_budget"] is is_met
    assert line.missed == (() if is_met else (budget,))


@pytest.mark.parametrize(("values", "percent", "found"), [([5, 1, 3], 50, 3), ([1, 2, 3, 4], 95, 4), ([7], 95, 7)])
def test_percentiles_are_values_that_were_measured(values: list[float], percent: int, found: float) -> None:
    assert percentile(values, percent) == found


def test_processor_time_is_that_of_the_best_block() -> None:
    assert Phase(cpu=[2.0] * 25 + [1.0] * 25 + [3.0] * 100).cpu_ms == 1.0


def test_bytes_are_counted_without_blobs_and_per_instance() -> None:
    before, after = Bytes(rows=1_000, blobs=500, audit=100), Bytes(rows=3_000, blobs=900, audit=300)
    assert after.since(before, 10) == Bytes(rows=200, blobs=40, audit=20)


def test_a_place_that_does_not_exist_is_not_reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.stores.MARIADB", "mysql+pymysql://nobody@127.0.0.1:1/none")
    with pytest.raises(NotReachable), fresh_tables("mariadb"):
        pass
