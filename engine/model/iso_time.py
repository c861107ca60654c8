"""ISO 8601 durations and instants as drawings and settings hold them.

Durations follow ISO 8601:2004, 4.4.3.2 (``PnYnMnDTnHnMnS`` or ``PnW``). Years and months have no fixed length and are
refused: a due date would depend on the day it is computed. Fractions are allowed for seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

_DURATION = re.compile(
    r"P(?:(?P<weeks>\d{1,4})W|(?:(?P<days>\d{1,5})D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d{1,6})H)?(?:(?P<minutes>\d{1,8})M)?(?:(?P<seconds>\d{1,10}(?:\.\d{1,6})?)S)?)?)"
)
_CALENDAR_PARTS = re.compile(r"P(?=\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T.*)?")


class NotATime(ValueError):
    """This is not an ISO 8601 duration or instant that can be used. Write PT8H, P5D or 2026-03-01T08:00Z, say."""


@dataclass(frozen=True, kw_only=True)
class Duration:
    """A duration of whole days and a rest below: the two are counted apart in working time."""

    days: int = 0
    rest: timedelta = timedelta()

    @property
    def total(self) -> timedelta:
        """The plain length, a day being 24 hours."""
        return timedelta(days=self.days) + self.rest


def parse_duration(text: str) -> Duration:
    """Read a duration without sign, years or months.

    Raises
    ------
    NotATime
        When it is none; the text says what to write instead.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groupdict().values()):
        if _CALENDAR_PARTS.fullmatch(text.strip()):
            raise NotATime(f"{text!r} counts years or months, which have no fixed length. Count days or weeks.")
        raise NotATime(f"{text!r} is no ISO 8601 duration. Write for example PT30M, PT8H, P5D or P2W.")
    parts = {name: value or "0" for name, value in found.groupdict().items()}
    rest = timedelta(hours=int(parts["hours"]), minutes=int(parts["minutes"]), seconds=float(parts["seconds"]))
    return Duration(days=int(parts["days"]) + 7 * int(parts["weeks"]), rest=rest)


def parse_instant(text: str) -> datetime:
    """Read a point in time with its zone offset.

    Raises
    ------
    NotATime
        When it is none, or says no zone: it would mean the server's.
    """
    try:
        instant = datetime.fromisoformat(text.strip())
    except ValueError:
        raise NotATime(f"{text!r} is no ISO 8601 point in time. Write for example 2026-03-01T08:00:00+08:00.") from None
    if instant.utcoffset() is None:
        raise NotATime(f"{text!r} names no time zone. Add Z or an offset such as +08:00.")
    return instant
