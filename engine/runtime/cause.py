"""Why an instance is changed, and what a change is worked out from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from engine.contract.registry import OperationRegistry
from engine.model.definition import Definition

#: A row's values by column name.
Parameters = Mapping[str, Any]
#: Gives a new UUIDv7 as 32 lowercase hex digits.
NewId = Callable[[], str]


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Why an advance is made: for its audit row, and for the jobs it opens, which carry the ids on (W22).

    ``person_id`` is set where the actor is a person or a service identity. ``is_automatic`` says that no person
    commanded it, so that transitions of the status are the acts of the rules on the way; ``rule`` is the operation that
    computes by rules alone whose result caused it.
    """

    event: str
    actor: str
    person_id: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])
    approval_id: str | None = None
    event_id: str | None = None
    is_automatic: bool = False
    rule: str | None = None


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What planning needs beside the instance. ``pinned`` gives ``name@version`` by the reference as drawn."""

    definition: Definition
    pinned: Mapping[str, str]
    registry: OperationRegistry
    now: datetime
    new_id: NewId


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """Something an operator must look at; becomes an incident. ``happening`` is applied again by repair (P15)."""

    code: str
    message: str
    step_key: str | None = None
    wait_id: str | None = None
    happening: bytes | None = None


def parameters_of(row: Any) -> dict[str, Any]:
    """Return a row's values by column name. Unlike ``dataclasses.asdict`` it copies none of them: rows are frozen."""
    return {each.name: getattr(row, each.name) for each in fields(row)}
