"""How to reach a business system, and how it recognises a repeated request."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum


class RepeatRecognition(StrEnum):
    """How the system behind a connection tells a repeated request from a new one."""

    #: It takes an idempotency key and answers a repeat with the first answer.
    NATIVE_KEY = "native_key"
    #: It refuses a second document with the same value of a unique field.
    UNIQUE_FIELD = "unique_field"
    #: It recognises nothing; we can only search before a repeat.
    SEARCH_ONLY = "search_only"


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
    """

    system: str
    base_url: str
    token: str = field(repr=False)
    recognition: RepeatRecognition
    search_is_complete: bool = False
    concurrency: int = 8
    rate_per_second: float | None = None
    connect_timeout: timedelta = timedelta(seconds=3)
