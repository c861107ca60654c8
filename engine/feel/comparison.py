"""Equality, order and membership (DMN 1.5, 10.3.2.3, tables 42, 53 and 55)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from engine.feel import temporal
from engine.feel.errors import Fault
from engine.feel.run import Run
from engine.feel.values import Range, Value, YearMonthDuration, kind

#: Local time lines are counted from here.
_ORIGIN = datetime.combine(date(1, 1, 1), time())


def instant_key(value: date | datetime | time) -> tuple[bool, timedelta]:
    """Return whether a value is bound to UTC, and its place on that time line or on the local one."""
    if isinstance(value, datetime):
        offset = value.utcoffset()
        local = value.replace(tzinfo=None) - _ORIGIN
        return (False, local) if offset is None else (True, local - offset)
    if isinstance(value, time):
        offset = temporal.offset_of(value)
        local = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
        return (False, local) if offset is None else (True, local - offset)
    return False, timedelta(days=value.toordinal() - 1)


def equal(left: Value, right: Value, run: Run) -> bool | None:
    """Return whether two values are equal; null is equal to null only. Raises Fault for two different kinds.

    Times are equal when their whole seconds are (table 42 compares the properties; TCK 0068).
    """
    if left is None or right is None:
        return left is right
    run.step()
    one, other = type(left), type(right)
    if one is not other:
        raise Fault(f"{kind(left)} and {kind(right)} cannot be compared")
    if one is list:
        return _equal_lists(cast("list[Value]", left), cast("list[Value]", right), run)
    if one is dict:
        return _equal_contexts(cast("dict[str, Value]", left), cast("dict[str, Value]", right), run)
    if isinstance(left, Range) and isinstance(right, Range):
        return _equal_ranges(left, right, run)
    if isinstance(left, (datetime, time)) and isinstance(right, (datetime, time)):
        return instant_key(left.replace(microsecond=0)) == instant_key(right.replace(microsecond=0))
    return left == right


def _equal_lists(left: list[Value], right: list[Value], run: Run) -> bool:
    if len(left) != len(right):
        return False
    return all(same(one, other, run) for one, other in zip(left, right, strict=True))


def _equal_contexts(left: dict[str, Value], right: dict[str, Value], run: Run) -> bool:
    return left.keys() == right.keys() and all(same(value, right[key], run) for key, value in left.items())


def _equal_ranges(left: Range, right: Range, run: Run) -> bool:
    return (
        left.is_comparison is right.is_comparison
        and (left.start is None or left.start_included) == (right.start is None or right.start_included)
        and (left.end is None or left.end_included) == (right.end is None or right.end_included)
        and same(left.start, right.start, run)
        and same(left.end, right.end, run)
    )


def same(left: Value, right: Value, run: Run) -> bool:
    """Return whether two values are equal, taking different kinds as different: for looking things up."""
    try:
        return bool(equal(left, right, run))
    except Fault:
        return False


def compare(left: Value, right: Value) -> int:
    """Return -1, 0 or 1. Raises Fault for values without an order between them, null among them."""
    one = type(left)
    if one is not type(right) or one is bool or left is None:
        raise Fault(f"{kind(left)} and {kind(right)} have no order")
    if isinstance(left, (Decimal, str, timedelta, YearMonthDuration)):
        first = cast("Decimal", left)
        second = cast("Decimal", right)
        return (first > second) - (first < second)
    if isinstance(left, (date, time)) and isinstance(right, (date, time)):
        (bound, place), (other_bound, other_place) = instant_key(left), instant_key(right)
        if bound is not other_bound:
            raise Fault("a value with a time zone and one without have no order")
        return (place > other_place) - (place < other_place)
    raise Fault(f"values of kind {kind(left)} have no order")


def in_range(value: Value, interval: Range) -> bool:
    """Return whether a value lies in a range. Raises Fault when the value cannot be compared with its ends."""
    if interval.start is None and interval.end is None:
        raise Fault("the range has no ends")
    if not interval.is_comparison and (interval.start is None or interval.end is None):
        raise Fault("an end of the range is null")
    if interval.start is not None:
        order = compare(value, interval.start)
        if order < 0 or (order == 0 and not interval.start_included):
            return False
    if interval.end is not None:
        order = compare(value, interval.end)
        if order > 0 or (order == 0 and not interval.end_included):
            return False
    return True


def member(value: Value, choice: Value, run: Run) -> bool | None:
    """Return whether a value equals a choice, lies in it, or is one of it (DMN 1.5, table 55).

    Raises Fault when the two cannot be compared at all.
    """
    if isinstance(choice, Range):
        return None if value is None else in_range(value, choice)
    if isinstance(choice, list):
        return _in_list(value, choice, run)
    return equal(value, choice, run)


def _in_list(value: Value, choices: list[Value], run: Run) -> bool | None:
    if isinstance(value, list) and same(value, choices, run):
        return True
    for choice in choices:
        run.step()
        if isinstance(choice, Range) and value is not None:
            try:
                if in_range(value, choice):
                    return True
            except Fault:
                continue
        elif same(value, choice, run):
            return True
    return False


#: Whether an order satisfies an operator.
ORDERS: Mapping[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}
