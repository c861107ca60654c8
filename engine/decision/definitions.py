"""A read DMN file, ready to decide."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DecisionModel:
    """The decisions of one DMN file.

    ``path`` is the file's name inside its process folder; ``names`` holds the ids and the names of its decisions.
    """

    path: str
    names: frozenset[str]
