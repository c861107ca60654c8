"""Fixtures for all rooms."""

from __future__ import annotations

from tests.databases import databases, sqlite_store, sqlite_url, store, store_url

__all__ = ["databases", "sqlite_store", "sqlite_url", "store", "store_url"]
