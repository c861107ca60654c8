"""How many calls to one system run at once, and how many start per second (W12)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from engine.contract.connection import Connection

#: How long a job waits for another one's call to end, before it is looked at again.
BUSY_PAUSE = timedelta(milliseconds=500)
#: Part of a token that binary fractions of a second may lose.
_ROUNDING = 1e-9


class Limits(Protocol):
    """Holds the limits that connections declare."""

    def enter(self, connection: Connection) -> timedelta | None:
        """Ask to make a call. None: it may be made, and ``leave`` must follow; else how long to wait."""
        ...

    def leave(self, connection: Connection) -> None:
        """Say that the call is over."""
        ...

    def spend(self, connection: Connection) -> None:
        """Count a further request of a call that was let in, such as the look-up after a lost answer."""
        ...


@dataclass
class _Use:
    running: int
    tokens: float
    filled_at: float


class ProcessLimits:
    """Limits within this process: enough where one process does the work.

    The rate is a token bucket that holds one second's worth of calls. A further request may drive it below zero, so
    that the mean rate holds although no call is torn apart.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._uses: dict[str, _Use] = {}

    def enter(self, connection: Connection) -> timedelta | None:
        """Ask to make a call. None: it may be made, and ``leave`` must follow; else how long to wait."""
        with self._lock:
            use = self._refilled(connection)
            if use.running >= connection.concurrency:
                return BUSY_PAUSE
            rate = connection.rate_per_second
            if rate is not None:
                if use.tokens < 1 - _ROUNDING:
                    return timedelta(seconds=(1 - use.tokens) / rate)
                use.tokens -= 1
            use.running += 1
            return None

    def leave(self, connection: Connection) -> None:
        """Say that the call is over."""
        with self._lock:
            self._uses[connection.system].running -= 1

    def spend(self, connection: Connection) -> None:
        """Count a further request of a call that was let in."""
        with self._lock:
            if connection.rate_per_second is not None:
                self._refilled(connection).tokens -= 1

    def _refilled(self, connection: Connection) -> _Use:
        now = self._monotonic()
        rate = connection.rate_per_second
        capacity = max(1.0, rate or 0.0)
        use = self._uses.setdefault(connection.system, _Use(running=0, tokens=capacity, filled_at=now))
        if rate is not None:
            use.tokens = min(capacity, use.tokens + (now - use.filled_at) * rate)
        use.filled_at = now
        return use
