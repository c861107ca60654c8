"""Publishes the outbox: at least once, with growing pauses, the consumers dedupe by message id (W15)."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Protocol

import structlog

from engine.contract.errors import Temporary
from engine.contract.retry import Retry
from engine.identity.actor import Actor
from engine.work.counts import Meter
from engine.work.crash_points import CrashPoints
from engine.work.ledger import Ledger, Message

log = structlog.stdlib.get_logger("engine.work")

#: Messages of one pass.
BATCH = 20
#: Pauses between attempts; a message is never given up, so that an alarm on the oldest one finds what is wrong.
_PAUSES = Retry(attempts=2**31, first=timedelta(seconds=1), cap=timedelta(minutes=5))


class Publisher(Protocol):
    """Carries messages to whoever wants them."""

    def publish(self, message: Message) -> None:
        """Hand over one message; return once it is accepted, raise when it is not."""
        ...


class LoggingPublisher:
    """Tells the log: for an installation that nobody listens to."""

    def publish(self, message: Message) -> None:
        """Write the message's topic and id into the log."""
        log.info("message.published", topic=message.topic, message_id=message.message_id)


class Publishing:
    """One pass after the other over the outbox."""

    def __init__(
        self,
        ledger: Ledger,
        actor: Actor,
        publisher: Publisher,
        meter: Meter,
        dice: random.Random,
        crash_points: CrashPoints,
    ) -> None:
        self._ledger = ledger
        self._actor = actor
        self._publisher = publisher
        self._meter = meter
        self._dice = dice
        self._crash_points = crash_points

    def pass_over(self) -> int:
        """Publish what is due, at most one batch, and return how many messages were taken."""
        taken = self._ledger.take_outbox(self._actor, BATCH)
        for message in taken:
            self._publish(message)
        return len(taken)

    def _publish(self, message: Message) -> None:
        self._crash_points.reached("outbox:before_publish")
        try:
            self._publisher.publish(message)
        except Exception as error:
            pause = _PAUSES.pause(Temporary(str(error)), message.failure_count + 1, self._dice) or _PAUSES.cap
            log.warning(
                "message.failed", topic=message.topic, message_id=message.message_id, error=repr(error), exc_info=True
            )
            self._meter.count("messages", outcome="failed")
            self._ledger.mark_failed(self._actor, message.message_id, pause)
            return
        self._crash_points.reached("outbox:after_publish")
        self._meter.count("messages", outcome="published")
        self._ledger.mark_sent(self._actor, message.message_id)
