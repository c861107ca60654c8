"""What step rows keep of inputs and results: small values whole, large ones in outline with the digest of the blob."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.interpreter.values import Value
from engine.runtime.encoding import pack, plain

#: A packed value up to this size is kept whole in its step row, in bytes; a larger one is a blob.
WHOLE_VALUE_BYTES = 400
_LONGEST_TEXT = 60
_MOST_ENTRIES = 12


def is_whole(content: bytes) -> bool:
    """Whether a packed value is small enough to be kept in its step row."""
    return len(content) <= WHOLE_VALUE_BYTES


def outline(value: Value) -> Any:
    """Return a value cut to its first entries, with lists and inner contexts as counts."""
    if isinstance(value, Mapping):
        named = list(value.items())
        cut = {key: _entry(each) for key, each in named[:_MOST_ENTRIES]}
        return cut | {"…": len(named) - _MOST_ENTRIES} if len(named) > _MOST_ENTRIES else cut
    return _entry(value)


def input_summary(arguments: Mapping[str, Value]) -> Any:
    """Return what a step row keeps of an operation's arguments."""
    return plain(arguments) if is_whole(pack(arguments)) else outline(arguments)


def _entry(value: Value) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else value[:_LONGEST_TEXT] + "…"
    if isinstance(value, Mapping):
        return f"{{{len(value)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{len(value)}]"
    return plain(value)
