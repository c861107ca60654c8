"""Our books and the ERP's, read as they stand: the rows themselves and the sandbox's own ledger."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, func, select
from sqlalchemy.pool import NullPool

from engine.store import tables

Row = Mapping[str, Any]

_OURS = ("step", "job", "task", "attempt", "effect", "approval", "incident", "audit", "outbox")
_WORKFLOW = re.compile(r"(?:^| )workflow-id=([0-9a-f]{32})")


@cache
def _engine(url: str) -> Engine:
    """Return an engine that keeps no connection open, so that processes may fork and files may go."""
    return create_engine(url, poolclass=NullPool)


@dataclass(frozen=True, kw_only=True)
class Case:
    """Everything that our database holds of one instance, in the order of its ids."""

    instance: Row
    step: Sequence[Row]
    job: Sequence[Row]
    task: Sequence[Row]
    attempt: Sequence[Row]
    effect: Sequence[Row]
    approval: Sequence[Row]
    incident: Sequence[Row]
    audit: Sequence[Row]
    outbox: Sequence[Row]

    @property
    def transitions(self) -> tuple[tuple[str | None, str, str], ...]:
        """Every business transition as audited: from, to, and the element that made it."""
        details: list[dict[str, Any]] = [row["detail"] or {} for row in self.audit]
        return tuple((each[0], each[1], each[2]) for detail in details for each in detail.get("status", ()))

    @property
    def open_incidents(self) -> tuple[Row, ...]:
        """Incidents that nobody has closed."""
        return tuple(row for row in self.incident if row["closed_at"] is None)


def read_cases(url: str, *, business_key: str | None = None) -> tuple[Case, ...]:
    """Read every instance of a database, or the one with a business key."""
    table = tables.instance
    wanted = select(table).order_by(table.c.workflow_id)
    if business_key is not None:
        wanted = wanted.where(table.c.business_key == business_key)
    with _engine(url).connect() as connection:
        instances = [dict(row) for row in connection.execute(wanted).mappings()]
        return tuple(_case(connection, each) for each in instances)


def _case(connection: Connection, instance: Row) -> Case:
    def rows(name: str) -> list[Row]:
        table = tables.metadata.tables[name]
        wanted = (
            select(table).where(table.c.workflow_id == instance["workflow_id"]).order_by(*table.primary_key.columns)
        )
        return [dict(row) for row in connection.execute(wanted).mappings()]

    return Case(instance=instance, **{name: rows(name) for name in _OURS})


def count_rows(url: str, table: str) -> int:
    """Return how many rows a table has."""
    with _engine(url).connect() as connection:
        return connection.execute(select(func.count()).select_from(tables.metadata.tables[table])).scalar_one()


@dataclass(frozen=True, kw_only=True)
class Foreign:
    """What the ERP's own ledger says: its documents, and what it was asked, the oldest call first."""

    documents: Sequence[Row]
    calls: Sequence[Row]

    @classmethod
    def of(cls, ledger: Mapping[str, Any]) -> Foreign:
        """Read the answer of the sandbox ERP's ``GET /ledger``."""
        return cls(documents=ledger["requisitions"], calls=sorted(ledger["calls"], key=lambda call: call["id"]))

    def documents_of(self, business_key: str) -> list[Row]:
        """Return the documents of one purchase: their reference begins with its business key."""
        return [each for each in self.documents if str(each["reference"]).startswith(f"{business_key}/")]

    def calls_of(self, workflow_id: str) -> list[Row]:
        """Return what one instance asked, by the correlation id that every request carries."""
        return [each for each in self.calls if workflow_of(each) == workflow_id]


def workflow_of(call: Row) -> str | None:
    """Return the instance that made a call."""
    found = _WORKFLOW.search(call["correlation"] or "")
    return None if found is None else found.group(1)
