"""JSON answers: exact numbers as strings, instants in UTC with a zone, dataclasses as objects."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any

import orjson
from flask import Response


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


def to_json(value: Any) -> bytes:
    """Return the JSON of an answer."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS)


def json_answer(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return an answer as ``application/json``."""
    return Response(to_json(value), status=status.value, content_type="application/json")
