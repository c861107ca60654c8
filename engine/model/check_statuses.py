"""Checks business statuses and joins by exploring the token game (W3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.contract.operation import Effect
from engine.contract.registry import OperationRegistry, UnknownOperation
from engine.model import check_rules
from engine.model.definition import Definition
from engine.model.findings import Findings, Place
from engine.model.graph import FlowNode, MultiInstance
from engine.model.reader import SETTINGS_PATH, every_node
from engine.model.statuses import MOST_STATES, Exploration, WriteKind, explore

_WORDS = {WriteKind.WRITE: "writes to a business system", WriteKind.COMPENSATION: "undoes an earlier write"}


def write_kinds(definition: Definition, catalogue: OperationRegistry | None) -> dict[str, WriteKind]:
    """Return which nodes write, by node id.

    A write is compensating when the catalogue, or the drawing, names its operation as what undoes another.
    """
    if catalogue is None:
        return {}
    undoing = {operation.compensate for operation in catalogue if operation.compensate is not None}
    undoing |= {
        node.operation.compensate
        for node in definition.nodes.values()
        if node.operation is not None and node.operation.compensate is not None
    }
    names = {reference.partition("@")[0] for reference in undoing}
    kinds: dict[str, WriteKind] = {}
    for node in definition.nodes.values():
        if node.operation is None:
            continue
        try:
            operation = catalogue.find(node.operation.reference)
        except UnknownOperation:
            continue
        if operation.effect is Effect.WRITE:
            is_undoing = operation.name in names
            kinds[node.element_id] = WriteKind.COMPENSATION if is_undoing else WriteKind.WRITE
    return kinds


@dataclass(frozen=True, kw_only=True)
class StatusCheck:
    """Checks one definition that has no error of reading or flow."""

    definition: Definition
    places: Mapping[str, Place]
    findings: Findings
    catalogue: OperationRegistry | None

    def check(self) -> None:
        """Note illegal transitions, forbidden writes and joins that wait for ever, each with its way."""
        self._multi_instances()
        found = explore(self.definition, write_kinds(self.definition, self.catalogue))
        settings = self.definition.settings
        if not found.is_complete and settings.statuses:
            place = Place(file="process.bpmn", element_id=self.definition.process.scope_id)
            self.findings.add(check_rules.TOO_ENTANGLED, place, count=MOST_STATES)
        self._joins(found)
        if settings.statuses:
            self._statuses(found)

    def _place(self, node: FlowNode) -> Place:
        return self.places.get(node.element_id, Place(file="process.bpmn", element_id=node.element_id))

    def _multi_instances(self) -> None:
        for node in self.definition.nodes.values():
            if not isinstance(node.loop, MultiInstance) or node.loop.is_sequential:
                continue
            inner = node.inner or self.definition.called.get(node.called_process or "")
            for each in every_node(inner) if inner is not None else ():
                if each.status is not None:
                    place = self._place(node)
                    label = each.name or each.drawn_id
                    self.findings.add(check_rules.STATUS_IN_MULTI_INSTANCE, place, node=label)

    def _joins(self, found: Exploration) -> None:
        for key, evidence in found.stuck.items():
            is_sure = found.is_complete and key not in found.fired
            rule = check_rules.JOIN_NEVER_FIRES if is_sure else check_rules.JOIN_MAY_WAIT
            way = self.definition.way(evidence.path)
            self.findings.add(rule, self._place(evidence.node), kind=evidence.node.kind, path=way)
        for evidence in found.flooded.values():
            way = self.definition.way(evidence.path)
            self.findings.add(check_rules.TOKENS_MULTIPLY, self._place(evidence.node), path=way)

    def _statuses(self, found: Exploration) -> None:
        for evidence in found.illegal.values():
            self.findings.add(
                check_rules.ILLEGAL_TRANSITION,
                self._place(evidence.node),
                before=evidence.before or "none",
                after=evidence.after or "none",
                path=self.definition.way((*evidence.path, evidence.node.element_id)),
            )
        kinds = write_kinds(self.definition, self.catalogue)
        for evidence in found.forbidden_writes.values():
            self.findings.add(
                check_rules.FORBIDDEN_WRITE,
                self._place(evidence.node),
                kind=_WORDS[kinds[evidence.node.element_id]],
                status=evidence.before or "none",
                path=self.definition.way(evidence.path),
            )
        for status, evidence in found.not_final.items():
            self.findings.add(
                check_rules.STATUS_NOT_FINAL,
                self._place(evidence.node),
                status=status,
                path=self.definition.way(evidence.path),
            )
        self._never_entered(found)

    def _never_entered(self, found: Exploration) -> None:
        settings = self.definition.settings
        entered = found.statuses | {settings.failure_status}
        if settings.cancellation is not None:
            entered.add(settings.cancellation.status)
        if not found.is_complete or found.illegal:
            return
        for status in settings.statuses:
            if status.name not in entered:
                self.findings.add(check_rules.STATUS_NEVER_ENTERED, Place(file=SETTINGS_PATH), status=status.name)
