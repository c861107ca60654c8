"""What a task shows: facts and suggestions apart (W19), where they come from, and how a decision keeps them (W24)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import zstandard

from engine.contract.origin import Origin
from engine.interpreter.values import Value
from engine.runtime.advance import Loaded
from engine.runtime.cause import Parameters
from engine.runtime.encoding import unpack_mapping
from engine.runtime.rooms import Rooms
from engine.runtime.views import FactSource
from engine.store.approvals import ApprovalRow
from engine.store.tasks import TaskRow

#: Under this name an answer of a system says at what instant it was right.
_AS_OF = "as_of"
#: More than a task ever shows.
_LARGEST = 64_000_000


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a task shows. ``sources`` tells of each variable who vouches for it, and when."""

    facts: Mapping[str, Value] = field(default_factory=dict[str, Value])
    suggestions: Mapping[str, Value] = field(default_factory=dict[str, Value])
    sources: Mapping[str, FactSource] = field(default_factory=dict[str, FactSource])


def shown_by(rooms: Rooms, loaded: Loaded, task: TaskRow) -> Shown:
    """Return what an open task shows."""
    values = unpack_mapping(task.shown)
    origins = rooms.interpreter.origins(loaded.deployed.definition, loaded.instance.state)
    suggested = {name for name, (origin, _) in origins.items() if origin is Origin.MODEL}
    sources = {
        name: FactSource(origin=origins[name][0].value, source=origins[name][1], as_of=_as_of(value))
        for name, value in values.items()
        if name in origins
    }
    return _apart(values, suggested, sources)


def kept_shown(rooms: Rooms, loaded: Loaded, task: TaskRow) -> Parameters:
    """Return the columns in which a decision keeps what the person saw."""
    origins = rooms.interpreter.origins(loaded.deployed.definition, loaded.instance.state)
    return {
        "shown": zstandard.ZstdCompressor().compress(task.shown),
        "suggested": sorted(name for name, (origin, _) in origins.items() if origin is Origin.MODEL),
    }


def shown_before(approval: ApprovalRow) -> Shown:
    """Return what a task showed when it was decided; nothing for decisions that kept nothing."""
    if approval.shown is None:
        return Shown()
    content = zstandard.ZstdDecompressor().decompress(approval.shown, max_output_size=_LARGEST)
    values = unpack_mapping(content)
    sources = {
        name: FactSource(origin="", source=name, as_of=as_of)
        for name, value in values.items()
        if (as_of := _as_of(value)) is not None
    }
    return _apart(values, set(approval.suggested or ()), sources)


def _apart(values: Mapping[str, Value], suggested: set[str], sources: Mapping[str, FactSource]) -> Shown:
    return Shown(
        facts={name: value for name, value in values.items() if name not in suggested},
        suggestions={name: value for name, value in values.items() if name in suggested},
        sources=sources,
    )


def _as_of(value: Value) -> datetime | None:
    as_of = value.get(_AS_OF) if isinstance(value, Mapping) else None
    return as_of if isinstance(as_of, datetime) else None
