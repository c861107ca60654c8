"""Working-time arithmetic: working days, working hours, free days and changing clocks."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import add_time, add_working_time
from engine.model.calendar import NotReached, is_working_day
from engine.model.iso_time import NotATime, parse_duration, parse_instant
from engine.model.settings import Calendar

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
#: 09:00 to 17:00, Monday to Friday; the first week of October is free.
PLANT = Calendar(zone="Asia/Shanghai", free=tuple(f"2026-10-0{day}" for day in range(1, 8)))


def local(text: str, zone: ZoneInfo = SHANGHAI) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@pytest.mark.parametrize(
    ("start", "duration", "expected"),
    [
        # 2026-03-02 is a Monday.
        ("2026-03-02T10:00", "PT2H", "2026-03-02T12:00"),
        # One hour is left on Monday, seven are taken on Tuesday.
        ("2026-03-02T16:00", "PT8H", "2026-03-03T16:00"),
        # Eight hours fill the day exactly: it ends at closing, not at the next opening.
        ("2026-03-02T09:00", "PT8H", "2026-03-02T17:00"),
        # Friday 16:00 and two hours: over the weekend.
        ("2026-03-06T16:00", "PT2H", "2026-03-09T10:00"),
        # Before opening and on a weekend, counting begins at the next opening.
        ("2026-03-02T06:30", "PT1H", "2026-03-02T10:00"),
        ("2026-03-07T12:00", "PT1H", "2026-03-09T10:00"),
        ("2026-03-02T20:00", "PT1H", "2026-03-03T10:00"),
        # Working days keep the time of day.
        ("2026-03-02T10:30", "P5D", "2026-03-09T10:30"),
        ("2026-03-06T10:30", "P1D", "2026-03-09T10:30"),
        # From a weekend, the first working day is day zero.
        ("2026-03-07T12:00", "P1D", "2026-03-10T09:00"),
        # A week is seven working days.
        ("2026-03-02T10:00", "P1W", "2026-03-11T10:00"),
        # Days first, then hours: Friday 16:00 and one day is Monday 16:00, two hours more are Tuesday 10:00.
        ("2026-03-06T16:00", "P1DT2H", "2026-03-10T10:00"),
        # The free week of October: from Wednesday 30 September on to Thursday the 8th.
        ("2026-09-30T16:00", "PT2H", "2026-10-08T10:00"),
        ("2026-09-30T16:00", "P1D", "2026-10-08T16:00"),
        ("2026-03-02T10:00", "PT0S", "2026-03-02T10:00"),
        ("2026-03-02T10:00", "PT30M", "2026-03-02T10:30"),
    ],
)
def test_working_time_by_example(start: str, duration: str, expected: str) -> None:
    assert add_working_time(local(start), duration, PLANT) == local(expected)


def test_working_hours_are_real_hours_when_clocks_change_within_them() -> None:
    # Berlin's clocks go from 02:00 to 03:00 on Sunday 2026-03-29; this plant works at night, every day.
    nights = Calendar(zone="Europe/Berlin", days=(1, 2, 3, 4, 5, 6, 7), opens=time(0), closes=time(6))

    # Midnight to six are five hours that night, so that the sixth is taken on Monday.
    assert add_working_time(local("2026-03-29T00:00", BERLIN), "PT6H", nights) == local("2026-03-30T01:00", BERLIN)
    # The same from the day before: one hour on Saturday, five on Sunday, one on Monday.
    assert add_working_time(local("2026-03-28T05:00", BERLIN), "PT7H", nights) == local("2026-03-30T01:00", BERLIN)
    # In autumn the night has seven hours.
    assert add_working_time(local("2026-10-25T00:00", BERLIN), "PT7H", nights) == local("2026-10-25T06:00", BERLIN)


def test_the_answer_is_in_utc_and_the_zone_of_the_start_makes_no_difference() -> None:
    start = local("2026-03-02T10:00")
    answer = add_working_time(start.astimezone(ZoneInfo("America/New_York")), "PT2H", PLANT)

    assert answer == add_working_time(start, "PT2H", PLANT)
    assert answer.tzinfo is UTC


def test_without_a_calendar_time_is_plain() -> None:
    start = datetime(2026, 3, 6, 16, tzinfo=UTC)

    assert add_time(start, "P2DT1H", None) == datetime(2026, 3, 8, 17, tzinfo=UTC)
    assert add_time(local("2026-03-06T16:00"), "PT2H", PLANT) == local("2026-03-09T10:00")


def test_a_calendar_that_never_works_says_so() -> None:
    with pytest.raises(NotReached):
        add_working_time(local("2026-03-02T10:00"), "PT1H", Calendar(days=()))


@pytest.mark.parametrize("start", [datetime(2026, 3, 2, 10)])  # noqa: DTZ001 - the naive start is the case
def test_a_naive_start_is_refused(start: datetime) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        add_working_time(start, "PT1H", PLANT)


def test_a_negative_duration_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        add_working_time(local("2026-03-02T10:00"), timedelta(hours=-1), PLANT)


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "P1", "1H", "PT1", "P1Y", "P1M", "P1YT1H", "-PT1H", "PT1.5H", '"PT1H"', "P1W2D", "PT1H1H"]
)
def test_what_is_no_usable_duration_is_refused(text: str) -> None:
    with pytest.raises(NotATime):
        parse_duration(text)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-03-01", "2026-03-01T08:00", "2026-13-01T08:00Z"])
def test_what_is_no_moment_with_a_zone_is_refused(text: str) -> None:
    with pytest.raises(NotATime):
        parse_instant(text)


# --- properties --------------------------------------------------------------------------------------------------

MOMENTS = st.datetimes(
    min_value=datetime(2025, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(2028, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    timezones=st.just(UTC),
)
LENGTHS = st.integers(min_value=0, max_value=400 * 60).map(lambda minutes: timedelta(minutes=minutes))
CALENDARS = st.builds(
    Calendar,
    zone=st.sampled_from(["UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
    days=st.sets(st.integers(min_value=1, max_value=7), min_size=1).map(lambda days: tuple(sorted(days))),
    opens=st.times(max_value=time(11)),
    closes=st.times(min_value=time(12)),
    free=st.lists(st.dates(datetime(2025, 1, 1).date(), datetime(2028, 1, 1).date()).map(str), max_size=20).map(tuple),  # noqa: DTZ001
)


@settings(max_examples=200, deadline=None)
@given(MOMENTS, LENGTHS, LENGTHS, CALENDARS)
def test_two_stretches_of_working_hours_add_up(
    start: datetime, first: timedelta, second: timedelta, calendar: Calendar
) -> None:
    at_once = add_working_time(start, first + second, calendar)
    in_two = add_working_time(add_working_time(start, first, calendar), second, calendar)

    assert in_two == at_once


@settings(max_examples=200, deadline=None)
@given(MOMENTS, LENGTHS, CALENDARS)
def test_the_answer_is_later_and_within_working_time(start: datetime, length: timedelta, calendar: Calendar) -> None:
    due = add_working_time(start, length, calendar)

    assert due >= start + length or due >= start
    assert due - start >= length
    there = due.astimezone(ZoneInfo(calendar.zone))
    assert is_working_day(there.date(), calendar)
    assert calendar.opens <= there.time() <= calendar.closes


@settings(max_examples=200, deadline=None)
@given(MOMENTS, st.integers(min_value=0, max_value=40), CALENDARS)
def test_so_many_working_days_lie_between(start: datetime, days: int, calendar: Calendar) -> None:
    zone = ZoneInfo(calendar.zone)
    begin = add_working_time(start, "PT0S", calendar).astimezone(zone).date()
    due = add_working_time(start, f"P{days}D", calendar).astimezone(zone).date()

    between = [begin + timedelta(days=count) for count in range(1, (due - begin).days + 1)]
    assert sum(is_working_day(day, calendar) for day in between) == days
