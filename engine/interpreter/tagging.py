"""Values as JSON: kinds that JSON has not become texts behind a mark; texts that begin with the mark get one more.

The mark is a control character. No key of a context means anything here, so none can harm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from engine.interpreter.failures import StateUnreadable
from engine.interpreter.values import Value

_MARK = "\x1f"
_MICROSECOND = timedelta(microseconds=1)


def tagged(value: Value) -> object:
    """Return a value in JSON's own kinds."""
    kind = type(value)
    if kind is str:
        return _tagged_text(cast(str, value))
    if value is None or kind is bool:
        return value
    if kind is dict:
        return {key: tagged(entry) for key, entry in cast(Mapping[str, Value], value).items()}
    if kind is list:
        return [tagged(item) for item in cast(Sequence[Value], value)]
    if kind is Decimal:
        return f"{_MARK}n{value}"
    return _tagged_other(value)


def _tagged_text(value: str) -> str:
    return f"{_MARK}s{value}" if value.startswith(_MARK) else value


def _tagged_other(value: Value) -> object:
    """Return what is rarer, or of a kind of its own: asking for abstract kinds takes ten times as long."""
    if isinstance(value, str):
        return _tagged_text(value)
    if isinstance(value, int):
        return value if -(2**53) <= value <= 2**53 else f"{_MARK}i{value}"
    if isinstance(value, Mapping):
        return {key: tagged(entry) for key, entry in value.items()}
    if isinstance(value, Sequence):
        return [tagged(item) for item in value]
    return _tagged_scalar(cast("Decimal | date | time | timedelta", value))


def _tagged_scalar(value: Decimal | date | time | timedelta) -> str:
    if isinstance(value, Decimal):
        return f"{_MARK}n{value}"
    if isinstance(value, datetime):
        return f"{_MARK}m{value.isoformat()}"
    if isinstance(value, date):
        return f"{_MARK}d{value.isoformat()}"
    if isinstance(value, time):
        return f"{_MARK}t{value.isoformat()}"
    return f"{_MARK}u{value // _MICROSECOND}"


_READERS: Mapping[str, Callable[[str], Value]] = {
    "s": str,
    "i": int,
    "n": Decimal,
    "m": datetime.fromisoformat,
    "d": date.fromisoformat,
    "t": time.fromisoformat,
    "u": lambda text: timedelta(microseconds=int(text)),
}


def untagged(content: object) -> Value:
    """Return the value that ``tagged`` made ``content`` from. Raises StateUnreadable for an unknown mark."""
    kind = type(content)
    if kind is str:
        text = cast(str, content)
        return _untagged_text(text) if text[:1] == _MARK else text
    if kind is dict:
        return {key: untagged(entry) for key, entry in cast(dict[str, object], content).items()}
    if kind is list:
        return [untagged(item) for item in cast(list[object], content)]
    return cast("bool | int | None", content)


def _untagged_text(text: str) -> Value:
    reader = _READERS.get(text[1:2])
    if reader is None:
        raise StateUnreadable("The stored state holds a value of an unknown kind.")
    return reader(text[2:])
