"""Process values as bytes: tagged, so that every kind comes back as it was, or plain, as programs outside read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from uuid import UUID

import orjson

from engine.interpreter.tagging import tagged, untagged
from engine.interpreter.values import Value

_EXACT_INTEGER = 2**53


def pack(value: Value) -> bytes:
    """Return a value as canonical tagged JSON: equal values give equal bytes, ``unpack`` gives the value back.

    A text with half of a character pair, which no variable may hold, is packed too: what was received is kept (P15).
    """
    content = tagged(value)
    try:
        return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def unpack(content: bytes) -> Value:
    """Return the value that ``pack`` made ``content`` from."""
    try:
        return untagged(orjson.loads(content))
    except orjson.JSONDecodeError:
        return untagged(json.loads(content))


def unpack_mapping(content: bytes) -> dict[str, Value]:
    """Return the context that ``pack`` made ``content`` from."""
    return dict(cast(Mapping[str, Value], unpack(content)))


def digest(content: bytes) -> str:
    """Return the SHA-256 of ``content`` in hex."""
    return hashlib.sha256(content).hexdigest()


def is_scalar(value: Value) -> bool:
    """Whether a value is neither a context nor a list."""
    return isinstance(value, str) or not isinstance(value, (Mapping, Sequence))


def plain(value: Value) -> Any:
    """Return a value as plain JSON kinds: exact numbers as strings, dates, times and durations in ISO 8601."""
    match value:
        case Decimal():
            return format(value, "f")
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return iso_duration(value)
        case Mapping():
            return {key: plain(each) for key, each in value.items()}
        case str() | bool() | None:
            return value
        case int():
            return value if abs(value) <= _EXACT_INTEGER else str(value)
        case _:
            return [plain(each) for each in value]


def plain_json(value: Value) -> bytes:
    """Return ``plain(value)`` as JSON bytes."""
    return orjson.dumps(plain(value))


def as_value(content: object) -> Value:
    """Return what a pydantic model dumps, or JSON holds, as a process value.

    Raises
    ------
    TypeError
        For a kind that no process variable can hold, such as a binary float.
    """
    match content:
        case Enum():
            return as_value(content.value)
        case None | bool() | int() | Decimal() | str() | date() | datetime() | time() | timedelta():
            return content
        case float():
            return Decimal(repr(content))
        case UUID():
            return str(content)
        case Mapping():
            mapping = cast(Mapping[object, object], content)
            return {str(key): as_value(each) for key, each in mapping.items()}
        case list() | tuple() | set() | frozenset():
            return [as_value(each) for each in cast(Sequence[object], content)]
        case _:
            raise TypeError(f"A process variable cannot hold a {type(content).__name__}.")


def iso_duration(duration: timedelta) -> str:
    """Return a duration as ISO 8601 days, hours, minutes and seconds, for example ``P1DT2H0.5S``."""
    sign = "-" if duration < timedelta(0) else ""
    span = abs(duration)
    hours, rest = divmod(span.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    fraction = f".{span.microseconds:06d}".rstrip("0") if span.microseconds else ""
    days = f"{span.days}D" if span.days else ""
    parts = ((f"{hours}H", hours), (f"{minutes}M", minutes), (f"{seconds}{fraction}S", seconds or fraction))
    clock = "".join(part for part, count in parts if count)
    return f"{sign}P{days}T{clock}" if clock else f"{sign}P{days or '0D'}"
