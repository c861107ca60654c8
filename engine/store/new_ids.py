"""Where ids come from: UUIDv7 (RFC 9562, 5.7) as 32 lowercase hex digits, growing within a process."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable

_VERSION = 0x7 << 76
_VARIANT = 0x2 << 62
#: An id of the same millisecond as the one before is larger by a random step of up to this.
_STEP = 1 << 32


class NewIds:
    """Gives ids, each larger than the one before, so that rows of one process sort in the order they were made.

    Time comes first (48 bits of milliseconds), then 74 random bits. Within one millisecond, or when the clock goes
    back, the last id's random part grows instead (RFC 9562, 6.2, method 2).

    Parameters
    ----------
    milliseconds
        The process's clock: ids sort by it, nothing else does. Milliseconds since 1970-01-01 UTC.
    random_below
        A random number from 0 to its argument, exclusive.
    """

    def __init__(
        self,
        milliseconds: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        random_below: Callable[[int], int] = secrets.randbelow,
    ) -> None:
        self._milliseconds = milliseconds
        self._random_below = random_below
        self._lock = threading.Lock()
        self._last = 0

    def __call__(self) -> str:
        """Return a new id."""
        with self._lock:
            fresh = self._milliseconds() << 74 | self._random_below(1 << 73)
            if fresh >> 74 <= self._last >> 74:
                fresh = self._last + 1 + self._random_below(_STEP)
            self._last = value = fresh
        time_part, high, low = value >> 74, value >> 62 & 0xFFF, value & ((1 << 62) - 1)
        return f"{time_part << 80 | _VERSION | high << 64 | _VARIANT | low:032x}"
