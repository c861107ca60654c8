"""A company per test, on free ports and without latency."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import Company
from tests.sandbox.visitor import Receiver


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Company]:
    """A running company whose ERP knows keys and confirms at once."""
    with Company(tmp_path / "company") as running:
        yield running


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Somebody who takes events."""
    with Receiver() as running:
        yield running
