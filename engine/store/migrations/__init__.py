"""The schema's versions."""

from __future__ import annotations

from sqlalchemy import Engine

from engine.store.tables import metadata


def upgrade(engine: Engine) -> None:
    """Create what is missing."""
    metadata.create_all(engine)


def check(engine: Engine) -> None:
    """Nothing yet."""
    del engine
