"""What an operation is: a typed Python function with a declared effect, retry, look-up and compensation."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, cast, get_type_hints

from pydantic import BaseModel, ConfigDict

from engine.contract.call import Call
from engine.contract.origin import Origin
from engine.contract.retry import Retry

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")


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
        output ``Found[...]``: see ``engine.contract.reconcile``.
    compensate
        Name of the write operation that undoes this one by a legal business act.
    permission
        What the executing identity must hold at the moment of the call.
    origin
        What its results are: a system's fact, a rule's result or a model's suggestion.
    accepts_suggestions
        Names of inputs that may carry unaccepted suggestions: only rules that judge them name any.
    title
        First line of the function's docstring, for the catalogue that analysts pick from.

    Raises
    ------
    DeclarationError
        When the declaration contradicts itself.
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

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise DeclarationError(f"Operation {self.name}: write its name like erp.create_requisition.")
        if self.version < 1:
            raise DeclarationError(f"Operation {self.name}: versions count from 1.")
        if self.timeout <= timedelta(0):
            raise DeclarationError(f"Operation {self.name}: its time-out must be longer than nothing.")
        if self.effect is Effect.WRITE and self.reconcile is None:
            raise DeclarationError(
                f"Operation {self.name}: a write names in `reconcile` the operation that finds its document."
            )
        if self.effect is not Effect.WRITE and (self.reconcile or self.compensate):
            raise DeclarationError(f"Operation {self.name}: only a write has a `reconcile` or a `compensate`.")
        if self.effect is not Effect.PURE and self.system is None:
            raise DeclarationError(f"Operation {self.name}: name the `system` that it reads or writes.")
        for unknown in self.accepts_suggestions - self.input_model.model_fields.keys():
            raise DeclarationError(
                f"Operation {self.name}: `accepts_suggestions` names {unknown}, which is not an input."
            )

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
        When the signature is not ``(call, input_model) -> output_model``, or the declaration contradicts itself.
    """

    def declare(function: Callable[[Call, Any], BaseModel]) -> Operation:
        input_model, output_model = _models(name, function)
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


def _models(name: str, function: Callable[[Call, Any], BaseModel]) -> tuple[type[BaseModel], type[BaseModel]]:
    """Return the input and the output model of a function ``(call, input_model) -> output_model``."""
    wanted = f"Operation {name}: declare it as (call: Call, input: SomeModel) -> SomeModel, with pydantic models"
    try:
        hints = get_type_hints(function)
    except NameError as error:
        raise DeclarationError(
            f"{wanted} that are defined at the top of the module. Not found: {error.name}."
        ) from error
    parameters = list(inspect.signature(function).parameters)
    if len(parameters) != 2:
        raise DeclarationError(f"{wanted}; it has {len(parameters)} parameters.")
    found = (hints.get(parameters[1]), hints.get("return"))
    if not all(isinstance(model, type) and issubclass(model, BaseModel) for model in found):
        raise DeclarationError(f"{wanted}.")
    return cast(tuple[type[BaseModel], type[BaseModel]], found)
