"""Shows the deployed processes."""

from __future__ import annotations

from engine.contract.ids import WorkflowType
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.model import Definition
from engine.model.forms import Form
from engine.model.graph import FlowNode, NoneEvent
from engine.runtime.errors import UnknownProcess
from engine.runtime.limits import MOST_LISTED
from engine.runtime.roles import holds
from engine.runtime.rooms import Rooms
from engine.runtime.views import ProcessView
from engine.store import definitions
from engine.store.definitions import DefinitionRow
from engine.store.sessions import ReadSession


def list_processes(rooms: Rooms, actor: Actor, *, language: str = "en") -> tuple[ProcessView, ...]:
    """Return every process by its current version. Raises PermissionDenied."""
    require(actor, Permission.READ_PROCESSES)
    with rooms.store.reading() as session:
        rows = session.all(definitions.ALL_CURRENT, {"tenant_id": actor.tenant_id, "limit": MOST_LISTED})
        return tuple(_view(rooms, session, actor, row, language) for row in rows)


def show_process(rooms: Rooms, actor: Actor, workflow_type: WorkflowType, *, language: str = "en") -> ProcessView:
    """Return a process by its current version. Raises PermissionDenied, UnknownProcess."""
    require(actor, Permission.READ_PROCESSES)
    with rooms.store.reading() as session:
        row = session.one(definitions.CURRENT, {"tenant_id": actor.tenant_id, "workflow_type": workflow_type})
        if row is None:
            raise UnknownProcess(workflow_type=workflow_type)
        return _view(rooms, session, actor, row, language)


def _view(rooms: Rooms, session: ReadSession, actor: Actor, row: DefinitionRow, language: str) -> ProcessView:
    definition = rooms.definitions.get(session, actor.tenant_id, row.definition_id).definition
    start = plain_start(definition)
    return ProcessView(
        workflow_type=row.workflow_type,
        definition_id=row.definition_id,
        number=row.number,
        digest=row.digest,
        title=row.title,
        owner=definition.settings.owner,
        deployed_at=row.deployed_at,
        start_form=_form(definition, start, language),
        may_start=start is not None and may_start(actor, definition),
    )


def plain_start(definition: Definition) -> FlowNode | None:
    """Return the start that needs no event; None when the process starts with events only."""
    starts = definition.process.starts()
    return next((node for node in starts if node.event is None or isinstance(node.event, NoneEvent)), None)


def may_start(actor: Actor, definition: Definition) -> bool:
    """Whether an actor may start the process by hand: a role that ``process.yaml`` names, or a service."""
    if Permission.START not in actor.permissions:
        return False
    settings = definition.settings
    return actor.is_service or not settings.starts or holds(actor, settings, settings.starts)


def _form(definition: Definition, start: FlowNode | None, language: str) -> Form | None:
    binding = start.task.form if start is not None and start.task is not None else None
    return definition.form(binding.key, language) if binding is not None else None
