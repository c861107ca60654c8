"""Companies over empty stores."""

from __future__ import annotations

import pytest

from engine.store import Store
from tests.runtime.company import Company
from tests.runtime.files import HUMAN, JOBS7, PURCHASE


@pytest.fixture
def company(sqlite_store: Store) -> Company:
    """A company on SQLite, for rules in which the database makes no difference."""
    return Company(sqlite_store, HUMAN, JOBS7, PURCHASE)


@pytest.fixture
def everywhere(store: Store) -> Company:
    """A company; the test runs once per kind of database."""
    return Company(store, HUMAN, JOBS7, PURCHASE)
