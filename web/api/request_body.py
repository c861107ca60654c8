"""Reads a JSON body: bounded in size, exact in its numbers."""

from __future__ import annotations

import json
from decimal import Decimal
from http import HTTPStatus
from typing import Any, TypeVar

from flask import request
from pydantic import BaseModel

from web.problems import Refused

#: What one request may send, in bytes.
LARGEST_BODY = 1_000_000
_DEEPEST = 40

Model = TypeVar("Model", bound=BaseModel)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level and deepest <= _DEEPEST:
        deepest += 1
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner.extend(each.values())  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
            elif isinstance(each, list):
                inner.extend(each)  # pyright: ignore[reportUnknownArgumentType]
        level = inner
    return deepest


def raw_body() -> bytes:
    """Return the request's bytes.

    Raises
    ------
    Refused
        413 when there are more than ``LARGEST_BODY``.
    """
    if (request.content_length or 0) > LARGEST_BODY:
        raise _too_large()
    body = request.get_data(cache=True)
    if len(body) > LARGEST_BODY:
        raise _too_large()
    return body


def _too_large() -> Refused:
    return Refused(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", f"A request may send at most {LARGEST_BODY:,} bytes."
    )


def read_json(body: bytes) -> Any:
    """Return the JSON in ``body``; numbers with a point are ``Decimal``.

    Raises
    ------
    Refused
        400 when it is not JSON, or nested deeper than 40 levels.
    """
    try:
        document = json.loads(body, parse_float=Decimal, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(HTTPStatus.BAD_REQUEST, "not_json", f"The body is not JSON: {error}.") from error
    if _depth(document) > _DEEPEST:
        raise Refused(HTTPStatus.BAD_REQUEST, "too_deep", f"The JSON is nested deeper than {_DEEPEST} levels.")
    return document


def body_as(model: type[Model]) -> Model:
    """Return the request's body as ``model``. Raises ``Refused``, or pydantic's error that names the place."""
    return model.model_validate(read_json(raw_body()))
