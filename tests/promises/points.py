"""Named points that a test's process counts, acts at, and ends itself at."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Mapping

from tests.promises.journeys import Target


class Points:
    """Counts the points that this process passes.

    ``at`` ends the process by SIGKILL at a target. ``deeds`` are called when the write passes their point; they must
    see to it themselves that they are done once.
    """

    def __init__(self) -> None:
        self.passed: Counter[str] = Counter()
        self.at: Target | None = None
        self.deeds: Mapping[str, Callable[[], None]] = {}
        self.is_writing: Callable[[], bool] = lambda: False
        self._is_acting = False

    def reached(self, point: str) -> None:
        """Note the point; act, or end the process, if it is the one."""
        self.passed[point] += 1
        deed = self.deeds.get(point)
        if deed is not None and not self._is_acting and self.is_writing():
            self._is_acting = True
            try:
                deed()
            finally:
                self._is_acting = False
        target = self.at
        if target is None or point != target.point:
            return
        if self.is_writing() if target.at_write else self.passed[point] == target.number:
            os.kill(os.getpid(), signal.SIGKILL)
            # Beside other threads, this one may run on for a moment: it must not.
            threading.Event().wait()
