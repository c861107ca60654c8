"""JSON answers: exact numbers as strings, instants in UTC with a zone, dataclasses as objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any

import orjson
from flask import Response

_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS
#: Bits of a whole number that every JSON reader still takes.
_LONGEST_NUMBER = 63


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, frozenset | set):
        return sorted(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, bytes):
        return value.decode()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _with_long_numbers_as_texts(value: Any) -> Any:
    """Return a value whose integers of more than 64 bits, which no JSON reader keeps exact, are strings."""
    if is_dataclass(value) and not isinstance(value, type):
        return _with_long_numbers_as_texts(asdict(value))
    if isinstance(value, Mapping):
        return {key: _with_long_numbers_as_texts(entry) for key, entry in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_with_long_numbers_as_texts(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return str(value) if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER else value


def to_json(value: Any) -> bytes:
    """Return the JSON of an answer."""
    try:
        return orjson.dumps(value, default=_plain, option=_OPTIONS)
    except orjson.JSONEncodeError:
        return orjson.dumps(_with_long_numbers_as_texts(value), default=_plain, option=_OPTIONS)


def json_answer(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return an answer as ``application/json``."""
    return Response(to_json(value), status=status.value, content_type="application/json")
