"""The DMN TCK's public cases, driven by their own referee, which stands beside the project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
REFEREE = PROJECT.parent / "shared" / "conformance" / "run.py"

#: Models of level 2 and of level 3 that pass whole, and tests that hold: floors that only rise.
LEVEL_2_MODELS, LEVEL_3_MODELS, TESTS = 18, 62, 2_486


@pytest.mark.skipif(not REFEREE.exists(), reason=f"there are no conformance cases at {REFEREE}")
def test_as_many_cases_of_the_tck_pass_as_ever_did(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    adapter = "tests.conformance.decision_adapter:DecisionAdapter"

    run = subprocess.run(
        [sys.executable, str(REFEREE), "dmn", "--adapter", adapter, "--out", str(out)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert out.exists(), run.stderr
    results = json.loads(out.read_text())
    levels = {
        case["id"]: case["level"] for case in json.loads((REFEREE.parent / "dmn" / "tck.json").read_text())["cases"]
    }
    passed = [levels[case["id"]] for case in results if case["ok"]]
    tests = [test for case in results for test in case["tests"]]
    crashed = [
        test["error"]
        for test in tests
        if not test["ok"] and str(test["error"]).startswith(("TypeError", "AttributeError", "KeyError", "IndexError"))
    ]
    assert crashed == []
    assert passed.count(2) >= LEVEL_2_MODELS
    assert passed.count(3) >= LEVEL_3_MODELS
    assert sum(test["ok"] for test in tests) >= TESTS
