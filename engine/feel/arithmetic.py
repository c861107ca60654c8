"""Arithmetic of numbers, strings, dates and durations (DMN 1.5, 10.3.2.3, tables 45 to 48)."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, DecimalException
from fractions import Fraction
from typing import cast

from engine.feel.comparison import instant_key
from engine.feel.errors import Fault
from engine.feel.numbers import CONTEXT
from engine.feel.run import Run
from engine.feel.values import Value, YearMonthDuration, kind

_MICROSECOND = timedelta(microseconds=1)
_DAY_SECONDS = 86_400


def add(left: Value, right: Value, run: Run) -> Value:
    """Return ``left + right``. Raises Fault when there is no such sum."""
    one, other = type(left), type(right)
    if one is Decimal and other is Decimal:
        return CONTEXT.add(cast("Decimal", left), cast("Decimal", right))
    if isinstance(left, str) and isinstance(right, str):
        return run.worded(left + right)
    if isinstance(left, timedelta) and isinstance(right, timedelta):
        return left + right
    if isinstance(left, YearMonthDuration) and isinstance(right, YearMonthDuration):
        return YearMonthDuration(left.months + right.months)
    if isinstance(right, (timedelta, YearMonthDuration)) and isinstance(left, (date, time)):
        return _shifted(left, right)
    if isinstance(left, (timedelta, YearMonthDuration)) and isinstance(right, (date, time)):
        return _shifted(right, left)
    raise _no_operation("+", left, right)


def subtract(left: Value, right: Value, run: Run) -> Value:
    """Return ``left - right``. Raises Fault when there is no such difference."""
    one, other = type(left), type(right)
    if one is Decimal and other is Decimal:
        return CONTEXT.subtract(cast("Decimal", left), cast("Decimal", right))
    if isinstance(left, timedelta) and isinstance(right, timedelta):
        return left - right
    if isinstance(left, YearMonthDuration) and isinstance(right, YearMonthDuration):
        return YearMonthDuration(left.months - right.months)
    if isinstance(right, timedelta) and isinstance(left, (date, time)):
        return _shifted(left, -right)
    if isinstance(right, YearMonthDuration) and isinstance(left, (date, time)):
        return _shifted(left, YearMonthDuration(-right.months))
    if isinstance(left, (date, time)) and isinstance(right, (date, time)):
        return _between(left, right)
    raise _no_operation("-", left, right)


def multiply(left: Value, right: Value, run: Run) -> Value:
    """Return ``left * right``. Raises Fault when there is no such product."""
    if isinstance(left, Decimal):
        if isinstance(right, Decimal):
            return CONTEXT.multiply(left, right)
        if isinstance(right, (timedelta, YearMonthDuration)):
            return _scaled(right, Fraction(left))
    if isinstance(right, Decimal) and isinstance(left, (timedelta, YearMonthDuration)):
        return _scaled(left, Fraction(right))
    raise _no_operation("*", left, right)


def divide(left: Value, right: Value, run: Run) -> Value:
    """Return ``left / right``. Raises Fault when there is no such quotient, for a division by zero above all."""
    if isinstance(right, Decimal):
        if not right:
            raise Fault("a division by zero")
        if isinstance(left, Decimal):
            return CONTEXT.divide(left, right)
        if isinstance(left, (timedelta, YearMonthDuration)):
            return _scaled(left, 1 / Fraction(right))
    if isinstance(left, timedelta) and isinstance(right, timedelta):
        return _ratio(left // _MICROSECOND, right // _MICROSECOND)
    if isinstance(left, YearMonthDuration) and isinstance(right, YearMonthDuration):
        return _ratio(left.months, right.months)
    raise _no_operation("/", left, right)


def power(left: Value, right: Value, run: Run) -> Value:
    """Return ``left ** right``. Raises Fault when there is no such power among the numbers."""
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        result = CONTEXT.power(left, right)
        if result.is_finite():
            return result
        raise Fault("zero has no negative power")
    raise _no_operation("**", left, right)


def negate(value: Value) -> Value:
    """Return ``- value``. Raises Fault for what is neither a number nor a duration."""
    if isinstance(value, Decimal):
        return CONTEXT.minus(value)
    if isinstance(value, timedelta):
        return -value
    if isinstance(value, YearMonthDuration):
        return YearMonthDuration(-value.months)
    raise Fault(f"{kind(value)} has no negative")


def _no_operation(sign: str, left: Value, right: Value) -> Fault:
    return Fault(f"there is no {kind(left)} {sign} {kind(right)}")


def _ratio(left: int, right: int) -> Decimal:
    if not right:
        raise Fault("a division by zero")
    return CONTEXT.divide(CONTEXT.create_decimal(left), CONTEXT.create_decimal(right))


def _scaled(duration: timedelta | YearMonthDuration, factor: Fraction) -> timedelta | YearMonthDuration:
    """Return a multiple of a duration, cut to whole months or microseconds (table 46: the value of the product)."""
    if isinstance(duration, YearMonthDuration):
        return YearMonthDuration(int(duration.months * factor))
    return timedelta(microseconds=int(duration // _MICROSECOND * factor))


def _shifted(value: date | datetime | time, duration: timedelta | YearMonthDuration) -> Value:
    if isinstance(duration, YearMonthDuration):
        if isinstance(value, time):
            raise Fault("a time of day has no years and months")
        return _shifted_months(value, duration.months)
    if isinstance(value, time):
        start = datetime.combine(date(2000, 1, 1), value.replace(tzinfo=None))
        seconds = duration % timedelta(seconds=_DAY_SECONDS)
        return (start + seconds).time().replace(tzinfo=value.tzinfo)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value + duration
        return (value.astimezone(UTC) + duration).astimezone(value.tzinfo)
    return (datetime.combine(value, time()) + duration).date()


def _shifted_months(value: date | datetime, months: int) -> date | datetime:
    """Move by months; a day that the month does not have becomes its last one (table 45)."""
    year, month = divmod(value.year * 12 + value.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise Fault("the result lies outside the years 1 to 9999")
    last = calendar.monthrange(year, month + 1)[1]
    return value.replace(year=year, month=month + 1, day=min(value.day, last))


def _between(left: date | datetime | time, right: date | datetime | time) -> timedelta:
    if isinstance(left, time) is not isinstance(right, time):
        raise _no_operation("-", left, right)
    (bound, place), (other_bound, other_place) = instant_key(left), instant_key(right)
    if bound is not other_bound:
        bare_date = not isinstance(left, (datetime, time)) or not isinstance(right, (datetime, time))
        if not bare_date:
            raise Fault("a value with a time zone and one without have no difference")
    return place - other_place


_OPERATIONS: Mapping[str, Callable[[Value, Value, Run], Value]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "**": power,
}

#: What Python raises for a result outside a type's range; the operation then has no value.
_OUT_OF_RANGE = (DecimalException, OverflowError)


def operation(sign: str) -> Callable[[Value, Value, Run], Value]:
    """Return the function for an operator. The function raises Fault for a result outside the range of its kind."""
    function = _OPERATIONS[sign]

    def calculate(left: Value, right: Value, run: Run) -> Value:
        try:
            return function(left, right, run)
        except _OUT_OF_RANGE:
            raise Fault(f"the result of {sign} is outside the values that FEEL has") from None

    return calculate
