"""The values that process variables may hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

#: What a variable may hold: JSON's kinds plus exact numbers, dates, times and durations. Instants are aware.
Value = (
    None | bool | int | Decimal | str | date | datetime | time | timedelta | Sequence["Value"] | Mapping[str, "Value"]
)
