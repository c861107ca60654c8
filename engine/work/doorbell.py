"""The doorbell: jobs that can probably be claimed now. A ring may be lost, doubled or late; the scan finds the job."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from typing import Protocol

from engine.contract.ids import JobId
from engine.work.crash_points import CrashPoints, NoCrash

#: Rings that are kept at most; of a longer queue the scan finds the rest.
CAPACITY = 1_000


class Doorbell(Protocol):
    """Tells workers, wherever they run, that a job was committed."""

    def ring(self, job_ids: Iterable[str]) -> None:
        """Tell of jobs, after the commit. Never raises: a failing ring never fails a command."""
        ...


class LocalDoorbell:
    """Rings for the threads of this process. Each waiting job is kept once."""

    def __init__(self, crash_points: CrashPoints | None = None) -> None:
        self._crash_points = crash_points or NoCrash()
        self._changed = threading.Condition()
        self._waiting: deque[JobId] = deque()
        self._known: set[JobId] = set()
        self._is_closed = False

    def ring(self, job_ids: Iterable[str]) -> None:
        """Tell of jobs that can be claimed now."""
        self._crash_points.reached("ring:before")
        self.offer(job_ids)
        self._crash_points.reached("ring:after")

    def offer(self, job_ids: Iterable[str]) -> None:
        """Keep jobs that the scan found."""
        with self._changed:
            for job_id in map(JobId, job_ids):
                if job_id not in self._known and len(self._waiting) < CAPACITY:
                    self._known.add(job_id)
                    self._waiting.append(job_id)
            self._changed.notify_all()

    def take(self) -> JobId | None:
        """Return the next job, waiting for one; None once the doorbell is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            if self._is_closed:
                return None
            job_id = self._waiting.popleft()
            self._known.discard(job_id)
            self._changed.notify_all()
            return job_id

    def is_drained(self, timeout: float) -> bool:
        """Wait until no job waits any more, at most ``timeout`` seconds; True when it is so, or the bell is closed."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting or self._is_closed, timeout)

    def close(self) -> None:
        """Let every waiting thread go; what still waits is found by the scan of whoever works next."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
