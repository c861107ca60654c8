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

# --- how long what no instance owns is kept (P12) ----------------------------------------------------------------

#: How long after an event, a decision or a request a repeat of it gets the first answer. Senders must not repeat later:
#: a repeat is then new, and only the business key, which stays with the instance, still finds what the first began.
REPEAT_PERIOD = timedelta(days=90)
#: How long a message that nobody waits for is kept for somebody who will.
EARLY_MESSAGE_PERIOD = timedelta(days=90)
#: How long a message is kept after it was sent.
SENT_PERIOD = timedelta(days=30)
#: How long ended sessions and failed sign-ins are kept.
SIGN_IN_PERIOD = timedelta(days=1)
