"""Days on which the company works, as far as a rule has to count them."""

from __future__ import annotations

from datetime import datetime, timedelta

#: Monday to Friday, as ``date.isoweekday`` counts.
WORKING_DAYS = frozenset({1, 2, 3, 4, 5})


def after_working_days(instant: datetime, count: int) -> datetime:
    """Return the same time of day ``count`` working days later.

    Holidays are not known here: a rule that counts them as working days ends an approval too early, never too late.
    """
    moment = instant
    while count > 0:
        moment += timedelta(days=1)
        if moment.isoweekday() in WORKING_DAYS:
            count -= 1
    return moment
