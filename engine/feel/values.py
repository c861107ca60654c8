"""The values of FEEL (DMN 1.5, 10.3.2.1) as Python objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TypeAlias


@dataclass(frozen=True, order=True, slots=True)
class YearMonthDuration:
    """A years and months duration: a number of calendar months, negative for the past (DMN 1.5, 10.3.2.3.8)."""

    months: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """An interval of comparable values (DMN 1.5, 10.3.2.7).

    An end of None is open-ended, as in ``(> 10)``. ``is_comparison`` tells such a range, written with an operator, from
    an interval that names both ends: in the latter an end that is null makes every test null.
    """

    start: Value
    end: Value
    start_included: bool
    end_included: bool
    is_comparison: bool = False


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Function:
    """A function as a value: one of the language, or one that a model defines.

    ``call`` takes the ``Run``, a sequence of one value per parameter, and the values of named parameters or None.
    Two functions are equal when they are the same one.
    """

    name: str
    parameters: tuple[str, ...]
    call: Callable[..., Value]


#: What an expression may read and give. Numbers come in as int or Decimal and go out as Decimal.
Value: TypeAlias = (
    bool
    | int
    | Decimal
    | str
    | date
    | datetime
    | time
    | timedelta
    | YearMonthDuration
    | Range
    | Function
    | Sequence["Value"]
    | Mapping[str, "Value"]
    | None
)

#: The kinds of FEEL by the exact Python class that carries them.
KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "boolean",
    Decimal: "number",
    str: "string",
    date: "date",
    datetime: "date and time",
    time: "time",
    timedelta: "days and time duration",
    YearMonthDuration: "years and months duration",
    Range: "range",
    Function: "function",
    list: "list",
    dict: "context",
}


def kind(value: Value) -> str:
    """Return the name of a value's FEEL kind, ``null`` for null."""
    return KINDS.get(type(value), "unknown")
