"""The stand-in company's clock: the machine's, moved so that the company starts on its first day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta


class Clock:
    """What time it is in the company. Real time goes on; only the distance to it can be moved."""

    def __init__(self, today: date | None = None) -> None:
        real = datetime.now(UTC)
        self._offset = timedelta(days=(today - real.date()).days) if today else timedelta(0)

    def now(self) -> datetime:
        """Return the company's instant, aware, UTC."""
        return datetime.now(UTC) + self._offset

    def today(self) -> date:
        """Return the company's day, in UTC."""
        return self.now().date()

    def move(self, distance: timedelta) -> None:
        """Go forward (or back) by ``distance``."""
        self._offset += distance
