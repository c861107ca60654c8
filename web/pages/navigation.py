"""The places of the product that a reader may go to, for the rail; at most seven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import request, url_for

from engine.identity import Permission, SignedIn
from engine.runtime.queue_view import MOST_INCIDENTS, MOST_TASKS
from engine.runtime.views import WaitingView
from web.texts.language import gettext


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place of the rail. ``count`` is what waits there, as shown; empty for nothing."""

    name: str
    label: str
    url: str
    count: str = ""
    is_current: bool = False


@dataclass(frozen=True, kw_only=True)
class _Entry:
    name: str
    endpoint: str
    roots: tuple[str, ...]
    label: Callable[[], str]
    permissions: tuple[Permission, ...]


_ENTRIES = (
    _Entry(
        name="inbox",
        endpoint="pages.inbox",
        roots=("/inbox", "/tasks"),
        label=lambda: gettext("Inbox"),
        permissions=(Permission.DECIDE,),
    ),
    _Entry(
        name="start",
        endpoint="pages.start",
        roots=("/start",),
        label=lambda: gettext("Start"),
        permissions=(Permission.START,),
    ),
    _Entry(
        name="work",
        endpoint="pages.work",
        roots=("/work",),
        label=lambda: gettext("Work"),
        permissions=(Permission.READ_INSTANCES,),
    ),
    _Entry(
        name="incidents",
        endpoint="pages.incidents",
        roots=("/work/incidents",),
        label=lambda: gettext("For an operator"),
        permissions=(Permission.REPAIR,),
    ),
    _Entry(
        name="processes",
        endpoint="pages.processes",
        roots=("/processes",),
        label=lambda: gettext("Processes"),
        permissions=(Permission.READ_PROCESSES,),
    ),
    _Entry(
        name="administration",
        endpoint="pages.people",
        roots=("/people",),
        label=lambda: gettext("Administration"),
        permissions=(Permission.MANAGE_PEOPLE, Permission.MANAGE_TOKENS),
    ),
)


def _may(reader: SignedIn, entry: _Entry) -> bool:
    return any(each in reader.actor.permissions for each in entry.permissions)


def places(reader: SignedIn | None, counts: dict[str, str]) -> tuple[Place, ...]:
    """Return where the reader may go; ``counts`` by the name of the place."""
    if reader is None:
        return ()
    current = _current_root()
    return tuple(
        Place(
            name=each.name,
            label=each.label(),
            url=url_for(each.endpoint),
            count=counts.get(each.name, ""),
            is_current=current in each.roots,
        )
        for each in _ENTRIES
        if _may(reader, each)
    )


def _current_root() -> str:
    """Return the root that the address stands below; of two, the longer one."""
    roots = (root for each in _ENTRIES for root in each.roots)
    below = (root for root in roots if request.path == root or request.path.startswith(root + "/"))
    return max(below, key=len, default="")


def counts_of(waiting: WaitingView) -> dict[str, str]:
    """Return what waits at which place, as the rail shows it."""
    shown = {
        "inbox": _count(waiting.tasks, MOST_TASKS),
        "incidents": _count(waiting.incidents, MOST_INCIDENTS),
    }
    return {name: text for name, text in shown.items() if text}


def _count(number: int, most: int) -> str:
    return f"{most - 1}+" if number >= most else str(number or "")


def home_of(reader: SignedIn) -> str:
    """Return the address that somebody comes to after signing in: the first place that is theirs."""
    return next((url_for(each.endpoint) for each in _ENTRIES if _may(reader, each)), url_for("pages.me"))
