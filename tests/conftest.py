"""Fixtures for all rooms."""

from __future__ import annotations

from collections.abc import Generator

import pytest
import structlog

from tests.databases import databases, sqlite_store, sqlite_url, store, store_url

__all__ = ["databases", "sqlite_store", "sqlite_url", "store", "store_url"]


@pytest.fixture(autouse=True)
def own_logging() -> Generator[None]:
    """Undo what a command line that ran in the test's process set up for its logs."""
    yield
    structlog.reset_defaults()
