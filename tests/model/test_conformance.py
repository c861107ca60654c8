"""The independent cases of faulty models, where they are at hand: each that must not deploy is refused by element."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.model import check_drawing

CASES = Path(__file__).parents[2].parent / "shared" / "conformance" / "bpmn" / "refuse.json"
pytestmark = pytest.mark.skipif(not CASES.exists(), reason="the conformance cases are not part of the repository")


def test_every_faulty_model_is_refused_at_an_element_at_fault() -> None:
    missed: list[str] = []
    for case in json.loads(CASES.read_bytes())["cases"]:
        if case["severity"] != "error":
            continue
        files = {each["path"].rpartition("/")[2]: (CASES.parent / each["file"]).read_bytes() for each in case["files"]}
        named = {each.element_id for each in check_drawing(files) if each.is_error}
        if not named & set(case["elements"]):
            missed.append(case["id"])

    assert missed == []
