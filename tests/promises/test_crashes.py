"""SIGKILL at every named point of a purchase and a new start: one document, the same business transitions.

Every passing of every point of the plain journey is a run of its own; of the other journeys those of the points that
they are there for, and one of each other. ``python -m bench.prove crashes`` runs all passings of all journeys.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.promises.journeys import JOURNEYS, POINTS

#: The plain journey is long: its runs are dealt out, so that both cores have something to do.
PLAIN = "plain"
PARTS = [(name, part) for name in JOURNEYS for part in (("0/3", "1/3", "2/3") if name == PLAIN else ("0/1",))]


def lines_of(name: str, part: str, folder: Path) -> tuple[list[dict[str, Any]], str]:
    """Run a journey's kills in a process of their own; return its lines, and what it said on the error stream."""
    command = [sys.executable, "-m", "tests.promises.crash_worker", "--journey", name, "--folder", str(folder)]
    options = ["--part", part, *([] if name == PLAIN else ["--sample"])]
    ended = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in ended.stdout.splitlines()], ended.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_purchase_killed_at_any_point_ends_with_one_document(name: str, part: str, tmp_path: Path) -> None:
    lines, errors = lines_of(name, part, tmp_path)
    assert lines, errors
    passed = lines[0]["points"].keys()
    assert set(passed) >= JOURNEYS[name].marks, "a point was never passed"
    assert set(passed) <= set(POINTS), "a point is not in the list"
    assert len(lines) > 1, errors
    assert [each for each in lines[1:] if each["wrong"]] == [], errors


def test_every_point_has_a_journey_that_is_there_for_it() -> None:
    assert {point for each in JOURNEYS.values() for point in each.marks} == set(POINTS)
