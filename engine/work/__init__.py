"""Takes due work and does it: lease, look up, call, record. Loops alone; every commit is the runtime's."""

from __future__ import annotations

from engine.work.counts import Counts, Meter
from engine.work.crash_points import POINTS, CrashPoints, NoCrash
from engine.work.doorbell import Doorbell, LocalDoorbell
from engine.work.ledger import Journal, Ledger, Message
from engine.work.limits import Limits, ProcessLimits
from engine.work.perform import Performed, Performer
from engine.work.publishing import LoggingPublisher, Publisher
from engine.work.worker import Health, StillBusy, Worker, WorkSettings, new_owner

__all__ = [
    "POINTS",
    "Counts",
    "CrashPoints",
    "Doorbell",
    "Health",
    "Journal",
    "Ledger",
    "Limits",
    "LocalDoorbell",
    "LoggingPublisher",
    "Message",
    "Meter",
    "NoCrash",
    "Performed",
    "Performer",
    "ProcessLimits",
    "Publisher",
    "StillBusy",
    "WorkSettings",
    "Worker",
    "new_owner",
]
