"""What can go wrong with an expression that is not a fault of its data."""

from __future__ import annotations

from dataclasses import dataclass


class FeelError(Exception):
    """The expression cannot be used."""


class FeelSyntaxError(FeelError):
    """The text is not a FEEL expression.

    Attributes
    ----------
    text
        The expression as written.
    position
        Index into ``text`` of the first character that does not fit, counted in code points from 0.
    reason
        What was found there, or expected, as a sentence for the analyst.
    """

    def __init__(self, text: str, position: int, reason: str) -> None:
        self.text = text
        self.position = position
        self.reason = reason
        line = text.count("\n", 0, position) + 1
        column = position - (text.rfind("\n", 0, position) + 1) + 1
        super().__init__(f"{reason} (line {line}, column {column})")


class FeelLimitExceeded(FeelError):
    """An evaluation took more than it may.

    A bound that is reached ends the evaluation: an answer of null would silently take the other branch.
    ``limit`` names the bound.
    """

    def __init__(self, limit: str, allowed: int) -> None:
        self.limit = limit
        self.allowed = allowed
        super().__init__(f"The expression needs more than the allowed {limit} ({allowed:,}).")


class Fault(Exception):
    """A built-in or an operator cannot give a value for these arguments; the result is null with this reason."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """Why a part of an expression gave null: ``position`` is where that part stands in the text."""

    position: int
    text: str
