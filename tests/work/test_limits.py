"""How many calls run at once and start per second; and when a lease still counts as held."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.contract import Connection, RepeatRecognition
from engine.work.lease import Lease
from engine.work.limits import BUSY_PAUSE, ProcessLimits


class Hand:
    """A clock's hand that a test moves."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        """Return where it stands."""
        return self.at


def connection(system: str = "erp", *, concurrency: int = 8, rate: float | None = None) -> Connection:
    return Connection(
        system=system,
        base_url="http://x",
        token="t",
        recognition=RepeatRecognition.NATIVE_KEY,
        concurrency=concurrency,
        rate_per_second=rate,
    )


def test_no_more_calls_run_at_once_than_the_connection_allows() -> None:
    limits, erp, wms = ProcessLimits(Hand()), connection(concurrency=2), connection("wms", concurrency=1)
    assert [limits.enter(erp) for _ in range(3)] == [None, None, BUSY_PAUSE]
    assert limits.enter(wms) is None  # each system has its own
    limits.leave(erp)
    assert limits.enter(erp) is None
    assert limits.enter(erp) == BUSY_PAUSE


RATES: list[tuple[float, list[tuple[float, float | None]]]] = [
    # 2 a second: two at once, then one every half second.
    (2, [(0, None), (0, None), (0, 0.5), (0.2, 0.3), (0.3, None), (0, 0.5)]),
    # One in four seconds: the bucket still holds one.
    (0.25, [(0, None), (0, 4), (3, 1), (1, None), (0, 4)]),
    # Long quiet fills the bucket to one second's worth, not more.
    (2, [(0, None), (60, None), (0, None), (0, 0.5)]),
]


@pytest.mark.parametrize(("rate", "calls"), RATES)
def test_calls_start_at_the_rate_that_the_connection_allows(
    rate: float, calls: list[tuple[float, float | None]]
) -> None:
    hand = Hand()
    limits, erp = ProcessLimits(hand), connection(rate=rate)
    for later, expected in calls:
        hand.at += later
        pause = limits.enter(erp)
        assert (None if pause is None else round(pause.total_seconds(), 6)) == expected


def test_a_further_request_of_a_call_counts_and_is_never_held_up() -> None:
    hand = Hand()
    limits, erp = ProcessLimits(hand), connection(rate=1)
    assert limits.enter(erp) is None
    limits.spend(erp)
    limits.spend(erp)
    assert limits.enter(erp) == timedelta(seconds=3)  # 1 - 3 = -2 tokens: one again in 3 seconds
    hand.at += 3
    assert limits.enter(erp) is None


def test_without_a_rate_only_the_number_counts() -> None:
    limits, erp = ProcessLimits(Hand()), connection(concurrency=1)
    for _ in range(1000):
        assert limits.enter(erp) is None
        limits.spend(erp)
        limits.leave(erp)


HELD: list[tuple[float, bool]] = [
    (0, True),
    (26.9, True),
    (27.1, False),  # the last tenth of 30 seconds is not used
    (31, False),
]


@pytest.mark.parametrize(("later", "expected"), HELD)
def test_a_lease_counts_from_before_it_was_asked_for(later: float, expected: bool) -> None:
    hand = Hand()
    lease = Lease(timedelta(seconds=30), asked_at=hand(), monotonic=hand)
    hand.at += later
    assert lease.is_held is expected


def test_a_heartbeat_lengthens_it_from_when_it_was_sent() -> None:
    hand = Hand()
    lease = Lease(timedelta(seconds=30), asked_at=hand(), monotonic=hand)
    hand.at += 20
    lease.renew(asked_at=hand.at - 1)  # the answer took a second
    hand.at += 25.9
    assert lease.is_held
    hand.at += 0.2  # 26.1 + 1 seconds after it was asked for
    assert not lease.is_held


def test_a_lost_lease_is_never_held_again() -> None:
    hand = Hand()
    lease = Lease(timedelta(seconds=30), asked_at=hand(), monotonic=hand)
    lease.lose()
    lease.renew(asked_at=hand.at)
    assert not lease.is_held
