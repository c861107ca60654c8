"""Where a value came from: the difference between a suggestion and a fact (P10)."""

from __future__ import annotations

from enum import StrEnum


class Origin(StrEnum):
    """Who vouches for a value."""

    #: A business system stated it.
    SYSTEM = "system"
    #: A deterministic rule computed or accepted it.
    RULE = "rule"
    #: A person entered or accepted it.
    PERSON = "person"
    #: A model suggested it; nobody has accepted it yet.
    MODEL = "model"


def taint(*origins: Origin) -> Origin:
    """Return the origin of a value that was computed from values of these origins.

    A single suggestion makes the result a suggestion; otherwise the computation is a rule's.
    """
    return Origin.MODEL if Origin.MODEL in origins else Origin.RULE
