"""Ids are UUIDv7 and grow."""

from __future__ import annotations

import threading
import uuid

from engine.store.new_ids import NewIds


def test_an_id_is_a_uuid_of_version_seven_with_the_time_first() -> None:
    """RFC 9562, 5.7: 48 bits of milliseconds, version, random, variant, random."""
    made = uuid.UUID(NewIds(milliseconds=lambda: 0x017F22E279B0)())

    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == 0x017F22E279B0


def test_ids_grow_within_a_millisecond_and_when_the_clock_goes_back() -> None:
    instants = iter([5, 5, 5, 3, 6, 6, 1])
    new_id = NewIds(milliseconds=lambda: next(instants))

    made = [new_id() for _ in range(7)]

    assert made == sorted(set(made))
    assert [int(each, 16) >> 80 for each in made] == [5, 5, 5, 5, 6, 6, 6]


def test_ids_of_many_threads_are_all_different() -> None:
    new_id = NewIds()
    made: list[str] = []

    def make() -> None:
        made.extend([new_id() for _ in range(2000)])

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(made)) == 8000
