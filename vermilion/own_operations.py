"""The operations of an installation's own modules, which its settings name."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from engine.contract.operation import DeclarationError, Operation
from engine.contract.registry import OperationRegistry
from service_tasks.ai import AIProvider
from service_tasks.catalogue import build_registry
from vermilion.settings import Settings

#: The name under which a module offers its operations.
OFFERED = "OPERATIONS"


class OperationsNotLoaded(Exception):
    """The setting `operations` cannot be followed. The message names the module and what to change."""


def registry_of(
    settings: Settings, provider: AIProvider | None = None, *, more: Iterable[Operation] = ()
) -> OperationRegistry:
    """Return every operation that an installation offers: the shipped ones, its own modules' and ``more``.

    Raises
    ------
    OperationsNotLoaded
        When a module cannot be imported or offers no operations, or when its declarations contradict each other.
    """
    own = tuple(each for name in settings.operations for each in _operations_of(name))
    try:
        return build_registry(provider, more=(*own, *more))
    except DeclarationError as error:
        raise OperationsNotLoaded(str(error)) from error


def _operations_of(name: str) -> tuple[Operation, ...]:
    try:
        module: Any = importlib.import_module(name)
    except (ImportError, SyntaxError) as error:
        raise OperationsNotLoaded(
            f"The module `{name}` of the setting `operations` cannot be imported: {error}. Install it into the Python "
            "environment of Vermilion, or name its folder in PYTHONPATH."
        ) from error
    except DeclarationError as error:
        raise OperationsNotLoaded(f"The module `{name}` of the setting `operations`: {error}") from error
    offered: Any = getattr(module, OFFERED, None)
    if not isinstance(offered, tuple) or not all(isinstance(each, Operation) for each in offered):  # pyright: ignore[reportUnknownVariableType]
        raise OperationsNotLoaded(
            f"The module `{name}` of the setting `operations` offers nothing: give it a line {OFFERED} = (…,) with its "
            "functions that are declared by @operation."
        )
    return offered  # pyright: ignore[reportUnknownVariableType] - every item was looked at
