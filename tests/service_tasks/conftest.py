"""The stand-in company for the tests of the adapters."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from sandbox import Company
from tests.service_tasks.systems import Systems


@pytest.fixture(scope="module")
def read_only_company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """A company that the tests of a module only read; its first day is 1 December 2026."""
    with Company(tmp_path_factory.mktemp("company"), today=date(2026, 12, 1)) as company:
        yield company


@pytest.fixture
def reading(read_only_company: Company) -> Iterator[Systems]:
    """Connections to the company that is only read; its fault switches are off."""
    systems = Systems(read_only_company)
    yield systems
    systems.close()
    for each in read_only_company.systems:
        each.faults.clear()


@pytest.fixture
def systems(tmp_path: Path) -> Iterator[Systems]:
    """Connections to a company of the test's own, whose ERP confirms only when told."""
    with Company(tmp_path / "company", confirmation="late", today=date(2026, 12, 1)) as company:
        made = Systems(company)
        yield made
        made.close()
