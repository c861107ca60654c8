"""What to do next with a claimed job: pure decisions over what is known, carried out by ``perform`` (W10, W11, W12).

A write goes through three questions in turn: is it already there (look up), may it be sent, what became of it. Each
function answers one of them with the next step: look up, send, or the job's outcome.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum

from engine.contract.connection import RepeatRecognition
from engine.contract.errors import OperationError, OutcomeUnknown
from engine.contract.operation import Effect
from engine.contract.retry import Retry
from engine.runtime.commands import Failed, JobOutcome, Parked, Retried

#: How often one claim sends a write at most: once, and once more after its document was surely not found.
MOST_SENDS = 2


class NextStep(Enum):
    """What the worker does next."""

    #: Ask by key whether the document exists.
    LOOK_UP = "look_up"
    #: Make the call.
    SEND = "send"


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What is known of a claimed job at the moment of a decision.

    Attributes
    ----------
    recognition
        How the system tells a repeat; None without a connection, which is treated like a system that tells nothing.
    search_is_complete
        Whether its search shows every document at once.
    failure_count
        Failures before this claim.
    was_in_doubt
        Whether an earlier claim may have done the work (``ClaimedJob.must_look_up``).
    is_in_doubt
        Whether this claim, too, has lost an answer.
    sends
        How often this claim has sent.
    holds_lease
        Whether this worker surely still owns the job.
    refusal
        A definite refusal that is not believed before the document was looked up.
    """

    effect: Effect
    retry: Retry
    recognition: RepeatRecognition | None = None
    search_is_complete: bool = False
    failure_count: int = 0
    was_in_doubt: bool = False
    is_in_doubt: bool = False
    sends: int = 0
    holds_lease: bool = True
    refusal: OperationError | None = None

    @property
    def recognises_repeats(self) -> bool:
        """Whether a second request with the same key cannot make a second document."""
        return self.recognition in (RepeatRecognition.NATIVE_KEY, RepeatRecognition.UNIQUE_FIELD)


def at_start(situation: Situation) -> NextStep:
    """Decide how to begin: a write that an earlier claim may have done is looked up before it is sent (P6)."""
    if situation.effect is Effect.WRITE and situation.was_in_doubt:
        return NextStep.LOOK_UP
    return NextStep.SEND


def after_call_failed(error: OperationError, situation: Situation, dice: random.Random) -> NextStep | JobOutcome:
    """Decide after the call itself failed with ``error``; ``situation.sends`` counts that call.

    A lost answer of a write is looked up at once. A definite refusal is believed, unless an earlier request may still
    have been under way: it could have been the first of the two to arrive.
    """
    if situation.effect is not Effect.WRITE:
        return _again_or_over(error, situation, dice, is_unknown=False)
    if error.is_outcome_unknown:
        return NextStep.LOOK_UP
    if error.is_retryable:
        # Once in doubt, always looked up before the next request: a lost one may still arrive meanwhile.
        return _again_or_over(error, situation, dice, is_unknown=situation.is_in_doubt or situation.was_in_doubt)
    if situation.was_in_doubt or situation.is_in_doubt:
        return NextStep.LOOK_UP
    return _again_or_over(error, situation, dice, is_unknown=False)


def after_nothing_found(*, is_certain: bool, situation: Situation, dice: random.Random) -> NextStep | JobOutcome:
    """Decide after a look-up that found no document. ``is_certain``: the adapter's word that it is not there.

    A system that recognises repeats is asked again with the same key. One that can only be searched is asked once more
    only if the doubt arose under this very claim, its search is declared complete, and the lease is unbroken; else a
    person decides (DECISIONS, Failure).
    """
    if not is_certain:
        return _for_a_person("Its search does not prove that the document is not there.")
    if not situation.recognises_repeats:
        if situation.was_in_doubt:
            return _for_a_person("It recognises no repeat, and an earlier request may still arrive there.")
        if not situation.search_is_complete:
            return _for_a_person("It recognises no repeat, and its search is not declared complete.")
    if situation.refusal is not None:
        return _again_or_over(situation.refusal, situation, dice, is_unknown=False)
    if not situation.holds_lease:
        return Retried(
            pause=timedelta(0),
            error_code="lease_over",
            message="The time of this attempt was over before the request could be sent.",
            is_unknown=True,
        )
    if situation.sends < MOST_SENDS:
        return NextStep.SEND
    if not situation.recognises_repeats:
        return _for_a_person("It recognises no repeat, and its answer was lost twice.")
    lost = OutcomeUnknown("The answer was lost again, and the document is not there.")
    return _pause_or_park(lost, situation, dice)


def after_lookup_failed(error: OperationError, situation: Situation, dice: random.Random) -> JobOutcome:
    """Decide after the look-up itself failed: the outcome stays unknown, and the look-up is repeated later."""
    return _pause_or_park(error, situation, dice)


def _again_or_over(error: OperationError, situation: Situation, dice: random.Random, *, is_unknown: bool) -> JobOutcome:
    pause = situation.retry.pause(error, situation.failure_count + 1, dice)
    if pause is not None:
        return Retried(pause=pause, error_code=error.code, message=error.message, is_unknown=is_unknown)
    if error.is_retryable:
        return Parked(error_code=error.code, message=_exhausted(error, situation), is_unknown=is_unknown)
    return Failed(error_code=error.code, message=error.message)


def _pause_or_park(error: OperationError, situation: Situation, dice: random.Random) -> JobOutcome:
    """Keep the outcome unknown: pause as the policy gives to any error, or hand over when its attempts are used up."""
    any_error = replace(situation.retry, on=frozenset({OperationError}))
    pause = any_error.pause(error, situation.failure_count + 1, dice)
    if pause is not None:
        return Retried(pause=pause, error_code=error.code, message=error.message, is_unknown=True)
    return Parked(error_code=error.code, message=_exhausted(error, situation), is_unknown=True)


def _for_a_person(why: str) -> Parked:
    return Parked(
        error_code="outcome_unknown",
        message=f"The other system gave no answer. {why} Look there whether it was done, then say what you found.",
        is_unknown=True,
    )


def _exhausted(error: OperationError, situation: Situation) -> str:
    return f"{error.message} This was attempt {situation.failure_count + 1} of {situation.retry.attempts}."
