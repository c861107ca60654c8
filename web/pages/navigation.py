"""The places of the product that a reader may go to, for the rail; at most seven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import request, url_for

from engine.identity import Permission, SignedIn
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
    root: str
    label: Callable[[], str]
    permissions: tuple[Permission, ...]


_ENTRIES = (
    _Entry(
        name="inbox",
        endpoint="pages.inbox",
        root="/inbox",
        label=lambda: gettext("Inbox"),
        permissions=(Permission.DECIDE,),
    ),
    _Entry(
        name="start",
        endpoint="pages.start",
        root="/start",
        label=lambda: gettext("Start"),
        permissions=(Permission.START,),
    ),
    _Entry(
        name="work",
        endpoint="pages.work",
        root="/work",
        label=lambda: gettext("Work"),
        permissions=(Permission.READ_INSTANCES,),
    ),
    _Entry(
        name="processes",
        endpoint="pages.processes",
        root="/processes",
        label=lambda: gettext("Processes"),
        permissions=(Permission.READ_PROCESSES,),
    ),
    _Entry(
        name="administration",
        endpoint="pages.people",
        root="/people",
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
    return tuple(
        Place(
            name=each.name,
            label=each.label(),
            url=url_for(each.endpoint),
            count=counts.get(each.name, ""),
            is_current=request.path == each.root or request.path.startswith(each.root + "/"),
        )
        for each in _ENTRIES
        if _may(reader, each)
    )


def home_of(reader: SignedIn) -> str:
    """Return the address that somebody comes to after signing in: the first place that is theirs."""
    return next((url_for(each.endpoint) for each in _ENTRIES if _may(reader, each)), url_for("pages.me"))
