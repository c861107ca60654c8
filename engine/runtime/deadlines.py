"""When a task is due, reminds and escalates: durations from its opening, in working time where drawn so."""

from __future__ import annotations

from datetime import datetime

from engine.model.calendar import add_time
from engine.model.graph import WorkingTime
from engine.model.settings import Calendar


def deadline(drawn: WorkingTime | None, calendar: Calendar, opened_at: datetime) -> datetime | None:
    """Return the instant, UTC; None where nothing is drawn."""
    if drawn is None:
        return None
    return add_time(opened_at, drawn.duration, calendar if drawn.is_working else None)
