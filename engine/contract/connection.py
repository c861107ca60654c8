"""How to reach a business system, and how it recognises a repeated request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Protocol, TypeVar, cast


class RepeatRecognition(StrEnum):
    """How the system behind a connection tells a repeated request from a new one."""

    #: It takes an idempotency key and answers a repeat with the first answer.
    NATIVE_KEY = "native_key"
    #: It refuses a second document with the same value of a unique field.
    UNIQUE_FIELD = "unique_field"
    #: It recognises nothing; we can only search before a repeat.
    SEARCH_ONLY = "search_only"


class Closable(Protocol):
    """Something that holds sockets or the like until it is closed."""

    def close(self) -> None:
        """Give back what it holds."""
        ...


Kept = TypeVar("Kept", bound=Closable)


class KeptOpen:
    """What adapters keep open between calls over one connection, such as a pool of sockets.

    It lives as long as its connection and closes what it keeps when the connection is dropped.
    """

    def __init__(self) -> None:
        self._kept: dict[type[Closable], Closable] = {}

    def of(self, kind: type[Kept], build: Callable[[], Kept]) -> Kept:
        """Return the one object of this kind, building it when there is none.

        Two threads may both build; one object is kept, and the other, still unused, is closed.
        """
        kept = self._kept.get(kind)
        if kept is None:
            built = build()
            kept = self._kept.setdefault(kind, built)
            if kept is not built:
                built.close()
        return cast(Kept, kept)

    def close(self) -> None:
        """Close everything that is kept; the next use opens it anew."""
        while self._kept:
            self._kept.popitem()[1].close()

    def __del__(self) -> None:
        self.close()


@dataclass(frozen=True, kw_only=True)
class Connection:
    """One configured business system.

    Attributes
    ----------
    system
        The name that operations declare, for example ``erp``.
    base_url
        Root of its HTTP interface, without a trailing slash.
    token
        Secret for signing in; never shown, logged or stored.
    recognition
        How it recognises a repeat.
    search_is_complete
        For ``SEARCH_ONLY``: whether its search shows every document at once, so that "not found" means "not there".
    concurrency
        How many calls may run at the same time over all workers.
    rate_per_second
        How many calls may start per second over all workers; None for no limit.
    refusals
        HTTP status codes of 500 and above with which the system promises that it has done nothing. Empty for a
        system that promises nothing: after such an answer to a write its outcome is looked up.
    kept_open
        What adapters keep open between calls; ``kept_open.close()`` at the end of the process.
    """

    system: str
    base_url: str
    token: str = field(repr=False)
    recognition: RepeatRecognition
    search_is_complete: bool = False
    concurrency: int = 8
    rate_per_second: float | None = None
    connect_timeout: timedelta = timedelta(seconds=3)
    refusals: frozenset[int] = frozenset()
    kept_open: KeptOpen = field(default_factory=KeptOpen, init=False, repr=False, compare=False)
