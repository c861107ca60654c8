"""Threads that take due work and do it, in the process that starts them.

Each process has a few threads that work, one that scans for what is due, fires timers and sweeps, one that publishes
and one that keeps leases. The statements of an idle process are constant, whatever number of instances wait (P4).
"""

from __future__ import annotations

import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import structlog

from engine.contract.ids import JobId
from engine.identity.actor import Actor
from engine.runtime.commands import ClaimedJob, RecordAnswer
from engine.work.counts import Counts, Meter
from engine.work.crash_points import CrashPoints, NoCrash
from engine.work.doorbell import LocalDoorbell
from engine.work.heart import Heart
from engine.work.lease import Lease
from engine.work.ledger import Ledger
from engine.work.perform import Performed, Performer, correlation_of
from engine.work.publishing import LoggingPublisher, Publisher, Publishing

log = structlog.stdlib.get_logger("engine.work")


@dataclass(frozen=True, kw_only=True)
class WorkSettings:
    """How a process works.

    Attributes
    ----------
    threads
        How many jobs it does at once.
    lease
        How long a claim lasts without a heartbeat: after that time another worker takes the job over.
    scan_every
        Longest pause between two scans; a ring and the next exact due time shorten it.
    scan_limit
        Jobs that one scan finds at most.
    carry_on
        How many jobs one worker does in a row because each opened the next, before it lets others have their turn.
    record_again
        Pauses before an outcome is recorded again that could not be: the database may be away for a moment.
    """

    threads: int = 4
    lease: timedelta = timedelta(seconds=30)
    scan_every: timedelta = timedelta(seconds=1)
    scan_limit: int = 100
    carry_on: int = 20
    record_again: tuple[timedelta, ...] = (timedelta(seconds=0.1), timedelta(seconds=0.5), timedelta(seconds=2))


class StillBusy(Exception):
    """Work does not come to an end. Look for a process that goes round in a loop."""


Result = TypeVar("Result")

#: Timers that one pass fires at most.
_TIMERS_AT_ONCE = 100
#: Shortest pause between two scans, so that a row that cannot be done does not make the loop spin.
_SHORTEST_PAUSE = 0.1


@dataclass(frozen=True, kw_only=True)
class Health:
    """Whether the loops live: seconds since each last did its work, None before the first time.

    Liveness is work done, not a thread that exists.
    """

    scanned: float | None
    swept: float | None
    published: float | None
    threads_alive: int
    threads_wanted: int


def new_owner() -> str:
    """Return a name for this start of this process; never configured, so that a restart is somebody else."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(6)}"


class Worker:
    """Takes due work and does it.

    ``start`` runs the threads, ``stop`` ends them after the jobs they are at, ``run_until_idle`` does what is due in
    the calling thread instead. ``bell.ring`` is what the runtime is given to call after its commits.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        performer: Performer,
        actor: Actor,
        bell: LocalDoorbell | None = None,
        publisher: Publisher | None = None,
        settings: WorkSettings | None = None,
        meter: Meter | None = None,
        dice: random.Random | None = None,
        crash_points: CrashPoints | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.owner = new_owner()
        self.bell = bell or LocalDoorbell(crash_points)
        self._settings = settings or WorkSettings()
        self._ledger = ledger
        self._performer = performer
        self._actor = actor
        self._meter = meter or Counts()
        self._dice = dice or random.SystemRandom()
        self._monotonic = monotonic
        self._heart = Heart(ledger, actor, self._settings.lease, self._meter, monotonic=monotonic)
        self._publishing = Publishing(
            ledger, actor, publisher or LoggingPublisher(), self._meter, self._dice, crash_points or NoCrash()
        )
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._awake = threading.Event()
        self._to_publish = threading.Event()
        self._threads: list[threading.Thread] = []
        self._service_threads: list[threading.Thread] = []
        self._did_at: dict[str, float] = {}
        self._sweep_at = 0.0

    # --- threads -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the threads."""
        loops = (("scan", self._scan_loop), ("publish", self._publish_loop), ("heartbeat", self._heartbeat_loop))
        self._service_threads = [
            threading.Thread(target=loop, name=f"vermilion-{name}", daemon=True) for name, loop in loops
        ]
        self._threads = [
            threading.Thread(target=self._work_loop, name=f"vermilion-work-{number}", daemon=True)
            for number in range(1, self._settings.threads + 1)
        ]
        for thread in (*self._service_threads, *self._threads):
            thread.start()

    def wake(self) -> None:
        """Look for due work now instead of at the end of the pause."""
        self._awake.set()

    def stop(self, timeout: timedelta) -> bool:
        """Take no more work, finish what runs, and end the threads; False when some did not end in time."""
        until = self._monotonic() + timeout.total_seconds()
        self._stopping.set()
        self.bell.close()
        self._awake.set()
        self._to_publish.set()
        for thread in self._threads:
            thread.join(max(0.0, until - self._monotonic()))
        # Leases are kept until the last job has ended.
        self._ended.set()
        for thread in self._service_threads:
            thread.join(max(0.1, until - self._monotonic()))
        return not any(thread.is_alive() for thread in (*self._threads, *self._service_threads))

    def health(self) -> Health:
        """Return how the loops stand."""
        now = self._monotonic()
        threads = (*self._threads, *self._service_threads)

        def since(what: str) -> float | None:
            at = self._did_at.get(what)
            return None if at is None else now - at

        return Health(
            scanned=since("scan"),
            swept=since("sweep"),
            published=since("publish"),
            threads_alive=sum(thread.is_alive() for thread in threads),
            threads_wanted=len(threads),
        )

    # --- loops ---------------------------------------------------------------------------------------------------

    def _work_loop(self) -> None:
        while (job_id := self.bell.take()) is not None:
            self._safely("work", lambda job_id=job_id: self.work_on(job_id))

    def _scan_loop(self) -> None:
        while not self._stopping.is_set():
            self._awake.clear()
            is_more = self._safely("scan", self._scan)
            self._safely("timers", self._fire)
            if self._monotonic() >= self._sweep_at:
                self._safely("sweep", self._sweep)
            if is_more:
                # A backlog of jobs keeps no message from being published.
                self._to_publish.set()
                self.bell.is_drained(self._settings.scan_every.total_seconds())
                continue
            pause = self._safely("due_in", self._pause)
            self._awake.wait(self._settings.scan_every.total_seconds() if pause is None else pause)

    def _publish_loop(self) -> None:
        while not self._stopping.is_set():
            taken = self._safely("publish", self._publish) or 0
            if not taken:
                self._to_publish.wait()
                self._to_publish.clear()

    def _heartbeat_loop(self) -> None:
        while not self._ended.wait(self._settings.lease.total_seconds() / 3):
            self._heart.beat()

    def _safely(self, loop: str, do: Callable[[], Result]) -> Result | None:
        """Do one round of a loop. Whatever goes wrong is logged and counted, and the loop goes on (facts: 8.6)."""
        try:
            result = do()
        except Exception:
            self._meter.count("loop_errors", loop=loop)
            log.exception("loop.failed", loop=loop, owner=self.owner)
            return None
        self._did_at[loop] = self._monotonic()
        return result

    # --- what falls due ------------------------------------------------------------------------------------------

    def _scan(self) -> bool:
        """Offer due jobs to the threads; True when there may be more than one scan finds."""
        found = self._ledger.due_jobs(self._settings.scan_limit)
        self.bell.offer(job.job_id for job in found)
        return len(found) >= self._settings.scan_limit

    def _fire(self) -> int:
        fired = self._ledger.fire_due(self._actor, _TIMERS_AT_ONCE)
        if fired.failed:
            self._meter.count("loop_errors", loop="timers")
        return fired.count

    def _sweep(self) -> int:
        """Sweep, and set the next time: a third of a lease, a fifth more or less, so that processes spread out."""
        third = self._settings.lease.total_seconds() / 3
        self._sweep_at = self._monotonic() + third * self._dice.uniform(0.8, 1.2)
        swept = self._ledger.sweep(self._actor)
        if swept.failed:
            self._meter.count("loop_errors", loop="sweep")
        return swept.count

    def _publish(self) -> int:
        return self._publishing.pass_over()

    def _pause(self) -> float:
        """Return how many seconds to wait for the next due time, at most ``scan_every``."""
        longest = self._settings.scan_every.total_seconds()
        due_in = self._ledger.due_in()
        if due_in is None:
            return longest
        seconds = due_in.total_seconds()
        if seconds <= 0:
            self._to_publish.set()
        return min(longest, max(_SHORTEST_PAUSE, seconds))

    # --- jobs ----------------------------------------------------------------------------------------------------

    def run_until_idle(self, *, most: int = 100_000) -> int:
        """Do everything that is due, in this thread and in a fixed order, and return how many jobs were done.

        What is due later stays. Errors of the loops are raised, unlike in the threads.

        Raises
        ------
        StillBusy
            After ``most`` jobs.
        """
        done = 0
        while True:
            fired = self._fire()
            found = self._ledger.due_jobs(self._settings.scan_limit)
            did = sum(self.work_on(job.job_id) for job in found)
            published = self._publish()
            done += did
            if not (fired or did or published):
                return done
            if done > most:
                raise StillBusy(f"{done} jobs were done and more are due.")

    def work_on(self, job_id: JobId) -> int:
        """Claim a job and do it, and those that it opens in turn; return how many were done."""
        asked_at = self._monotonic()
        claimed = self._ledger.claim(self._actor, self.owner, job_id, self._settings.lease)
        done = 0
        while claimed is not None:
            done += 1
            claimed, asked_at = self._do(claimed, asked_at, done)
        return done

    def _do(self, claimed: ClaimedJob, asked_at: float, number: int) -> tuple[ClaimedJob | None, float]:
        """Do one claimed job; return the next one that its end claimed, and when that claim was asked for."""
        began = self._monotonic()
        lease = Lease(claimed.lease_until - claimed.claimed_at, asked_at=asked_at, monotonic=self._monotonic)
        with self._heart.keeping(claimed, lease, self._performer.longest(claimed)):
            performed = self._performer.perform(claimed, lease)
            asked_at = self._monotonic()
            answer = self._record(claimed, performed, claim_next=self._carries_on(number))
        outcome = "late" if answer.is_late else type(performed.outcome).__name__.lower()
        seconds = self._monotonic() - began
        self._meter.took("jobs", seconds, operation=claimed.operation or claimed.kind.value, outcome=outcome)
        log.info("job.recorded", **correlation_of(claimed), outcome=outcome, seconds=round(seconds, 4))
        return answer.next_job, asked_at

    def _carries_on(self, number: int) -> bool:
        return number < self._settings.carry_on and not self._stopping.is_set()

    def _record(self, claimed: ClaimedJob, performed: Performed, *, claim_next: bool) -> RecordAnswer:
        """Record an outcome, again if need be: the fence makes a repeat harmless, and a lost outcome is a doubt."""
        for pause in (*self._settings.record_again, None):
            try:
                return self._ledger.record(
                    self._actor,
                    claimed,
                    performed.outcome,
                    claim_next=claim_next,
                    model_calls=performed.model_calls,
                )
            except Exception:
                self._meter.count("loop_errors", loop="record")
                log.exception("record.failed", **correlation_of(claimed))
                if pause is None or self._ended.wait(pause.total_seconds()):
                    raise
        raise AssertionError
