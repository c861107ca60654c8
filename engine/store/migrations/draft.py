"""Draft the next schema version from the difference between ``tables.py`` and what the versions so far make.

``python -m engine.store.migrations.draft 0002 "what changes"``; read and correct the draft before it is committed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from alembic import command
from alembic.autogenerate.api import AutogenContext
from alembic.config import Config
from sqlalchemy import create_engine

from engine.store import columns


def draft(revision: str, subject: str) -> None:
    """Write ``versions/<revision>_<subject>.py``."""
    with tempfile.TemporaryDirectory() as folder:
        engine = create_engine(f"sqlite:///{Path(folder) / 'draft.sqlite'}")
        with engine.connect() as connection:
            configuration = Config()
            configuration.set_main_option("script_location", "engine.store:migrations")
            configuration.attributes["connection"] = connection
            configuration.attributes["render_item"] = render
            command.upgrade(configuration, "head")
            command.revision(configuration, subject, autogenerate=True, rev_id=revision)
        engine.dispose()


def render(kind: str, item: Any, context: AutogenContext) -> str | bool:
    """Write our column types by their names; everything else as Alembic does."""
    del context
    if kind == "type" and type(item).__module__ == columns.__name__:
        length = getattr(item, "length", None) if isinstance(item, columns.Text) else None
        return f"columns.{type(item).__name__}({length or ''})"
    return False


if __name__ == "__main__":
    draft(sys.argv[1], sys.argv[2])
