"""Bounds of the runtime's commands."""

from __future__ import annotations

from datetime import timedelta

#: Leases of one job that may run out before it is parked: an operation that kills its worker stops here (F12).
LOST_LIMIT = 5
#: Rows of one kind that one view of an instance shows.
MOST_ROWS = 500
#: Rows of one page of a list.
MOST_LISTED = 200
#: How long a publisher may take for one message before another may try.
OUTBOX_LEASE = timedelta(seconds=30)
