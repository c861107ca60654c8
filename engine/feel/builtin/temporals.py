"""Functions of dates, and of sameness (DMN 1.5, 10.3.4.7 and 10.3.4.10)."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

from engine.feel import temporal
from engine.feel.builtin.registry import builtin
from engine.feel.comparison import same
from engine.feel.run import Run
from engine.feel.values import Value

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@builtin("day of year", "date: date | date and time")
def day_of_year(run: Run, day: date) -> Value:
    """Return the day's number in its year."""
    return Decimal(day.timetuple().tm_yday)


@builtin("day of week", "date: date | date and time")
def day_of_week(run: Run, day: date) -> Value:
    """Return the English name of the weekday."""
    return _DAYS[day.weekday()]


@builtin("month of year", "date: date | date and time")
def month_of_year(run: Run, day: date) -> Value:
    """Return the English name of the month."""
    return _MONTHS[day.month - 1]


@builtin("week of year", "date: date | date and time")
def week_of_year(run: Run, day: date) -> Value:
    """Return the week's number (ISO 8601)."""
    return Decimal(day.isocalendar().week)


@builtin("is", "value1: anything, value2: anything")
def is_same(run: Run, left: Value, right: Value) -> Value:
    """Return whether two values are the same element of the semantic domain: zones count, kinds too."""
    if isinstance(left, (datetime, time)) and isinstance(right, (datetime, time)):
        return type(left) is type(right) and _written(left) == _written(right)
    return same(left, right, run)


def _written(value: datetime | time) -> tuple[object, ...]:
    return value.replace(tzinfo=None), temporal.offset_of(value), temporal.zone_name(value)
