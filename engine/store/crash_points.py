"""Named points at which a test may stop the process (facts/durable.md 13). The default does nothing."""

from __future__ import annotations

from typing import Protocol


class CrashPoints(Protocol):
    """Is told of every point passed."""

    def reached(self, point: str) -> None:
        """Called at ``point``; a test's implementation may end the process here."""
        ...


class NoCrash:
    """The product's: does nothing."""

    def reached(self, point: str) -> None:
        """Do nothing."""
