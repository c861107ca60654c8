"""``process.yaml``: what a process declares beside its drawing. The JSON Schema in ``docs/`` is generated from here."""

from __future__ import annotations

from datetime import time
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


Text = dict[Literal["en", "zh"], str]
Name = Annotated[str, Field(min_length=1, max_length=120)]
ShortName = Annotated[str, Field(min_length=1, max_length=64)]
StatusName = Annotated[str, Field(pattern=r"^[A-Z][A-Z_]{1,39}$")]


class Message(_Part):
    """An event that starts or continues the process.

    ``types`` are CloudEvents types; ``key`` is a FEEL expression over the event's data giving the business key (for a
    start) or the correlation key; ``schema`` is a JSON Schema for the data.
    """

    name: Name
    types: tuple[Name, ...]
    key: str
    data_schema: dict[str, Any] = Field(alias="schema", default_factory=dict)


class Status(_Part):
    """A business status and where it may lead.

    ``operator_only`` transitions are made by an operator's command alone; ``allows_writes`` says that a write
    (or, with ``allows_compensation``, a compensating write) may be sent while it holds. ``reentry`` is the id of the
    element at which an instance goes on that an operator moved into this status: everything that was open ends. Without
    it such a move changes the status alone, and needs an instance that is still under way.
    """

    name: StatusName
    title: Text = Field(default_factory=Text)
    to: tuple[StatusName, ...] = ()
    operator_only: tuple[StatusName, ...] = ()
    reentry: str | None = None
    is_final: bool = False
    is_failure: bool = False
    allows_writes: bool = False
    allows_compensation: bool = False


class Calendar(_Part):
    """Working time: days of the week (1 is Monday), hours, zone and free days."""

    zone: str = "UTC"
    days: tuple[Annotated[int, Field(ge=1, le=7)], ...] = (1, 2, 3, 4, 5)
    opens: time = time(9)
    closes: time = time(17)
    free: tuple[str, ...] = ()


class Role(_Part):
    """A role that lanes and assignments name, mapped to the groups of people who hold it."""

    name: ShortName
    title: Text = Field(default_factory=Text)
    groups: tuple[str, ...]


class Cancellation(_Part):
    """How a cancel command is carried out.

    In one of ``directly_in`` the instance ends at once in status ``status``; in any other non-final status the
    command becomes the message ``message`` to the instance, which the drawing must catch.
    """

    status: StatusName
    directly_in: tuple[StatusName, ...]
    message: str | None = None


class ProcessSettings(_Part):
    """The whole file."""

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,62}$")]
    title: Text
    owner: str
    business_key: str | None = None
    initial_status: StatusName | None = None
    statuses: tuple[Status, ...] = ()
    failure_status: StatusName | None = None
    cancellation: Cancellation | None = None
    messages: tuple[Message, ...] = ()
    roles: tuple[Role, ...] = ()
    starts: tuple[str, ...] = ()
    calendar: Calendar = Calendar()
    tolerances: dict[str, Decimal] = Field(default_factory=dict)
    deadline: str | None = None
    retention_days: int = 3650
    sensitive: tuple[str, ...] = ()
    searchable: dict[ShortName, str] = Field(default_factory=dict)
