"""Conversion functions (DMN 1.5, 10.3.4.1)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal

from engine.feel import temporal, writing
from engine.feel.builtin.registry import builtin
from engine.feel.errors import Fault
from engine.feel.numbers import to_index, to_number
from engine.feel.run import Run
from engine.feel.values import Value, YearMonthDuration

_SEPARATORS = (" ", ",", ".")


@builtin("number", "from: string", "from: string, grouping separator: anything, decimal separator: anything")
def number(run: Run, text: str, grouping: Value = None, point: Value = None) -> Value:
    """Return the number that a text spells. Raises Fault for another text or unfit separators."""
    if grouping is not None and (grouping not in _SEPARATORS or grouping == point):
        raise Fault("the grouping separator is none of space, comma and period, or the decimal separator")
    if point is not None and point not in (",", "."):
        raise Fault("the decimal separator is neither comma nor period")
    if isinstance(grouping, str):
        text = text.replace(grouping, "")
    if isinstance(point, str):
        text = text.replace(point, ".")
    return to_number(text)


@builtin("number", "from: number")
def same_number(run: Run, value: Decimal) -> Value:
    """Return the number itself."""
    return value


@builtin("string", "from: any")
def string(run: Run, value: Value) -> Value:
    """Return a value as text."""
    return run.worded(writing.text_of(value))


@builtin("date", "from: string | date | date and time")
def date_from(run: Run, value: str | date | datetime) -> Value:
    """Return the date that a text spells, or of a date and time."""
    if isinstance(value, str):
        return temporal.parse_date(value)
    return value.date() if isinstance(value, datetime) else value


@builtin("date", "year: number, month: number, day: number")
def date_of(run: Run, year: Decimal, month: Decimal, day: Decimal) -> Value:
    """Return a date from its parts."""
    return temporal.build_date(to_index(year), to_index(month), to_index(day))


@builtin("date and time", "from: string | date and time")
def date_and_time_from(run: Run, value: str | datetime) -> Value:
    """Return the date and time that a text spells."""
    return temporal.parse_date_and_time(value) if isinstance(value, str) else value


@builtin("date and time", "date: date | date and time, time: time")
def date_and_time_of(run: Run, day: date | datetime, clock: time) -> Value:
    """Return a date and time of its two parts; the zone is the time's."""
    return datetime.combine(day.date() if isinstance(day, datetime) else day, clock)


@builtin("date and time", "date: date and time, timezone: string")
def date_and_time_in(run: Run, value: datetime, zone: str) -> Value:
    """Return the same instant in a time zone, or the local value put there."""
    found = temporal.parse_time(f"00:00:00{zone if zone[:1] in ('+', '-', 'Z') else '@' + zone}").tzinfo
    return value.replace(tzinfo=found) if value.tzinfo is None else value.astimezone(found)


_PARTS = "year: number, month: number, day: number, hour: number, minute: number, second: number"


@builtin("date and time", _PARTS, f"{_PARTS}, offset?: days and time duration", f"{_PARTS}, timezone?: string")
def date_and_time_of_parts(
    run: Run,
    year: Decimal,
    month: Decimal,
    day: Decimal,
    hour: Decimal,
    minute: Decimal,
    second: Decimal,
    zone: timedelta | str | None = None,
) -> Value:
    """Return a date and time from its parts."""
    on = temporal.build_date(to_index(year), to_index(month), to_index(day))
    clock = _clock(hour, minute, second, None if isinstance(zone, str) else zone)
    if isinstance(zone, str):
        clock = clock.replace(tzinfo=temporal.named_zone(zone))
    return datetime.combine(on, clock)


@builtin("time", "from: string | time | date | date and time")
def time_from(run: Run, value: str | time | date | datetime) -> Value:
    """Return the time of day that a text spells, or of a date and time; a date is its midnight in UTC."""
    if isinstance(value, str):
        return temporal.parse_time(value)
    if isinstance(value, datetime):
        return value.timetz()
    return value if isinstance(value, time) else temporal.parse_time("00:00:00Z")


@builtin("time", "hour: number, minute: number, second: number, offset?: days and time duration")
def time_of(run: Run, hour: Decimal, minute: Decimal, second: Decimal, offset: timedelta | None = None) -> Value:
    """Return a time of day from its parts."""
    return _clock(hour, minute, second, offset)


def _clock(hour: Decimal, minute: Decimal, second: Decimal, offset: timedelta | None) -> time:
    microseconds = to_index((second % 1) * 1_000_000)
    zone = None if offset is None else temporal.build_offset(offset)
    try:
        return time(to_index(hour), to_index(minute), to_index(second), microseconds, tzinfo=zone)
    except ValueError:
        raise Fault("there is no such time of day") from None


@builtin("duration", "from: string | days and time duration | years and months duration")
def duration(run: Run, value: str | timedelta | YearMonthDuration) -> Value:
    """Return the duration that a text spells."""
    return temporal.parse_duration(value) if isinstance(value, str) else value


@builtin("years and months duration", "from: date | date and time, to: date | date and time")
def years_and_months_duration(run: Run, start: date | datetime, end: date | datetime) -> Value:
    """Return the whole months from one day to the other, negative when it lies before."""
    first, last = _day(start), _day(end)
    backwards = last < first
    if backwards:
        first, last = last, first
    months = (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)
    return YearMonthDuration(-months if backwards else months)


def _day(value: date | datetime) -> date:
    return value.date() if isinstance(value, datetime) else value
