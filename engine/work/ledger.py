"""What ``work`` asks of the runtime: every claim, heartbeat, outcome and sweep is a command there (P1).

``engine.runtime.Runtime`` fits these protocols; tests may put a ledger in memory in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from engine.contract.ids import JobId
from engine.identity.actor import Actor
from engine.runtime.commands import ClaimedJob, EarlierIntent, JobOutcome, ModelCallRecord, RecordAnswer


class DueJob(Protocol):
    """A job that can be claimed now."""

    @property
    def job_id(self) -> JobId:
        """Its id."""
        ...


class Done(Protocol):
    """How many rows a pass went over, and how many of them failed."""

    @property
    def count(self) -> int:
        """Rows that were done."""
        ...

    @property
    def failed(self) -> int:
        """Rows that are left for the next pass."""
        ...


class Message(Protocol):
    """A message of the outbox, taken to be published."""

    @property
    def message_id(self) -> str:
        """By which consumers dedupe."""
        ...

    @property
    def topic(self) -> str:
        """What it tells of."""
        ...

    @property
    def payload(self) -> bytes:
        """Its content as JSON."""
        ...

    @property
    def failure_count(self) -> int:
        """How often publishing it has failed so far."""
        ...


class Journal(Protocol):
    """What performing a claimed job writes down while it is under way."""

    def intend(self, actor: Actor, claimed: ClaimedJob) -> bool:
        """Write down, before its first byte, that a write is sent a second time under this claim.

        The claim itself wrote down the first. False: the lease was lost, nothing may be sent.
        """
        ...

    def settle(
        self,
        actor: Actor,
        claimed: ClaimedJob,
        earlier: EarlierIntent,
        document: str | None,
        *,
        is_void: bool = False,
    ) -> bool:
        """Write down what became of an earlier version of the intent: its document as JSON, or None for none.

        ``is_void``: it stands no longer there. False: the lease was lost.
        """
        ...


class Ledger(Journal, Protocol):
    """The whole of it."""

    def due_jobs(self, limit: int) -> Sequence[DueJob]:
        """Return jobs that can be claimed now, urgent ones first."""
        ...

    def claim(self, actor: Actor, owner: str, job_id: JobId, lease: timedelta) -> ClaimedJob | None:
        """Claim a job; None when it is not there to be claimed."""
        ...

    def heartbeat(self, actor: Actor, claimed: ClaimedJob, lease: timedelta) -> bool:
        """Lengthen a claim to ``lease`` from now; False: it was lost."""
        ...

    def record(
        self,
        actor: Actor,
        claimed: ClaimedJob,
        outcome: JobOutcome,
        *,
        claim_next: bool = False,
        model_calls: Sequence[ModelCallRecord] = (),
    ) -> RecordAnswer:
        """Record what became of a claimed job; ``claim_next`` claims the first job it opens in the same commit."""
        ...

    def fire_due(self, actor: Actor, limit: int) -> Done:
        """Fire timers that fell due."""
        ...

    def sweep(self, actor: Actor) -> Done:
        """Make one pass over leases that ran out and messages that missed their subscription."""
        ...

    def due_in(self) -> timedelta | None:
        """Return how long until the next job, lease, timer or message falls due; None when nothing is open."""
        ...

    def take_outbox(self, actor: Actor, limit: int) -> Sequence[Message]:
        """Take messages to publish; each is this process's alone for a while."""
        ...

    def mark_sent(self, actor: Actor, message_id: str) -> None:
        """Note that a message was published."""
        ...

    def mark_failed(self, actor: Actor, message_id: str, pause: timedelta) -> None:
        """Note that publishing a message failed; it is taken again after ``pause``."""
        ...
