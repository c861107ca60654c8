"""Values as text, the way ``string()`` writes them (DMN 1.5, 10.3.4.1)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from engine.feel import limits, temporal
from engine.feel.errors import FeelLimitExceeded
from engine.feel.numbers import number_text
from engine.feel.values import Range, Value, YearMonthDuration


def text_of(value: Value) -> str:
    """Return a value as text. Raises FeelLimitExceeded for one that would be too long."""
    return value if isinstance(value, str) else literal(value)


def literal(value: Value) -> str:
    """Return a value as it stands inside a list or a context: a string with its quotes."""
    return "".join(_Writer().pieces(value))


class _Writer:
    def __init__(self) -> None:
        self.length = 0

    def charged(self, text: str) -> str:
        self.length += len(text) + 1
        if self.length > limits.STRING_LENGTH:
            raise FeelLimitExceeded("string length", limits.STRING_LENGTH)
        return text

    def pieces(self, value: Value) -> str:
        if isinstance(value, list):
            return "[" + ", ".join([self.pieces(item) for item in value]) + "]"
        if type(value) is dict:
            entries = cast("dict[str, Value]", value).items()
            return "{" + ", ".join([f"{self.charged(key)}: {self.pieces(item)}" for key, item in entries]) + "}"
        if isinstance(value, Range):
            return self.interval(value)
        return self.charged(_scalar(value))

    def interval(self, value: Range) -> str:
        if value.is_comparison:
            sign = ("<" if value.start is None else ">") + ("=" if (value.end_included or value.start_included) else "")
            return f"({sign} {self.pieces(value.end if value.start is None else value.start)})"
        opening, closing = "(["[value.start_included], ")]"[value.end_included]
        return f"{opening}{self.pieces(value.start)}..{self.pieces(value.end)}{closing}"


def _scalar(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return number_text(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, datetime):
        return temporal.date_and_time_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return temporal.time_text(value)
    if isinstance(value, timedelta):
        return temporal.day_time_text(value)
    if isinstance(value, YearMonthDuration):
        return temporal.year_month_text(value)
    return "function"
