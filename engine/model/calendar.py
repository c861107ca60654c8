"""Working-time arithmetic on a process's calendar: pure, in the calendar's zone.

A working day is a weekday of the calendar that is not free; its working time runs from ``opens`` to ``closes`` on the
local clock. Lengths are real time: a day on which clocks change within working hours is an hour longer or shorter.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from engine.model.iso_time import Duration, parse_duration
from engine.model.settings import Calendar

#: A due time further away than this many days, about a hundred years, is refused.
LONGEST_SPAN_DAYS = 36_600


class NotReached(ValueError):
    """The calendar does not reach this duration within a hundred years. Correct its days, or the duration."""

    def __init__(self) -> None:
        super().__init__(type(self).__doc__ or "")


def add_working_time(start: datetime, duration: str | timedelta | Duration, calendar: Calendar) -> datetime:
    """Return the moment, in UTC, when this much working time has passed since a start.

    Whole days of an ISO 8601 duration are working days: ``P5D`` keeps the time of day and goes on five working days,
    and a start outside working time counts from the next opening. Hours, minutes and seconds are working hours:
    ``PT8H`` from 16:00 on a day that closes at 17:00 takes one hour of that day and seven of the next. Days are counted
    before hours. A ``timedelta`` is working hours throughout. A time that is used up exactly at closing ends there, not
    at the next opening.

    Raises
    ------
    ValueError
        When the start is naive, or the duration negative.
    NotReached
        When the calendar does not reach it within a hundred years.
    NotATime
        When the duration is no ISO 8601 duration.
    """
    if start.utcoffset() is None:
        raise ValueError("The start names no time zone.")
    length = _duration(duration)
    if length.rest < timedelta(0) or length.days < 0:
        raise ValueError("The duration is negative.")
    zone = ZoneInfo(calendar.zone)
    moment = _next_working_moment(start.astimezone(UTC), calendar, zone)
    moment = _add_days(moment, length.days, calendar, zone)
    return _add_hours(moment, length.rest, calendar, zone)


def add_time(start: datetime, duration: str, calendar: Calendar | None) -> datetime:
    """Return the instant after a duration: in working time where a calendar is given, else in plain time.

    Raises
    ------
    NotATime, NotReached, ValueError
        As :func:`add_working_time`.
    """
    if calendar is None:
        return start.astimezone(UTC) + parse_duration(duration).total
    return add_working_time(start, duration, calendar)


def is_working_day(day: date, calendar: Calendar) -> bool:
    """Whether people work on a day: a weekday of the calendar (1 is Monday) that is not free."""
    return day.isoweekday() in calendar.days and day.isoformat() not in calendar.free


def _duration(duration: str | timedelta | Duration) -> Duration:
    if isinstance(duration, timedelta):
        return Duration(rest=duration)
    return parse_duration(duration) if isinstance(duration, str) else duration


def _working_days(first: date, calendar: Calendar) -> Iterator[date]:
    """Go over the working days from a day on, that day included."""
    for count in range(LONGEST_SPAN_DAYS):
        day = first + timedelta(days=count)
        if is_working_day(day, calendar):
            yield day
    raise NotReached


def _moment(day: date, time_of_day: time, zone: ZoneInfo) -> datetime:
    """Return a local time of a day as UTC, so that differences are real time also when clocks change."""
    return datetime.combine(day, time_of_day, zone).astimezone(UTC)


def _next_working_moment(moment: datetime, calendar: Calendar, zone: ZoneInfo) -> datetime:
    """Return the moment itself within working time (opening and closing included), else the next opening."""
    for day in _working_days(moment.astimezone(zone).date(), calendar):
        if moment <= _moment(day, calendar.closes, zone):
            return max(moment, _moment(day, calendar.opens, zone))
    raise NotReached


def _add_days(moment: datetime, days: int, calendar: Calendar, zone: ZoneInfo) -> datetime:
    if days == 0:
        return moment
    local = moment.astimezone(zone)
    for count, day in enumerate(_working_days(local.date(), calendar)):
        if count == days:
            return _moment(day, local.time(), zone)
    raise NotReached


def _add_hours(moment: datetime, rest: timedelta, calendar: Calendar, zone: ZoneInfo) -> datetime:
    for day in _working_days(moment.astimezone(zone).date(), calendar):
        begin = max(moment, _moment(day, calendar.opens, zone))
        available = max(timedelta(0), _moment(day, calendar.closes, zone) - begin)
        if rest <= available:
            return begin + rest
        rest -= available
    raise NotReached
