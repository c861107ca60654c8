"""Moments as people say them: how long ago, and exactly when, in the zone of the installation."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import cast
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime, format_timedelta
from flask import Flask, current_app

from web.texts.language import current_language, gettext

#: Under this, something happened "just now".
_JUST_NOW = timedelta(seconds=45)
#: From this on, a date says more than a number of days.
_LONG_AGO = timedelta(days=30)
_ZONE = "PAGE_ZONE"


def zone() -> ZoneInfo:
    """Return the zone in which pages write exact times."""
    return ZoneInfo(cast("str", current_app.config[_ZONE]))


def set_zone(application: Flask, name: str) -> None:
    """Let pages write exact times in a zone (IANA name)."""
    application.config[_ZONE] = name


def ago(moment: datetime, now: datetime | None = None) -> str:
    """Return how far a moment lies from now: "3 minutes ago", "in 2 days"; a date when it is far."""
    distance = moment - (now or datetime.now(UTC))
    if abs(distance) < _JUST_NOW:
        return gettext("just now")
    if abs(distance) > _LONG_AGO:
        return format_date(moment.astimezone(zone()), format="medium", locale=current_language())
    return format_timedelta(distance, add_direction=True, locale=current_language())


def lasting(duration: timedelta) -> str:
    """Return a duration in words: "3 minutes"."""
    if duration < timedelta(seconds=1):
        return gettext("less than a second")
    return format_timedelta(duration, locale=current_language())


def exact(moment: datetime) -> str:
    """Return a moment with date, time and zone."""
    local = moment.astimezone(zone())
    text = format_datetime(local, format="medium", locale=current_language())
    return f"{text} {local.tzname() or ''}".strip()


def day(value: date) -> str:
    """Return a date."""
    return format_date(value, format="medium", locale=current_language())
