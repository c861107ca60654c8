"""Cursors of lists: where the next page goes on, checked when they come back."""

from __future__ import annotations

import re

from engine.runtime.errors import InvalidCursor

_ID = re.compile(r"[0-9a-f]{32}")
_TASK = re.compile(r"(-?\d{1,5})\.([0-9a-f]{32})")


def read_cursor(cursor: str) -> str:
    """Return the id that a cursor names. Raises InvalidCursor."""
    if _ID.fullmatch(cursor) is None:
        raise InvalidCursor
    return cursor


def task_cursor(priority: int, task_id: str) -> str:
    """Return the cursor after a task."""
    return f"{priority}.{task_id}"


def read_task_cursor(cursor: str) -> tuple[int, str]:
    """Return the priority and id of the task that a cursor stands after. Raises InvalidCursor."""
    found = _TASK.fullmatch(cursor)
    if found is None:
        raise InvalidCursor
    return int(found[1]), found[2]
