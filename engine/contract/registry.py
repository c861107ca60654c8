"""The catalogue of all operations that this installation offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.contract.operation import DeclarationError, Effect, Operation


class UnknownOperation(Exception):
    """No operation of this name and version is installed. Install it, or draw the process with one of the catalogue."""


class OperationRegistry:
    """Operations by ``name@version``. Immutable after construction.

    Raises
    ------
    DeclarationError
        When two operations share a reference, or a ``reconcile`` or ``compensate`` names none that exists.
    """

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._by_reference: dict[str, Operation] = {}
        for each in operations:
            if each.reference in self._by_reference:
                raise DeclarationError(f"Operation {each.reference} is declared twice. Give the new one a new version.")
            self._by_reference[each.reference] = each
        for each in self:
            for role, named in (("reconcile", each.reconcile), ("compensate", each.compensate)):
                if named is not None and self._latest(named) is None:
                    raise DeclarationError(f"Operation {each.reference}: its `{role}` names {named}, which is not declared.")
            if each.reconcile is not None:
                found = self._latest(each.reconcile)
                if found is not None and found.effect is Effect.WRITE:
                    raise DeclarationError(f"Operation {each.reference}: its `reconcile` {each.reconcile} must only read.")

    def __iter__(self) -> Iterator[Operation]:
        return iter(self._by_reference.values())

    def find(self, reference: str) -> Operation:
        """Return the operation named ``name@version``; ``name`` alone means its newest version.

        Raises
        ------
        UnknownOperation
            When there is none.
        """
        found = self._by_reference.get(reference) or self._latest(reference)
        if found is None:
            raise UnknownOperation(reference)
        return found

    def _latest(self, name: str) -> Operation | None:
        versions = [each for each in self._by_reference.values() if each.name == name]
        return max(versions, key=lambda each: each.version, default=None)
