"""The catalogue: every operation that this installation offers, with the engine of its AI steps."""

from __future__ import annotations

from collections.abc import Iterable

from engine.contract import Operation, OperationRegistry
from service_tasks import ai, erp, mes, rules, wms
from service_tasks.ai import AIProvider


def build_registry(provider: AIProvider | None = None, *, more: Iterable[Operation] = ()) -> OperationRegistry:
    """Return the registry of all shipped operations and of ``more``.

    Parameters
    ----------
    provider
        The engine of the AI steps; None is the deterministic analyst ``rules-v1``.
    more
        An installation's own operations.

    Raises
    ------
    DeclarationError
        When two operations share a reference, or one names another that does not exist.
    """
    shipped = (*ai.build_operations(provider), *erp.OPERATIONS, *mes.OPERATIONS, *wms.OPERATIONS, *rules.OPERATIONS)
    return OperationRegistry((*shipped, *more))
