"""Deploys a process version: read, checked, its operations pinned, stored immutable under its digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.contract.ids import DefinitionId, TenantId, WorkflowType
from engine.contract.registry import UnknownOperation
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.model import Definition
from engine.model.graph import MessageEvent
from engine.runtime.cause import Parameters
from engine.runtime.commands import DeployedVersion
from engine.runtime.errors import DefinitionRefused
from engine.runtime.limits import MOST_LISTED
from engine.runtime.rooms import Overtaken, Rooms, starting_over
from engine.store import audit, definitions
from engine.store.failures import DuplicateRow
from engine.store.sessions import WriteSession


@dataclass(frozen=True, kw_only=True)
class MissingOperation:
    """An operation that a live version of a process calls and this installation does not have."""

    tenant_id: TenantId
    workflow_type: WorkflowType
    number: int
    reference: str


def deploy(rooms: Rooms, actor: Actor, files: Mapping[str, bytes]) -> DeployedVersion:
    """Deploy the process that these files make, by their path inside its folder, as the current version.

    Deployed again, the same content is the same version.

    Raises
    ------
    PermissionDenied
    DefinitionRefused
        With every finding, when the process cannot run exactly as drawn (P9).
    """
    require(actor, Permission.DEPLOY)
    definition = rooms.check(files)
    pinned = _pinned(rooms, definition)
    return starting_over(lambda: _once(rooms, actor, files, definition, pinned))


def _pinned(rooms: Rooms, definition: Definition) -> dict[str, str]:
    """Return ``name@version`` of every operation that the drawing calls, by its reference as drawn."""
    pinned: dict[str, str] = {}
    missing: list[str] = []
    for node in definition.nodes.values():
        binding = node.operation
        for reference in (binding.reference, binding.compensate) if binding is not None else ():
            if reference is None:
                continue
            try:
                pinned[reference] = rooms.registry.find(reference).reference
            except UnknownOperation:
                missing.append(f"{node.element_id} calls {reference}, which is not installed")
    if missing:
        raise DefinitionRefused((), problems="; ".join(missing) + ".")
    return pinned


def _once(
    rooms: Rooms, actor: Actor, files: Mapping[str, bytes], definition: Definition, pinned: Mapping[str, str]
) -> DeployedVersion:
    workflow_type = WorkflowType(definition.settings.key)
    names = {"tenant_id": actor.tenant_id, "workflow_type": workflow_type}
    with rooms.store.reading() as session:
        same = session.one(definitions.BY_DIGEST, {**names, "digest": definition.digest})
        number = 1 + (session.one(definitions.LATEST_NUMBER, names) or 0)
        now = session.now()
    if same is not None and same.is_current:
        return DeployedVersion(workflow_type=workflow_type, number=same.number, digest=definition.digest, is_new=False)
    definition_id = DefinitionId(rooms.new_id()) if same is None else same.definition_id
    row: dict[str, Any] = {
        **names,
        "definition_id": definition_id,
        "number": number if same is None else same.number,
        "digest": definition.digest,
        "title": dict(definition.settings.title),
        "is_current": True,
        "pinned": dict(pinned),
        "deployed_at": now,
        "deployed_by": actor.person_id,
    }
    try:
        with rooms.store.writing("deploy") as session:
            session.run(definitions.RETIRE, names)
            if same is None:
                session.run(definitions.INSERT, row)
                session.run(definitions.INSERT_FILES, _files(actor, definition_id, files))
            else:
                session.run(definitions.MAKE_CURRENT, {"tenant_id": actor.tenant_id, "definition_id": definition_id})
            session.run(definitions.DELETE_LISTENERS, names)
            session.run(definitions.INSERT_LISTENERS, _listeners(actor, definition_id, definition))
            _write_audit(rooms, session, actor, row, now)
    except DuplicateRow as error:
        raise Overtaken from error
    return DeployedVersion(
        workflow_type=workflow_type, number=row["number"], digest=definition.digest, is_new=same is None
    )


def _files(actor: Actor, definition_id: DefinitionId, files: Mapping[str, bytes]) -> list[Parameters]:
    return [
        {"tenant_id": actor.tenant_id, "definition_id": definition_id, "path": path, "content": content}
        for path, content in files.items()
    ]


def _listeners(actor: Actor, definition_id: DefinitionId, definition: Definition) -> list[Parameters]:
    """Return a row per event type and message: which start of the process it begins, if any."""
    starts = {
        node.event.name: node.element_id for node in definition.process.starts() if isinstance(node.event, MessageEvent)
    }
    return [
        {
            "tenant_id": actor.tenant_id,
            "event_type": event_type,
            "workflow_type": definition.settings.key,
            "message_name": message.name,
            "definition_id": definition_id,
            "start_element": starts.get(message.name),
        }
        for message in definition.settings.messages
        for event_type in message.types
    ]


def _write_audit(rooms: Rooms, session: WriteSession, actor: Actor, row: Mapping[str, Any], now: datetime) -> None:
    """Write the deployment into the audit trail, under the version's id."""
    session.run(
        audit.INSERT,
        {
            "tenant_id": actor.tenant_id,
            "workflow_id": row["definition_id"],
            "audit_id": rooms.new_id(),
            "event": "deployed",
            "actor": actor.person_id,
            "at": now,
            "detail": {name: row[name] for name in ("workflow_type", "number", "digest")},
        },
    )


def missing_operations(rooms: Rooms) -> tuple[MissingOperation, ...]:
    """Return every operation that a live version calls and that is not installed, over all tenants.

    Live is what new instances start with, and every version that an unfinished instance runs on (DECISIONS, files of
    a process: a start-up check).
    """
    missing: list[MissingOperation] = []
    with rooms.store.reading() as session:
        live = session.all(definitions.LIVE, {"limit": MOST_LISTED * 10})
    for row in live:
        for reference in sorted(set(row.pinned.values())):
            try:
                exact = rooms.registry.find(reference).reference == reference
            except UnknownOperation:
                exact = False
            if not exact:
                missing.append(
                    MissingOperation(
                        tenant_id=row.tenant_id,
                        workflow_type=row.workflow_type,
                        number=row.number,
                        reference=reference,
                    )
                )
    return tuple(missing)
