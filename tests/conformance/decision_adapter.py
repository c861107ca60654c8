"""Lets the conformance referee of the DMN TCK drive :mod:`engine.decision`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TypedDict, cast

from engine.decision import DecisionModel, UnknownDecision, examine_decisions
from engine.feel import Value, YearMonthDuration, temporal, text_of
from engine.feel.errors import Fault

_NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


class TypedValue(TypedDict):
    """A value as the referee has it."""

    type: str
    value: object


class DecisionAdapter:
    """One set of DMN files."""

    def __init__(self) -> None:
        self._models: list[DecisionModel] = []

    def deploy(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Read the files; a decision that cannot be run refuses when it is asked for."""
        self._models = [examine_decisions(xml, path=path) for path, xml in files]

    def evaluate(self, decision: str, inputs: Mapping[str, TypedValue]) -> TypedValue:
        """Return the value of a decision."""
        for model in self._models:
            if decision in model.names:
                return _typed(model.decide(decision, _plain(inputs), now=_NOW).value)
        raise UnknownDecision(self._models[0].path, decision)

    def invoke(self, name: str, inputs: Mapping[str, TypedValue]) -> TypedValue:
        """Return the value of a business knowledge model or decision service."""
        return _typed(self._models[0].invoke(name, _plain(inputs), now=_NOW))


def _plain(inputs: Mapping[str, TypedValue]) -> dict[str, Value]:
    return {name: _value(value) for name, value in inputs.items()}


def _value(typed: TypedValue | None) -> Value:
    if typed is None or typed["value"] is None:
        return None
    kind, value = typed["type"], typed["value"]
    if kind == "list":
        return [_value(item) for item in cast("list[TypedValue]", value)]
    if kind == "context":
        return _plain(cast("dict[str, TypedValue]", value))
    if kind == "boolean":
        return value if isinstance(value, bool) else value == "true"
    text = str(value)
    if kind == "number":
        return Decimal(text)
    if kind == "string":
        return text
    try:
        return temporal.parse_at_literal(text)
    except Fault:
        return None


def _typed(value: Value) -> TypedValue:
    if isinstance(value, list):
        return {"type": "list", "value": [_typed(item) for item in value]}
    if isinstance(value, Mapping):
        return {"type": "context", "value": {key: _typed(item) for key, item in value.items()}}
    kinds: dict[type, str] = {
        bool: "boolean",
        Decimal: "number",
        str: "string",
        datetime: "dateTime",
        date: "date",
        time: "time",
        timedelta: "duration",
        YearMonthDuration: "duration",
    }
    if value is None or type(value) not in kinds:
        return {"type": "null", "value": None}
    return {"type": kinds[type(value)], "value": value if isinstance(value, bool) else text_of(value)}
