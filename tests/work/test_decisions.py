"""What is done next with a call, as tables: a row per case (DECISIONS, Failure; W10, W11, W12)."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.contract import (
    BadParameters,
    BusinessRuleViolated,
    Effect,
    InvalidModelOutput,
    NotFound,
    NotPermitted,
    OperationError,
    OutcomeUnknown,
    RateLimited,
    RepeatRecognition,
    Retry,
    Temporary,
    Unavailable,
    Unreadable,
)
from engine.runtime.commands import Failed, JobOutcome, Parked, Retried
from engine.work.decisions import (
    NextStep,
    Situation,
    after_call_failed,
    after_lookup_failed,
    after_nothing_found,
    at_start,
)

KEYED = RepeatRecognition.NATIVE_KEY
UNIQUE = RepeatRecognition.UNIQUE_FIELD
SEARCH = RepeatRecognition.SEARCH_ONLY
LOOK_UP, SEND = NextStep.LOOK_UP, NextStep.SEND

#: Retry with five attempts, as most operations have it.
FIVE = Retry()
READ = Situation(effect=Effect.READ, retry=FIVE, sends=1)
WRITE = Situation(effect=Effect.WRITE, retry=FIVE, recognition=KEYED, sends=1)
BY_SEARCH = replace(WRITE, recognition=SEARCH, search_is_complete=True)


def short(step: NextStep | JobOutcome) -> str:
    """Return a step as a row of a table says it."""
    match step:
        case NextStep():
            return step.value
        case Retried(is_unknown=is_unknown):
            return "retry, unknown" if is_unknown else "retry"
        case Parked(is_unknown=is_unknown):
            return "person, unknown" if is_unknown else "person"
        case Failed():
            return "failed"
        case _:
            return type(step).__name__


@pytest.mark.parametrize(
    ("effect", "was_in_doubt", "expected"),
    [
        (Effect.WRITE, True, LOOK_UP),
        (Effect.WRITE, False, SEND),
        (Effect.READ, True, SEND),  # reading twice does nothing
        (Effect.PURE, True, SEND),
    ],
)
def test_only_a_write_in_doubt_begins_with_a_look_up(effect: Effect, was_in_doubt: bool, expected: NextStep) -> None:
    assert at_start(replace(WRITE, effect=effect, was_in_doubt=was_in_doubt, sends=0)) is expected


FAILED_CALLS: list[tuple[OperationError, Situation, str]] = [
    # A read: by class alone.
    (Temporary("x"), READ, "retry"),
    (Unavailable("x"), READ, "retry"),
    (RateLimited("x"), READ, "retry"),
    (OutcomeUnknown("x"), READ, "retry"),
    (Unreadable("x"), READ, "retry"),
    (BadParameters("x"), READ, "failed"),
    (NotPermitted("x"), READ, "failed"),
    (NotFound("x"), READ, "failed"),
    (BusinessRuleViolated("x"), READ, "failed"),
    (InvalidModelOutput("x"), READ, "failed"),
    (OperationError("x"), READ, "failed"),
    # The fifth of five attempts: the operator's, unless the answer was a plain no.
    (Temporary("x"), replace(READ, failure_count=4), "person"),
    (Temporary("x"), replace(READ, failure_count=3), "retry"),
    (NotFound("x"), replace(READ, failure_count=4), "failed"),
    (Unreadable("x"), replace(READ, failure_count=4), "person"),
    # A class that the operation wants tried again although it is a plain no: ends as what it is.
    (NotFound("x"), replace(READ, retry=Retry(on=frozenset({NotFound}))), "retry"),
    (NotFound("x"), replace(READ, retry=Retry(on=frozenset({NotFound})), failure_count=4), "failed"),
    # A class that it does not want tried again although it may pass: a person's.
    (Temporary("x"), replace(READ, retry=Retry(on=frozenset({RateLimited}))), "person"),
    # A write that surely did nothing.
    (Temporary("x"), WRITE, "retry"),
    (Unavailable("x"), WRITE, "retry"),
    (RateLimited("x"), WRITE, "retry"),
    (BadParameters("x"), WRITE, "failed"),
    (BusinessRuleViolated("x"), WRITE, "failed"),
    # A write that may have been done: never called failed, never repeated blindly.
    (OutcomeUnknown("x"), WRITE, "look_up"),
    (Unreadable("x"), WRITE, "look_up"),
    (OutcomeUnknown("x"), replace(WRITE, failure_count=4), "look_up"),
    (OutcomeUnknown("x"), BY_SEARCH, "look_up"),
    # Once in doubt, later requests that surely did nothing do not clear the doubt.
    (Temporary("x"), replace(WRITE, is_in_doubt=True), "retry, unknown"),
    (Temporary("x"), replace(WRITE, was_in_doubt=True), "retry, unknown"),
    (Temporary("x"), replace(WRITE, is_in_doubt=True, failure_count=4), "person, unknown"),
    (Temporary("x"), replace(BY_SEARCH, is_in_doubt=True), "retry, unknown"),
    # Nor does a refusal: the first request may have come first and be the reason of it.
    (BusinessRuleViolated("x"), replace(WRITE, is_in_doubt=True), "look_up"),
    (BusinessRuleViolated("x"), replace(WRITE, was_in_doubt=True), "look_up"),
]


@pytest.mark.parametrize(("error", "situation", "expected"), FAILED_CALLS)
def test_after_a_failed_call(error: OperationError, situation: Situation, expected: str) -> None:
    assert short(after_call_failed(error, situation, random.Random(1))) == expected


NOTHING_FOUND: list[tuple[str, Situation, bool, str]] = [
    # Systems that recognise a repeat: the same key again.
    ("keyed", WRITE, True, "send"),
    ("unique field", replace(WRITE, recognition=UNIQUE), True, "send"),
    ("keyed, from an earlier claim", replace(WRITE, was_in_doubt=True, sends=0), True, "send"),
    ("keyed, from an earlier claim, again", replace(WRITE, was_in_doubt=True, sends=1), True, "send"),
    ("keyed, twice lost", replace(WRITE, sends=2), True, "retry, unknown"),
    ("keyed, twice lost, last attempt", replace(WRITE, sends=2, failure_count=4), True, "person, unknown"),
    ("keyed, lease over", replace(WRITE, holds_lease=False), True, "retry, unknown"),
    ("keyed, not certain", WRITE, False, "person, unknown"),
    # Systems that can only be searched: once more, under the same unbroken lease, if the search says all at once.
    ("search", BY_SEARCH, True, "send"),
    ("search, twice lost", replace(BY_SEARCH, sends=2), True, "person, unknown"),
    ("search, lease over", replace(BY_SEARCH, holds_lease=False), True, "retry, unknown"),
    ("search, from an earlier claim", replace(BY_SEARCH, was_in_doubt=True, sends=0), True, "person, unknown"),
    ("search, not complete", replace(BY_SEARCH, search_is_complete=False), True, "person, unknown"),
    ("search, not certain", BY_SEARCH, False, "person, unknown"),
    ("no connection", replace(WRITE, recognition=None), True, "person, unknown"),
    # A refusal after a doubt is believed once the document is surely not there.
    ("refused", replace(WRITE, is_in_doubt=True, sends=2, refusal=BadParameters("x")), True, "failed"),
    ("refused, lease over", replace(WRITE, sends=2, refusal=BadParameters("x"), holds_lease=False), True, "failed"),
    ("refused, not certain", replace(WRITE, sends=2, refusal=BadParameters("x")), False, "person, unknown"),
    ("refused, by search", replace(BY_SEARCH, sends=2, refusal=BadParameters("x")), True, "failed"),
    (
        "refused, incomplete search",
        replace(BY_SEARCH, search_is_complete=False, sends=2, refusal=BadParameters("x")),
        True,
        "person, unknown",
    ),
]


@pytest.mark.parametrize(
    ("situation", "is_certain", "expected"), [row[1:] for row in NOTHING_FOUND], ids=[row[0] for row in NOTHING_FOUND]
)
def test_after_nothing_was_found(situation: Situation, is_certain: bool, expected: str) -> None:
    step = after_nothing_found(is_certain=is_certain, situation=situation, dice=random.Random(1))
    assert short(step) == expected


@pytest.mark.parametrize(
    ("error", "failure_count", "expected"),
    [
        (Temporary("x"), 0, "retry, unknown"),
        (NotPermitted("x"), 0, "retry, unknown"),  # the look-up was refused, not the write
        (BadParameters("x"), 0, "retry, unknown"),
        (Temporary("x"), 4, "person, unknown"),
        (NotPermitted("x"), 4, "person, unknown"),
    ],
)
def test_a_look_up_that_fails_leaves_the_outcome_unknown(
    error: OperationError, failure_count: int, expected: str
) -> None:
    situation = replace(WRITE, failure_count=failure_count)
    assert short(after_lookup_failed(error, situation, random.Random(1))) == expected


def test_a_rate_limit_found_while_looking_up_is_obeyed() -> None:
    error = RateLimited("x", retry_after=timedelta(minutes=9))
    outcome = after_lookup_failed(error, WRITE, random.Random(1))
    assert isinstance(outcome, Retried)
    assert outcome.pause == timedelta(minutes=9)


def test_the_person_is_told_what_to_do() -> None:
    outcome = after_nothing_found(is_certain=False, situation=WRITE, dice=random.Random(1))
    assert isinstance(outcome, Parked)
    assert outcome.error_code == "outcome_unknown"
    assert outcome.message.endswith("Look there whether it was done, then say what you found.")


def test_an_exhausted_step_says_how_often_it_was_tried() -> None:
    outcome = after_call_failed(Unavailable("The ERP is away."), replace(READ, failure_count=4), random.Random(1))
    assert isinstance(outcome, Parked)
    assert outcome.message == "The ERP is away. This was attempt 5 of 5."
    assert outcome.error_code == "unavailable"
