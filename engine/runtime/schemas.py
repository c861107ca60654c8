"""Checks the data of an event against the JSON Schema that its process declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from jsonschema import Draft202012Validator

from engine.interpreter.values import Value
from engine.runtime.encoding import plain


@dataclass(frozen=True, kw_only=True)
class Breach:
    """Where data breaks its schema: ``field`` is the path of names and indexes, ``reason`` what is wrong there."""

    field: str
    reason: str


def first_breach(schema: Mapping[str, Any], data: Mapping[str, Value]) -> Breach | None:
    """Return the first thing wrong with ``data``, outermost first; None when it fits (JSON Schema, draft 2020-12)."""
    if not schema:
        return None
    validator: Any = Draft202012Validator(schema)
    errors: list[Any] = sorted(validator.iter_errors(_json(data)), key=lambda error: list(map(str, error.path)))
    if not errors:
        return None
    error = errors[0]
    return Breach(field=".".join(map(str, error.path)) or "data", reason=error.message)


def _json(value: Value) -> Any:
    """Return a value in JSON's own kinds: to a schema an exact number is a number."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case str():
            return value
        case Mapping():
            return {key: _json(each) for key, each in value.items()}
        case list() | tuple():
            return [_json(each) for each in value]
        case _:
            return plain(value)
