"""Counts what the loops do, for metrics and for the question whether they are alive."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Protocol


class Meter(Protocol):
    """Takes what the loops count."""

    def count(self, name: str, **labels: str) -> None:
        """Add one to the counter of this name and these labels."""
        ...

    def took(self, name: str, seconds: float, **labels: str) -> None:
        """Add one duration to the histogram of this name and these labels."""
        ...


class Counts:
    """A meter in memory: what was counted, and the sum of what was timed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
        self._seconds: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}

    def count(self, name: str, **labels: str) -> None:
        """Add one to the counter of this name and these labels."""
        with self._lock:
            self._counters[name, tuple(sorted(labels.items()))] += 1

    def took(self, name: str, seconds: float, **labels: str) -> None:
        """Add one duration, and count it."""
        key = name, tuple(sorted(labels.items()))
        with self._lock:
            self._counters[key] += 1
            self._seconds[key] = self._seconds.get(key, 0.0) + seconds

    def of(self, name: str, **labels: str) -> int:
        """Return how often ``name`` was counted, with at least these labels."""
        wanted = set(labels.items())
        with self._lock:
            return sum(n for (named, has), n in self._counters.items() if named == name and wanted <= set(has))
