"""A worker's own view of its lease: by a monotonic clock, from before it asked, so that it always ends too early."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

#: Share of a lease that is left unused: no request is sent in it.
MARGIN = 0.1


class Lease:
    """Whether a job is surely still ours. Read by the thread that works, renewed by the one that beats."""

    def __init__(self, length: timedelta, *, asked_at: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._length = length.total_seconds()
        self._until = asked_at + self._length
        self._is_lost = False

    @property
    def is_held(self) -> bool:
        """Whether a request may be sent under it now."""
        return not self._is_lost and self._monotonic() < self._until - MARGIN * self._length

    def renew(self, *, asked_at: float) -> None:
        """Take over what a heartbeat asked for at ``asked_at`` and was granted."""
        self._until = asked_at + self._length

    def lose(self) -> None:
        """Somebody else may have the job: it is never held again."""
        self._is_lost = True
