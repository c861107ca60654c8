"""The pauses between attempts, with their arithmetic (W12)."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from engine.contract import (
    BadParameters,
    NotPermitted,
    OperationError,
    OutcomeUnknown,
    RateLimited,
    Retry,
    Temporary,
    Unavailable,
    Unreadable,
)


class AlwaysAtTheTop(random.Random):
    """Dice that show the upper end, so that the ceiling itself can be compared."""

    def random(self) -> float:
        """Return 1, which real dice only come close to."""
        return 1.0


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


CEILINGS: list[tuple[Retry, int, float | None]] = [
    (Retry(), 1, 1),  # 1 * 2 ** 0
    (Retry(), 2, 2),  # 1 * 2 ** 1
    (Retry(), 4, 8),  # 1 * 2 ** 3
    (Retry(), 5, None),  # 5 attempts were made
    (Retry(attempts=1), 1, None),  # never again
    (Retry(attempts=20), 9, 256),  # 1 * 2 ** 8, below the cap of 300
    (Retry(attempts=20), 10, 300),  # 1 * 2 ** 9 = 512, capped
    (Retry(attempts=9, first=seconds(2), factor=3, cap=seconds(50)), 3, 18),  # 2 * 3 ** 2
    (Retry(attempts=9, first=seconds(2), factor=3, cap=seconds(50)), 4, 50),  # 2 * 3 ** 3 = 54, capped
    (Retry(attempts=9, first=seconds(2), factor=1), 8, 2),  # 2 * 1 ** 7
    (Retry(attempts=9, first=seconds(0)), 8, 0),  # 0 * 2 ** 7
    (Retry(attempts=9, first=seconds(9), cap=seconds(4)), 1, 4),  # the first is above the cap
    (Retry(attempts=10**9), 10**6, 300),  # 2 ** 999,999 is no float; the cap holds all the same
]


@pytest.mark.parametrize(("retry", "failure_count", "ceiling"), CEILINGS)
def test_the_pause_doubles_up_to_the_cap_and_ends(retry: Retry, failure_count: int, ceiling: float | None) -> None:
    pause = retry.pause(Temporary("x"), failure_count, AlwaysAtTheTop())
    assert pause == (None if ceiling is None else seconds(ceiling))


def test_the_jitter_is_full() -> None:
    dice = random.Random(7)
    pauses = [Retry().pause(Temporary("x"), 4, dice) for _ in range(400)]
    real = [pause.total_seconds() for pause in pauses if pause is not None]
    assert len(real) == 400
    assert min(real) < 0.2  # the floor is 0
    assert 7.8 < max(real) < 8  # the ceiling is 8
    assert 3.6 < sum(real) / 400 < 4.4  # the mean of a uniform [0, 8] is 4


BY_CLASS: list[tuple[OperationError, bool]] = [
    (Temporary("x"), True),
    (Unavailable("x"), True),
    (RateLimited("x"), True),
    (OutcomeUnknown("x"), True),  # looked up, whatever `on` says
    (Unreadable("x"), True),
    (BadParameters("x"), False),
    (NotPermitted("x"), False),
    (OperationError("x"), False),
]


@pytest.mark.parametrize(("error", "again"), BY_CLASS, ids=lambda value: type(value).__name__)
def test_only_transient_and_unknown_outcomes_are_tried_again(error: OperationError, again: bool) -> None:
    assert (Retry().pause(error, 1, random.Random(1)) is not None) is again


def test_an_operation_may_narrow_the_classes() -> None:
    only_limits = Retry(on=frozenset({RateLimited}))
    assert only_limits.pause(Temporary("x"), 1, random.Random(1)) is None
    assert only_limits.pause(RateLimited("x"), 1, random.Random(1)) is not None
    assert only_limits.pause(OutcomeUnknown("x"), 1, random.Random(1)) is not None


@pytest.mark.parametrize(("named", "expected"), [(None, 2), (1, 2), (600, 600)])
def test_a_longer_retry_after_is_obeyed(named: float | None, expected: float) -> None:
    error = RateLimited("x", retry_after=None if named is None else seconds(named))
    assert Retry().pause(error, 2, AlwaysAtTheTop()) == seconds(expected)  # 1 * 2 ** 1, or what was named
