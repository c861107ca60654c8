"""Ids for everything: UUIDv7 (RFC 9562), each greater than the ones before it in this process."""

from __future__ import annotations

import uuid_utils


def new_id() -> str:
    """Return a new id: 32 lowercase hex digits."""
    return uuid_utils.uuid7().hex
