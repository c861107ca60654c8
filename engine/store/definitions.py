"""Deployed versions of processes, their files, and which events they listen to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, func, insert, literal, select, true, update

from engine.contract.ids import DefinitionId, PersonId, StepKey, TenantId, WorkflowType
from engine.store.statements import Change, Query, limit, same
from engine.store.tables import definition, definition_file, instance, message_type


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionRow:
    """A deployed version; ``pinned`` as the runtime wrote it."""

    tenant_id: TenantId
    definition_id: DefinitionId
    workflow_type: WorkflowType
    number: int
    digest: str
    title: Any
    is_current: bool
    pinned: Any
    deployed_at: datetime
    deployed_by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionFile:
    """One file of a version."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A process that an event type starts or continues."""

    tenant_id: TenantId
    event_type: str
    workflow_type: WorkflowType
    message_name: str
    definition_id: DefinitionId
    start_element: StepKey | None


INSERT = Change("definition.insert", "Store a deployed version.", insert(definition))
INSERT_FILES = Change("definition.insert_files", "Store the files of a version.", insert(definition_file))
RETIRE = Change(
    "definition.retire",
    "No version of a process is the current one. Parameters: tenant_id, workflow_type.",
    update(definition)
    .where(*same(definition, "tenant_id", "workflow_type"), definition.c.is_current == true())
    .values({definition.c.is_current: False}),
)
MAKE_CURRENT = Change(
    "definition.make_current",
    "A version is the one new instances start with. Parameters: tenant_id, definition_id.",
    update(definition).where(*same(definition, "tenant_id", "definition_id")).values({definition.c.is_current: True}),
)
BY_ID = Query(
    "definition.by_id",
    "One version. Parameters: tenant_id, definition_id.",
    select(definition).where(*same(definition, "tenant_id", "definition_id")),
    DefinitionRow,
)
CURRENT = Query(
    "definition.current",
    "The version new instances of a process start with. Parameters: tenant_id, workflow_type.",
    select(definition).where(*same(definition, "tenant_id", "workflow_type"), definition.c.is_current == true()),
    DefinitionRow,
    tells_time=True,
)
BY_DIGEST = Query(
    "definition.by_digest",
    "A version by its content. Parameters: tenant_id, workflow_type, digest.",
    select(definition).where(*same(definition, "tenant_id", "workflow_type", "digest")),
    DefinitionRow,
)
LATEST_NUMBER = Query(
    "definition.latest_number",
    "The highest version number of a process, 0 if it has none. Parameters: tenant_id, workflow_type.",
    select(func.coalesce(func.max(definition.c.number), 0).label("number")).where(
        *same(definition, "tenant_id", "workflow_type")
    ),
    int,
)
ALL_CURRENT = Query(
    "definition.all_current",
    "The current version of each process. Parameters: tenant_id, limit.",
    select(definition)
    .where(*same(definition, "tenant_id"), definition.c.is_current == true())
    .order_by(definition.c.workflow_type)
    .limit(limit()),
    DefinitionRow,
)
LIVE = Query(
    "definition.live",
    "Versions that new instances start with, or that unfinished ones run on, over all tenants. Parameter: limit.",
    select(definition)
    .where(
        (definition.c.is_current == true())
        | exists(
            select(literal(1)).where(
                *(instance.c[name] == definition.c[name] for name in ("tenant_id", "definition_id")),
                instance.c.finished_at.is_(None),
            )
        )
    )
    .order_by(definition.c.tenant_id, definition.c.workflow_type, definition.c.number)
    .limit(limit()),
    DefinitionRow,
)
FILES = Query(
    "definition.files",
    "The files of a version. Parameters: tenant_id, definition_id.",
    select(definition_file.c.path, definition_file.c.content)
    .where(*same(definition_file, "tenant_id", "definition_id"))
    .order_by(definition_file.c.path),
    DefinitionFile,
)

# --- which events a process listens to ---------------------------------------------------------------------------

INSERT_LISTENERS = Change(
    "message_type.insert", "Store which events the current version of a process listens to.", insert(message_type)
)
DELETE_LISTENERS = Change(
    "message_type.delete",
    "Forget which events a process listens to. Parameters: tenant_id, workflow_type.",
    delete(message_type).where(*same(message_type, "tenant_id", "workflow_type")),
)
LISTENERS = Query(
    "message_type.listeners",
    "Processes that listen to an event type. Parameters: tenant_id, event_type.",
    select(message_type)
    .where(*same(message_type, "tenant_id", "event_type"))
    .order_by(message_type.c.workflow_type, message_type.c.message_name),
    Listener,
    tells_time=True,
)
