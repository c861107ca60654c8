"""Named points of the work loops at which a test may stop the process (facts: durable execution, 13)."""

from __future__ import annotations

from typing import Protocol

#: Every point that ``work`` passes; those of commits are the store's.
POINTS = (
    "ring:before",
    "ring:after",
    "call:before_send",
    "call:after_send",
    "call:after_answer",
    "lookup:before_send",
    "lookup:after_answer",
    "outbox:before_publish",
    "outbox:after_publish",
)


class CrashPoints(Protocol):
    """Is told of every point passed."""

    def reached(self, point: str) -> None:
        """Called at ``point``; a test's implementation may end the process here."""
        ...


class NoCrash:
    """The product's: does nothing."""

    def reached(self, point: str) -> None:
        """Do nothing."""
