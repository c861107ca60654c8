"""Deployed process versions, read once per process: a version never changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.contract.ids import DefinitionId, TenantId, WorkflowType
from engine.model import Definition
from engine.store import definitions
from engine.store.sessions import ReadSession

#: Versions kept in memory per process; the one used longest ago goes first.
_KEPT = 128

#: Reads the files of a process into a definition.
Reader = Callable[[Mapping[str, bytes]], Definition]


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """One deployed version. ``pinned`` gives ``name@version`` of each operation by its reference as drawn."""

    definition_id: DefinitionId
    workflow_type: WorkflowType
    number: int
    pinned: Mapping[str, str]
    definition: Definition


class Definitions:
    """The versions that this process has used, by tenant and id."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._kept: OrderedDict[tuple[str, str], Deployed] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, session: ReadSession, tenant_id: TenantId, definition_id: DefinitionId) -> Deployed:
        """Return a version. Raises KeyError when the tenant has none of this id."""
        key = (tenant_id, definition_id)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        found = self._load(session, tenant_id, definition_id)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def _load(self, session: ReadSession, tenant_id: TenantId, definition_id: DefinitionId) -> Deployed:
        names = {"tenant_id": tenant_id, "definition_id": definition_id}
        row = session.one(definitions.BY_ID, names)
        if row is None:
            raise KeyError(definition_id)
        files = {each.path: each.content for each in session.all(definitions.FILES, names)}
        return Deployed(
            definition_id=definition_id,
            workflow_type=row.workflow_type,
            number=row.number,
            pinned=row.pinned,
            definition=self._read(files),
        )
