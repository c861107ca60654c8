"""A system's rate holds over all workers, on the database's clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engine.store import Store, limits

SECOND = timedelta(seconds=1)


def take(store: Store, *, interval: timedelta = SECOND, burst: timedelta = timedelta(0)) -> int:
    with store.writing("claim") as session:
        return session.run(limits.TAKE, {"system": "erp", "interval": interval, "burst": burst})


@pytest.fixture
def limited(store: Store) -> Store:
    with store.writing("start") as session:
        session.run(limits.INSERT_IF_ABSENT, {"system": "erp", "free_at": datetime(2000, 1, 1, tzinfo=UTC)})
    return store


def test_calls_keep_their_distance(limited: Store) -> None:
    minute = timedelta(minutes=1)

    assert [take(limited, interval=minute) for _ in range(3)] == [1, 0, 0]
    limited.move_clock(timedelta(seconds=59))
    assert take(limited, interval=minute) == 0
    limited.move_clock(timedelta(seconds=2))
    assert take(limited, interval=minute) == 1


def test_a_burst_may_run_ahead_but_unused_time_is_not_saved_up(limited: Store) -> None:
    """The first call finds the instant in the past and counts from now: burst 2 minutes at 1 a minute is 3 calls."""
    minute = timedelta(minutes=1)

    assert [take(limited, interval=minute, burst=2 * minute) for _ in range(4)] == [1, 1, 1, 0]


def test_a_system_that_asks_for_a_pause_is_left_alone(limited: Store) -> None:
    with limited.writing("retry") as session:
        session.run(limits.PAUSE, {"system": "erp", "pause": timedelta(minutes=5)})
        session.run(limits.PAUSE, {"system": "erp", "pause": timedelta(minutes=1)})

    assert take(limited) == 0
    limited.move_clock(timedelta(minutes=4))
    assert take(limited) == 0
    limited.move_clock(timedelta(minutes=2))
    assert take(limited) == 1
