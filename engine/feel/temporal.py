"""Dates, times and durations: reading and writing them (DMN 1.5, 10.3.2.3.4 to 10.3.2.3.8; ISO 8601)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.feel.errors import Fault
from engine.feel.values import Value, YearMonthDuration

_DATE = re.compile(r"(-?[1-9]\d{3,8}|-?0\d{3})-(\d\d)-(\d\d)", re.ASCII)
_TIME = re.compile(
    r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:(Z)|([-+])(\d\d):(\d\d)(?::(\d\d))?|@([A-Za-z0-9_+\-/]{1,64}))?", re.ASCII
)
_DAY_TIME = re.compile(r"(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?", re.ASCII)
_YEAR_MONTH = re.compile(r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?", re.ASCII)

#: Offsets of a zone that a time without a date names are taken on this day.
_REFERENCE_DAY = date(1970, 1, 1)
_DURATION_DIGITS = 18


def parse_date(text: str) -> date:
    """Return the date that a text spells as ``YYYY-MM-DD``. Raises Fault when there is no such day."""
    match = _DATE.fullmatch(text)
    if match is None:
        raise Fault(f"{text[:60]!r} is not a date like 2026-01-31")
    year, month, day = (int(part) for part in match.groups())
    return build_date(year, month, day)


def build_date(year: int, month: int, day: int) -> date:
    """Return a date. Raises Fault when there is no such day, or it lies outside the years 1 to 9999."""
    try:
        return date(year, month, day)
    except (ValueError, OverflowError):
        raise Fault(f"there is no day {year:04}-{month:02}-{day:02}") from None


def parse_time(text: str) -> time:
    """Return the time of day in ``hh:mm:ss`` with an optional fraction and offset or zone. Raises Fault."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise Fault(f"{text[:60]!r} is not a time like 08:30:00")
    hour, minute, second = (int(match[index]) for index in (1, 2, 3))
    microsecond = int((match[4] or "0")[:6].ljust(6, "0"))
    try:
        return time(hour, minute, second, microsecond, tzinfo=_zone(match))
    except ValueError:
        raise Fault(f"there is no time {text[:60]}") from None


def _zone(match: re.Match[str]) -> tzinfo | None:
    if match[5]:
        return UTC
    if match[6]:
        offset = timedelta(hours=int(match[7]), minutes=int(match[8]), seconds=int(match[9] or 0))
        return build_offset(-offset if match[6] == "-" else offset)
    return named_zone(match[10]) if match[10] else None


def build_offset(offset: timedelta) -> tzinfo:
    """Return a fixed offset from UTC. Raises Fault beyond 14 hours (ISO 8601, XML Schema 3.2.7)."""
    if abs(offset) > timedelta(hours=14):
        raise Fault("an offset from UTC has at most 14 hours")
    return timezone(offset)


def named_zone(name: str) -> tzinfo:
    """Return a zone of the IANA database. Raises Fault for an unknown name."""
    if ".." in name or name.startswith("/"):
        raise Fault(f"there is no time zone {name!r}")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Fault(f"there is no time zone {name!r}") from None


def parse_date_and_time(text: str) -> datetime:
    """Return the date and time in ``<date>T<time>``; a date alone is its midnight.

    Raises Fault. Hour 24 is the midnight that ends the day (ISO 8601).
    """
    day, separator, rest = text.partition("T")
    if not separator:
        return datetime.combine(parse_date(day), time())
    if not rest.startswith("24:00:00"):
        return datetime.combine(parse_date(day), parse_time(rest))
    return datetime.combine(parse_date(day), parse_time(f"00{rest[2:]}")) + timedelta(days=1)


def parse_duration(text: str) -> timedelta | YearMonthDuration:
    """Return the duration that a text spells, of one kind or the other. Raises Fault."""
    match = _YEAR_MONTH.fullmatch(text)
    if match and (match[2] or match[3]):
        if max(len(match[2] or ""), len(match[3] or "")) > _DURATION_DIGITS:
            raise Fault(f"the duration {text[:60]} is too long")
        months = int(match[2] or 0) * 12 + int(match[3] or 0)
        return YearMonthDuration(-months if match[1] else months)
    match = _DAY_TIME.fullmatch(text)
    if match is None or text.endswith("T") or not any(match.group(2, 3, 4, 5)):
        raise Fault(f"{text[:60]!r} is not a duration like P1DT2H or P1Y2M")
    if any(len(part or "") > _DURATION_DIGITS for part in match.group(2, 3, 4, 5)):
        raise Fault(f"the duration {text[:60]} is too long")
    days, hours, minutes, seconds = (int(part or 0) for part in match.group(2, 3, 4, 5))
    microseconds = int((match[6] or "0")[:6].ljust(6, "0"))
    try:
        duration = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds, microseconds=microseconds)
    except OverflowError:
        raise Fault(f"the duration {text[:60]} is too long") from None
    return -duration if match[1] else duration


def parse_at_literal(text: str) -> Value:
    """Return the value of ``@"..."``: a date, a time, a date and time or a duration. Raises Fault for anything else."""
    if text.lstrip("-").startswith("P"):
        return parse_duration(text)
    if "T" in text:
        return parse_date_and_time(text)
    return parse_time(text) if text[2:3] == ":" else parse_date(text)


def offset_of(value: time | datetime) -> timedelta | None:
    """Return the offset from UTC, None for a local value; a zone without a date counts as on 1970-01-01."""
    if isinstance(value, datetime) or value.tzinfo is None:
        return value.utcoffset()
    return datetime.combine(_REFERENCE_DAY, value).utcoffset()


def zone_name(value: time | datetime) -> str | None:
    """Return the name of the IANA zone that a value carries, None when it has only an offset or nothing."""
    return value.tzinfo.key if isinstance(value.tzinfo, ZoneInfo) else None


def _zone_text(value: time | datetime) -> str:
    if isinstance(value.tzinfo, ZoneInfo):
        return f"@{value.tzinfo.key}"
    offset = value.utcoffset()
    if offset is None:
        return ""
    if not offset:
        return "Z"
    sign, seconds = ("-", -offset.total_seconds()) if offset < timedelta() else ("+", offset.total_seconds())
    hours, rest = divmod(int(seconds), 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{sign}{hours:02}:{minutes:02}" + (f":{seconds:02}" if seconds else "")


def time_text(value: time) -> str:
    """Return a time of day as FEEL writes it."""
    fraction = f".{value.microsecond:06}".rstrip("0") if value.microsecond else ""
    return f"{value.hour:02}:{value.minute:02}:{value.second:02}{fraction}{_zone_text(value)}"


def date_and_time_text(value: datetime) -> str:
    """Return a date and time as FEEL writes it."""
    clock = value.time().replace(tzinfo=None)
    return f"{value.date().isoformat()}T{time_text(clock)}{_zone_text(value)}"


def year_month_text(value: YearMonthDuration) -> str:
    """Return a years and months duration in ISO 8601, ``P0M`` for none."""
    years, months = divmod(abs(value.months), 12)
    text = (f"{years}Y" if years else "") + (f"{months}M" if months or not years else "")
    return ("-P" if value.months < 0 else "P") + text


def day_time_text(value: timedelta) -> str:
    """Return a days and time duration in ISO 8601, ``PT0S`` for none."""
    sign = "-" if value < timedelta() else ""
    value = abs(value)
    hours, rest = divmod(value.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    fraction = f".{value.microseconds:06}".rstrip("0") if value.microseconds else ""
    clock = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    clock += f"{seconds}{fraction}S" if seconds or fraction else ""
    days = f"{value.days}D" if value.days else ""
    if not days and not clock:
        return "PT0S"
    return f"{sign}P{days}" + (f"T{clock}" if clock else "")
