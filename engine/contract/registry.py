"""The catalogue of all operations that this installation offers."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import get_args

from engine.contract.operation import DeclarationError, Effect, Operation
from engine.contract.reconcile import Found, Lookup


class UnknownOperation(Exception):
    """No operation of this name and version is installed. Install it, or draw the process with one of the catalogue."""

    def __init__(self, reference: str) -> None:
        super().__init__(f"{reference}: {inspect.cleandoc(type(self).__doc__ or '')}")
        self.reference = reference


class OperationRegistry:
    """Operations by ``name@version``. Immutable after construction.

    Raises
    ------
    DeclarationError
        When two operations share a reference; when a ``reconcile`` or ``compensate`` names none that exists or one of
        the wrong kind.
    """

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._by_reference: dict[str, Operation] = {}
        self._newest: dict[str, Operation] = {}
        for each in operations:
            if each.reference in self._by_reference:
                raise DeclarationError(f"Operation {each.reference} is declared twice. Give the new one a new version.")
            self._by_reference[each.reference] = each
            if each.name not in self._newest or self._newest[each.name].version < each.version:
                self._newest[each.name] = each
        for each in self:
            self._check_compensate(each)
            self._check_reconcile(each)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self._by_reference.values())

    def find(self, reference: str) -> Operation:
        """Return the operation named ``name@version``; ``name`` alone means its newest version.

        Raises
        ------
        UnknownOperation
            When there is none.
        """
        found = self._by_reference.get(reference) or self._newest.get(reference)
        if found is None:
            raise UnknownOperation(reference)
        return found

    def _named(self, operation: Operation, role: str, name: str) -> Operation:
        try:
            return self.find(name)
        except UnknownOperation as error:
            raise DeclarationError(
                f"Operation {operation.reference}: its `{role}` names {name}, which is not declared."
            ) from error

    def _check_compensate(self, operation: Operation) -> None:
        if operation.compensate is None:
            return
        if self._named(operation, "compensate", operation.compensate).effect is not Effect.WRITE:
            raise DeclarationError(
                f"Operation {operation.reference}: its `compensate` {operation.compensate} must be a write."
            )

    def _check_reconcile(self, operation: Operation) -> None:
        if operation.reconcile is None:
            return
        found = self._named(operation, "reconcile", operation.reconcile)
        if found.effect is Effect.WRITE:
            raise DeclarationError(f"Operation {operation.reference}: its `reconcile` {found.name} must only read.")
        document = found.output_model.model_fields.get("document")
        if not issubclass(found.input_model, Lookup) or not issubclass(found.output_model, Found) or document is None:
            raise DeclarationError(
                f"Operation {operation.reference}: its `reconcile` {found.name} must be declared as"
                f" (call: Call, lookup: Lookup) -> Found[{operation.output_model.__name__}]."
            )
        if operation.output_model not in get_args(document.annotation):
            raise DeclarationError(
                f"Operation {operation.reference}: its `reconcile` {found.name} must find a"
                f" {operation.output_model.__name__}, as the write itself answers."
            )
