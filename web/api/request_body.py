"""Reads a JSON body: bounded in size, exact in its numbers."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from typing import Any, TypeVar

from flask import request
from pydantic import BaseModel

from web.problems import Refused

#: What one request may send, in bytes.
LARGEST_BODY = 1_000_000
_DEEPEST = 40
#: Numbers beyond ten to this power are no measure of anything, and would fill the memory when written out.
_LARGEST_EXPONENT = 6144

Model = TypeVar("Model", bound=BaseModel)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = None
    if number is None or abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ValueError(f"the number {text[:40]} is beyond ten to the power of {_LARGEST_EXPONENT}")
    return number


def _refuse_no_text(value: Any, place: str = "") -> None:
    """Refuse texts that no database can hold, wherever they stand, names included."""
    if isinstance(value, str):
        if "\0" in value or not (value.isascii() or _is_unicode(value)):
            raise Refused(
                HTTPStatus.BAD_REQUEST,
                "not_text",
                f"{place or 'body'}: a text holds a zero byte or half of a character pair, which is no character.",
                field=place or None,
            )
    elif isinstance(value, dict):
        for name, each in value.items():  # pyright: ignore[reportUnknownVariableType]
            _refuse_no_text(name, place)
            _refuse_no_text(each, f"{place}.{name}" if place else str(name))  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list):
        for each in value:  # pyright: ignore[reportUnknownVariableType]
            _refuse_no_text(each, place)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
        400 when it is not JSON, nested deeper than 40 levels, or holds a text or a number that cannot be kept.
    """
    try:
        document = json.loads(body, parse_float=_number, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(HTTPStatus.BAD_REQUEST, "not_json", f"The body is not JSON: {error}.") from error
    if _depth(document) > _DEEPEST:
        raise Refused(HTTPStatus.BAD_REQUEST, "too_deep", f"The JSON is nested deeper than {_DEEPEST} levels.")
    _refuse_no_text(document)
    return document


def body_as(model: type[Model]) -> Model:
    """Return the request's body as ``model``. Raises ``Refused``, or pydantic's error that names the place."""
    return model.model_validate(read_json(raw_body()))
