"""How often and how fast a failed call is made again (W12)."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from datetime import timedelta

from engine.contract.errors import OperationError, RateLimited, Temporary, Unavailable

_TRANSIENT: frozenset[type[OperationError]] = frozenset({Temporary, Unavailable, RateLimited})


@dataclass(frozen=True, kw_only=True)
class Retry:
    """Capped exponential back-off with full jitter.

    The pause before attempt ``n + 1`` is uniform in ``[0, min(cap, first * factor ** (n - 1))]``; a ``Retry-After``
    of the other system is obeyed when it is longer.
    """

    attempts: int = 5
    first: timedelta = timedelta(seconds=1)
    cap: timedelta = timedelta(minutes=5)
    factor: float = 2.0
    on: frozenset[type[OperationError]] = field(default=_TRANSIENT)

    def pause(self, error: OperationError, failure_count: int, dice: random.Random) -> timedelta | None:
        """Return how long to wait before the next attempt, or None when there is none.

        ``failure_count`` counts failures so far, this one included. An unknown outcome is always looked up again
        while attempts remain, whether or not ``on`` names its class: looking up is not repeating.
        """
        if failure_count >= self.attempts or not (error.is_outcome_unknown or self._covers(error)):
            return None
        pause = self._ceiling(failure_count) * dice.random()
        if isinstance(error, RateLimited) and error.retry_after is not None:
            pause = max(pause, error.retry_after)
        return pause

    def _ceiling(self, failure_count: int) -> timedelta:
        # A step that is retried for ever would overflow the power, so the cap is compared by logarithms.
        if self.first <= timedelta(0):
            return timedelta(0)
        if self.factor > 1 and failure_count - 1 >= math.log(max(self.cap / self.first, 1.0), self.factor):
            return self.cap
        return min(self.cap, self.first * self.factor ** (failure_count - 1))

    def _covers(self, error: OperationError) -> bool:
        return isinstance(error, tuple(self.on))
