"""What an operation is: a typed Python function with a declared effect, retry, look-up and compensation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict

from engine.contract.call import Call
from engine.contract.origin import Origin
from engine.contract.retry import Retry


class Values(BaseModel):
    """Base of every operation's input and output: strict, frozen, no extra fields."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Effect(StrEnum):
    """What an operation does to the world outside."""

    #: Computes from its input alone.
    PURE = "pure"
    #: Reads a business system.
    READ = "read"
    #: Changes a business system; has a key before its first byte leaves (P6).
    WRITE = "write"


class DeclarationError(Exception):
    """An operation's declaration contradicts itself. The message names the operation and what to change."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A declared operation. ``name`` with ``version`` is pinned when a process is deployed.

    Attributes
    ----------
    system
        Which connection it uses; None for operations that leave the process nowhere.
    reconcile
        For a write: name of the read operation that finds the document by key. Its input is ``Lookup`` and its
        output ``Found[...]``-shaped: see ``engine.contract.reconcile``.
    compensate
        Name of the write operation that undoes this one by a legal business act.
    permission
        What the executing identity must hold at the moment of the call.
    origin
        What its results are: a system's fact, a rule's result or a model's suggestion.
    accepts_suggestions
        Names of inputs that may carry unaccepted suggestions: only rules that judge them name any.
    commits_status
        Business statuses in which this write is legal; empty for "any".
    """

    name: str
    version: int
    function: Callable[[Call, Any], BaseModel]
    input_model: type[BaseModel]
    output_model: type[BaseModel]
    effect: Effect
    system: str | None = None
    timeout: timedelta = timedelta(seconds=10)
    retry: Retry = field(default_factory=Retry)
    reconcile: str | None = None
    compensate: str | None = None
    permission: str | None = None
    origin: Origin = Origin.SYSTEM
    accepts_suggestions: frozenset[str] = frozenset()
    title: str = ""

    @property
    def reference(self) -> str:
        """``name@version``, as definitions pin it."""
        return f"{self.name}@{self.version}"


def operation(
    name: str,
    *,
    version: int,
    effect: Effect,
    system: str | None = None,
    timeout: timedelta = timedelta(seconds=10),
    retry: Retry | None = None,
    reconcile: str | None = None,
    compensate: str | None = None,
    permission: str | None = None,
    origin: Origin | None = None,
    accepts_suggestions: frozenset[str] = frozenset(),
) -> Callable[[Callable[[Call, Any], BaseModel]], Operation]:
    """Declare a function as an operation. Its second parameter and its result must be pydantic models.

    Raises
    ------
    DeclarationError
        When the signature is not ``(call, input_model) -> output_model``, or a write names no ``reconcile``.
    """

    def declare(function: Callable[[Call, Any], BaseModel]) -> Operation:
        hints = get_type_hints(function)
        parameters = list(inspect.signature(function).parameters)
        input_model = hints.get(parameters[1]) if len(parameters) == 2 else None
        output_model = hints.get("return")
        for model in (input_model, output_model):
            if not (isinstance(model, type) and issubclass(model, BaseModel)):
                raise DeclarationError(
                    f"Operation {name}: declare it as (call: Call, input: SomeModel) -> SomeModel, with pydantic models."
                )
        assert isinstance(input_model, type) and isinstance(output_model, type)
        if effect is Effect.WRITE and reconcile is None:
            raise DeclarationError(f"Operation {name}: a write names in `reconcile` the operation that finds its document.")
        if effect is not Effect.PURE and system is None:
            raise DeclarationError(f"Operation {name}: name the `system` that it reads or writes.")
        default_origin = Origin.RULE if effect is Effect.PURE else Origin.SYSTEM
        return Operation(
            name=name,
            version=version,
            function=function,
            input_model=input_model,
            output_model=output_model,
            effect=effect,
            system=system,
            timeout=timeout,
            retry=retry or Retry(),
            reconcile=reconcile,
            compensate=compensate,
            permission=permission,
            origin=origin or default_origin,
            accepts_suggestions=accepts_suggestions,
            title=(inspect.getdoc(function) or "").split("\n")[0],
        )

    return declare
