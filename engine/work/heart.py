"""Keeps the leases of the jobs that are being done: one beat a third of a lease, until the job's own time is over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import structlog

from engine.contract.ids import JobId
from engine.identity.actor import Actor
from engine.runtime.commands import ClaimedJob
from engine.work.counts import Meter
from engine.work.lease import Lease

log = structlog.stdlib.get_logger("engine.work")


class Leases(Protocol):
    """The part of the runtime that lengthens leases."""

    def heartbeat(self, actor: Actor, claimed: ClaimedJob, lease: timedelta) -> bool:
        """Lengthen a claim to ``lease`` from now; False: it is no longer ours."""
        ...


@dataclass(frozen=True, kw_only=True)
class _Held:
    claimed: ClaimedJob
    lease: Lease
    until: float


class Heart:
    """Beats for the jobs it is told of. ``beat`` is called by the heartbeat thread."""

    def __init__(
        self,
        leases: Leases,
        actor: Actor,
        length: timedelta,
        meter: Meter,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leases = leases
        self._actor = actor
        self._length = length
        self._meter = meter
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._held: dict[JobId, _Held] = {}

    @contextmanager
    def keeping(self, claimed: ClaimedJob, lease: Lease, longest: timedelta) -> Generator[None]:
        """Keep ``lease`` while the block runs, at most ``longest`` beyond its first length: a hung call loses it."""
        until = self._monotonic() + longest.total_seconds()
        with self._lock:
            self._held[claimed.job_id] = _Held(claimed=claimed, lease=lease, until=until)
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(claimed.job_id, None)

    def beat(self) -> None:
        """Lengthen every lease that is held now. A beat that fails is counted; the next one may succeed."""
        with self._lock:
            held = tuple(self._held.values())
        for each in held:
            asked_at = self._monotonic()
            if asked_at > each.until:
                continue
            try:
                is_ours = self._leases.heartbeat(self._actor, each.claimed, self._length)
            except Exception:
                self._meter.count("loop_errors", loop="heartbeat")
                log.exception("heartbeat.failed", job_id=each.claimed.job_id, attempt=each.claimed.attempt)
                continue
            if is_ours:
                each.lease.renew(asked_at=asked_at)
            else:
                each.lease.lose()
                log.warning("lease.lost", job_id=each.claimed.job_id, attempt=each.claimed.attempt)
