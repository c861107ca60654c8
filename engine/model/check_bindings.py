"""Checks that what a drawing names exists: operations and inputs, decisions, forms, roles, messages, statuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import ValidationError

from engine.contract.operation import Effect, Operation
from engine.contract.registry import OperationRegistry, UnknownOperation
from engine.model import check_rules
from engine.model.definition import Definition
from engine.model.findings import Findings, Place
from engine.model.graph import Expression, FlowNode, MessageEvent, NodeKind, OperationBinding
from engine.model.reader import SETTINGS_PATH
from engine.model.statuses import reentry


@dataclass(frozen=True, kw_only=True)
class BindingCheck:
    """Checks the bindings of one definition.

    ``catalogue`` None leaves operations unchecked; ``has_settings`` False leaves out what ``process.yaml`` declares.
    """

    definition: Definition
    places: Mapping[str, Place]
    findings: Findings
    catalogue: OperationRegistry | None
    has_settings: bool

    def check(self) -> None:
        """Check every node."""
        for node in self.definition.nodes.values():
            place = self.places.get(node.element_id, Place(file="process.bpmn", element_id=node.element_id))
            if node.operation is not None and self.catalogue is not None:
                self._operation(node.operation, self.catalogue, place)
            if node.decision is not None and node.decision.decision not in self.definition.decisions:
                known = ", ".join(sorted(self.definition.decisions)) or "none"
                self.findings.add(check_rules.UNKNOWN_DECISION, place, decision=node.decision.decision, decisions=known)
            self._task(node, place)
            if self.has_settings:
                self._declared(node, place)
        self._unused_forms()
        if self.has_settings:
            self._cancellation()
            self._reentries()

    # --- operations ----------------------------------------------------------------------------------------------

    def _operation(self, binding: OperationBinding, catalogue: OperationRegistry, place: Place) -> None:
        if binding.compensate is not None:
            self._compensation(binding.compensate, catalogue, place)
        try:
            operation = catalogue.find(binding.reference)
        except UnknownOperation:
            self.findings.add(check_rules.UNKNOWN_OPERATION, place, operation=binding.reference)
            return
        fields = {field.alias or name: field for name, field in operation.input_model.model_fields.items()}
        for name, field in fields.items():
            if field.is_required() and name not in binding.inputs:
                self.findings.add(check_rules.MISSING_INPUT, place, operation=operation.reference, input=name)
        for name, expression in binding.inputs.items():
            if name not in fields:
                self.findings.add(
                    check_rules.UNKNOWN_INPUT,
                    place,
                    operation=operation.reference,
                    input=name,
                    inputs=", ".join(fields) or "none",
                )
            else:
                self._literal(operation, name, expression, place)

    def _compensation(self, reference: str, catalogue: OperationRegistry, place: Place) -> None:
        try:
            if catalogue.find(reference).effect is not Effect.WRITE:
                self.findings.add(check_rules.NOT_A_COMPENSATION, place, operation=reference)
        except UnknownOperation:
            self.findings.add(check_rules.UNKNOWN_OPERATION, place, operation=reference)

    def _literal(self, operation: Operation, name: str, expression: Expression, place: Place) -> None:
        literal = _json_literal(expression.text)
        if literal is None:
            return
        try:
            operation.input_model.model_validate_json(f"{{{json.dumps(name)}: {literal}}}")
        except ValidationError as wrong:
            for each in wrong.errors(include_url=False):
                if each["loc"][:1] == (name,):
                    self.findings.add(
                        check_rules.INPUT_TYPE,
                        place,
                        operation=operation.reference,
                        input=name,
                        text=expression.text,
                        problem=each["msg"],
                    )

    # --- people --------------------------------------------------------------------------------------------------

    def _task(self, node: FlowNode, place: Place) -> None:
        if node.kind is NodeKind.USER_TASK and (node.task is None or node.task.form is None):
            self.findings.add(check_rules.USER_TASK_WITHOUT_FORM, place)
        if node.task is None:
            return
        form = node.task.form
        if form is not None and form.key not in self.definition.forms:
            self.findings.add(check_rules.UNKNOWN_FORM, place, form=form.key)
        if node.task.escalation is not None and node.task.escalation_role is None:
            self.findings.add(check_rules.ESCALATION_WITHOUT_ROLE, place)

    def _unused_forms(self) -> None:
        used = {node.task.form.key for node in self.definition.nodes.values() if node.task and node.task.form}
        for key in sorted(self.definition.forms.keys() - used):
            self.findings.add(check_rules.UNUSED_FORM, Place(file=f"forms/{key}.form"), form=key)

    # --- what process.yaml declares ------------------------------------------------------------------------------

    def _declared(self, node: FlowNode, place: Place) -> None:
        settings = self.definition.settings
        roles = {role.name for role in settings.roles}
        known = ", ".join(sorted(roles)) or "none"
        if node.kind in (NodeKind.USER_TASK, NodeKind.MANUAL_TASK):
            assignment = node.task.assignment if node.task else None
            named = [assignment.role] if assignment and assignment.role else []
            if not named:
                self.findings.add(check_rules.ROLE_MISSING, place)
            if node.task is not None and node.task.escalation_role is not None:
                named.append(node.task.escalation_role)
            for role in named:
                if role not in roles:
                    self.findings.add(check_rules.UNKNOWN_ROLE, place, role=role, roles=known)
        message = node.event.name if isinstance(node.event, MessageEvent) else ""
        if message and message not in {each.name for each in settings.messages}:
            self.findings.add(check_rules.UNKNOWN_MESSAGE, place, message=message)
        statuses = [status.name for status in settings.statuses]
        if node.status is not None and node.status not in statuses:
            self.findings.add(
                check_rules.UNKNOWN_STATUS, place, status=node.status, statuses=", ".join(statuses) or "none"
            )

    def _reentries(self) -> None:
        for status in self.definition.settings.statuses:
            if status.reentry is not None and reentry(self.definition, status.name) is None:
                place = Place(file=SETTINGS_PATH)
                self.findings.add(check_rules.BAD_REENTRY, place, status=status.name, element=status.reentry)

    def _cancellation(self) -> None:
        cancellation = self.definition.settings.cancellation
        if cancellation is None or cancellation.message is None:
            return
        caught = {
            node.event.name
            for node in self.definition.nodes.values()
            if isinstance(node.event, MessageEvent) and node.kind in _CATCHING
        }
        if cancellation.message not in caught:
            place = Place(file=SETTINGS_PATH)
            self.findings.add(check_rules.UNCAUGHT_CANCELLATION, place, message=cancellation.message)


_CATCHING = frozenset({NodeKind.INTERMEDIATE_CATCH_EVENT, NodeKind.BOUNDARY_EVENT, NodeKind.RECEIVE_TASK})


def _json_literal(text: str) -> str | None:
    """Return a FEEL literal - a text, a number, true, false or null - as JSON; None for any other expression."""
    try:
        value = cast("object", json.loads(text, parse_constant=_no_constant))
    except ValueError:
        return None
    return text if value is None or isinstance(value, (str, int, float)) else None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is a variable in FEEL")
