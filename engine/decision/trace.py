"""What happened while a decision was made: the explanation that is kept and shown with its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from engine.feel import Run, Value, text_of

#: Plain data that any JSON writer takes; numbers are texts, so that none loses a digit.
Plain: TypeAlias = bool | int | str | list["Plain"] | dict[str, "Plain"] | None


def plain(value: Value) -> Plain:
    """Return a value as plain data: numbers, dates and durations as FEEL writes them."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in cast("Mapping[str, Value]", value).items()}
    return text_of(value)


@dataclass(frozen=True, slots=True)
class Trace:
    """One decision being made.

    ``run`` is the budget of the whole; ``decisions`` are the records of the decisions made so far, ``tables`` the
    tables of the one being made.
    """

    run: Run
    decisions: list[Plain] = field(default_factory=list["Plain"])
    tables: list[Plain] = field(default_factory=list["Plain"])

    def drained_tables(self) -> list[Plain]:
        """Return the records of the tables since the last call."""
        records = list(self.tables)
        self.tables.clear()
        return records

    def drained_reasons(self) -> list[Plain]:
        """Return why something was null since the last call, each reason once."""
        reasons = list(dict.fromkeys(reason.text for reason in self.run.reasons))
        self.run.reasons.clear()
        return list(reasons)
