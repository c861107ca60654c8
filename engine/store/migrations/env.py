"""Run by Alembic: migrates over the connection it is given, in the transaction that is open there."""

from __future__ import annotations

from alembic import context

from engine.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_item=context.config.attributes.get("render_item"),
)
with context.begin_transaction():
    context.run_migrations()
