"""A worker in a process of its own: ``python -m tests.promises.worker_process SETTINGS [--stop-at POINT]``.

Every job record reaches its ledger twice at the same time, and every claim is tried a second time by somebody else;
not so in a process that stops itself. It works until its standard input is closed, then prints what the ledger did with
the doubles.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import structlog
from sqlalchemy import create_engine, select
from sqlalchemy.pool import NullPool

from engine.contract.ids import JobId
from engine.identity.actor import Actor
from engine.runtime.commands import ClaimedJob, JobOutcome, ModelCallRecord, RecordAnswer
from engine.store.tables import job
from engine.work import Ledger, NoCrash, Performer, ProcessLimits, Worker, WorkSettings
from tests.promises.dice import NoPause
from vermilion.installation import Installation, connections_of
from vermilion.people import SERVICE_LOGIN
from vermilion.settings import Settings

_LEASE = timedelta(seconds=30)
_SECONDS_TO_STOP = timedelta(seconds=20)


class Doubling:
    """Doubles what a worker says to its ledger. ``counts`` tells how the doubles were answered."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._pool = ThreadPoolExecutor(max_workers=8)
        self.counts: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def claim(self, actor: Actor, owner: str, job_id: JobId, lease: timedelta) -> ClaimedJob | None:
        """Claim, and let somebody else try the same."""
        claimed = self._ledger.claim(actor, owner, job_id, lease)
        if claimed is not None:
            again = self._ledger.claim(actor, "elsewhere", job_id, lease)
            self.counts["claims_taken_twice" if again is not None else "claims_refused"] += 1
        return claimed

    def record(
        self,
        actor: Actor,
        claimed: ClaimedJob,
        outcome: JobOutcome,
        *,
        claim_next: bool = False,
        model_calls: Sequence[ModelCallRecord] = (),
    ) -> RecordAnswer:
        """Record twice at once, and go on with the answer of the one that was in time."""

        def record() -> RecordAnswer:
            return self._ledger.record(actor, claimed, outcome, claim_next=claim_next, model_calls=model_calls)

        answers = [each.result() for each in [self._pool.submit(record) for _ in range(2)]]
        in_time = [each for each in answers if not each.is_late]
        self.counts[f"records_in_time_{len(in_time)}"] += 1
        return in_time[0] if in_time else answers[0]


class StopsAt:
    """Stops this process, as SIGSTOP does, the first time that the write passes a point. Made before other threads.

    The kernel stops threads one after the other. The one that asked for it must not run on meanwhile: it would take a
    lock into its sleep. So it waits for the signal to go on, which no other thread takes.
    """

    def __init__(self, point: str, is_writing: Callable[[], bool]) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT})
        self._point = point
        self._is_writing = is_writing
        self._has_stopped = False

    def reached(self, point: str) -> None:
        """Stop if it is the point."""
        if point == self._point and not self._has_stopped and self._is_writing():
            self._has_stopped = True
            os.kill(os.getpid(), signal.SIGSTOP)
            signal.sigwait({signal.SIGCONT})


def is_writing(url: str) -> bool:
    """Whether a write is under way, read past the product."""
    wanted = select(job.c.job_id).where(job.c.status == "running", job.c.operation.like("erp.create_requisition@%"))
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return connection.execute(wanted).first() is not None


def main() -> int:
    """Work until standard input is closed."""
    parser = argparse.ArgumentParser(prog="python -m tests.promises.worker_process", description=main.__doc__)
    parser.add_argument("settings", type=Path)
    parser.add_argument("--stop-at", help="a point at which the process stops itself, at the write")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    settings = Settings.model_validate_json(given.settings.read_bytes())
    points = StopsAt(given.stop_at, lambda: is_writing(settings.database)) if given.stop_at else NoCrash()
    with Installation(settings) as here:
        # A process that stops itself must not hold a lock then: SQLite's only writer would stop everybody. So it says
        # nothing twice, and does one thing at a time.
        doubling = None if given.stop_at else Doubling(here.runtime)
        service = here.actor(SERVICE_LOGIN)
        performer = Performer(
            journal=here.runtime,
            registry=here.registry,
            connections={each.system: each for each in connections_of(settings)},
            limits=ProcessLimits(),
            actor=service,
            dice=NoPause(),
            crash_points=points,
        )
        worker = Worker(
            ledger=here.runtime if doubling is None else cast(Ledger, doubling),
            performer=performer,
            actor=service,
            bell=here.bell,
            settings=WorkSettings(threads=2 if doubling else 1, lease=_LEASE, scan_every=timedelta(milliseconds=100)),
            dice=random.Random(os.getpid()),
        )
        worker.start()
        _say({"working": worker.owner})
        sys.stdin.read()
        has_ended = worker.stop(_SECONDS_TO_STOP)
        _say({**(doubling.counts if doubling else {}), "has_ended": has_ended})
    return 0


def _say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
