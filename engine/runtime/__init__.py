"""The commands of the engine: start, decide, correlate, record, fire, cancel, repair - each one unit of work."""

from __future__ import annotations

from engine.runtime.api_requests import StoredAnswer
from engine.runtime.deploy import MissingOperation
from engine.runtime.facade import Runtime
from engine.runtime.fire import Done
from engine.runtime.instance_view import InstanceFilter
from engine.runtime.publish import OutgoingMessage
from engine.store import StoreBusy, StoreFull, StoreUnavailable, TextRefused

__all__ = [
    "Done",
    "InstanceFilter",
    "MissingOperation",
    "OutgoingMessage",
    "Runtime",
    "StoreBusy",
    "StoreFull",
    "StoreUnavailable",
    "StoredAnswer",
    "TextRefused",
]
