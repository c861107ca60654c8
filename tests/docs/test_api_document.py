"""``docs/api.md`` is followed word by word, and names every route."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from tests.docs.following import ROOT, Reader
from tests.docs.workplace import OpenWorkplace

#: Each command is a process of its own.
pytestmark = pytest.mark.timeout(600)

DOCUMENT = (ROOT / "docs" / "api.md").read_text()
OPERATING = (ROOT / "docs" / "operating.md").read_text()


def test_the_api_is_used_word_by_word(tmp_path: Path) -> None:
    with Reader(folder=tmp_path) as reader:
        place = OpenWorkplace(reader)

        reader.expects(_WAITING, place.as_documented(place.printed))
        reader.follow(place.here(OPERATING))
        reader.follow(place.here(DOCUMENT))

        with httpx.Client(base_url=place.here("http://127.0.0.1:8400")) as client:
            routes = client.get("/api/v1/openapi.json").json()["paths"]
            metrics = client.get("/metrics").text
        named = {f"{method.upper()} {path}" for path, methods in routes.items() for method in methods}
        assert set(re.findall(r"^\| `((?:GET|POST) [^`]+)` \|", DOCUMENT, re.MULTILINE)) == named
        assert set(re.findall(r"`(vermilion_\w+)`", OPERATING)) == set(re.findall(r"^# TYPE (\w+)", metrics, re.M))


_WAITING = """…
Approve the purchase (RISK-2026-0001) waits for Li Wei:
  http://127.0.0.1:8400/tasks/01a22e378202740ab8fd94500d711c11
…"""
