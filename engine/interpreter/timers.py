"""When timers are due (BPMN 2.0.2, 10.5.5.3): ISO 8601 literals or FEEL values, in plain or in working time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from engine.interpreter.failures import ExpressionFailed
from engine.interpreter.values import Value
from engine.model.calendar import add_working_time
from engine.model.graph import TimerEvent, TimerKind
from engine.model.iso_time import Duration, NotATime, parse_duration, parse_instant
from engine.model.settings import Calendar

_CYCLE = re.compile(r"R(?P<count>\d*)/(?:(?P<start>[^/P][^/]*)/)?(?P<every>P[^/]*)")

#: A cycle without a count goes on without end.
WITHOUT_END = -1


@dataclass(frozen=True, kw_only=True)
class Due:
    """``at`` is in UTC; ``repeats`` says how many more times, ``WITHOUT_END`` for ever."""

    at: datetime
    repeats: int = 0


def first_due(event: TimerEvent, value: Value, *, now: datetime, calendar: Calendar) -> Due:
    """Return when a timer first falls due.

    Parameters
    ----------
    value
        The literal of the drawing, or what its expression gave: a moment, a duration, or either as ISO 8601 text.

    Raises
    ------
    ExpressionFailed
        When the value is none of these.
    """
    try:
        if event.kind is TimerKind.CYCLE:
            return _first_of_cycle(_text(value), event, now, calendar)
        if event.kind is TimerKind.DATE:
            return Due(at=_moment(value))
        return Due(at=_after(now, _duration(value), event, calendar))
    except (NotATime, OverflowError) as wrong:
        raise ExpressionFailed(str(wrong)) from None


def next_due(event: TimerEvent, value: Value, *, last: datetime, repeats: int, calendar: Calendar) -> Due | None:
    """Return the occurrence of a cycle after ``last``, or None when that was its end. Raises ExpressionFailed."""
    if event.kind is not TimerKind.CYCLE or repeats == 0:
        return None
    try:
        every = _cycle(_text(value))["every"]
        at = _after(last, parse_duration(every), event, calendar)
    except (NotATime, OverflowError) as wrong:
        raise ExpressionFailed(str(wrong)) from None
    return Due(at=at, repeats=repeats if repeats == WITHOUT_END else repeats - 1)


def _first_of_cycle(text: str, event: TimerEvent, now: datetime, calendar: Calendar) -> Due:
    parts = _cycle(text)
    repeats = int(parts["count"]) - 1 if parts["count"] else WITHOUT_END
    if repeats < WITHOUT_END or parts["count"] == "0":
        raise NotATime(f"{text!r} repeats no time at all.")
    if parts["start"]:
        return Due(at=parse_instant(parts["start"]).astimezone(UTC), repeats=repeats)
    return Due(at=_after(now, parse_duration(parts["every"]), event, calendar), repeats=repeats)


def _cycle(text: str) -> dict[str, str]:
    found = _CYCLE.fullmatch(text.strip())
    if found is None:
        raise NotATime(f"{text!r} is no repeated interval. Write for example R3/PT10M.")
    return {name: part or "" for name, part in found.groupdict().items()}


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    raise NotATime(f"A repeated interval is a text such as R3/PT10M, not {type(value).__name__}.")


def _moment(value: Value) -> datetime:
    if isinstance(value, str):
        value = parse_instant(value)
    if not isinstance(value, datetime):
        raise NotATime(f"A timer date is a moment in time, not {type(value).__name__}.")
    if value.utcoffset() is None:
        raise NotATime(f"The moment {value.isoformat()} names no time zone.")
    return value.astimezone(UTC)


def _duration(value: Value) -> Duration:
    if isinstance(value, str):
        return parse_duration(value)
    if not isinstance(value, timedelta):
        raise NotATime(f"A timer duration is a duration of days and time, not {type(value).__name__}.")
    if value < timedelta(0):
        raise NotATime("A timer duration must not be negative.")
    return Duration(days=value.days, rest=value - timedelta(days=value.days))


def _after(start: datetime, duration: Duration, event: TimerEvent, calendar: Calendar) -> datetime:
    if event.in_working_time:
        return add_working_time(start, duration, calendar).astimezone(UTC)
    return (start + duration.total).astimezone(UTC)
