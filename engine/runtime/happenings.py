"""Happenings as bytes: what was received is kept exactly, so that repair can apply it again (P15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

from engine.contract.origin import Origin
from engine.interpreter import messages
from engine.interpreter.messages import Happening
from engine.interpreter.values import Value
from engine.runtime.encoding import pack, unpack_mapping


@dataclass(frozen=True, kw_only=True)
class InstanceStarted:
    """An instance was started, and could not take its first steps."""

    start_element: str
    variables: Mapping[str, Value]
    origin: Origin
    source: str


Kept = Happening | InstanceStarted

_KINDS: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        messages.JobSucceeded,
        messages.JobFailed,
        messages.TaskCompleted,
        messages.TimerFired,
        messages.MessageReceived,
        messages.Continue,
        messages.CancelAll,
        messages.VariablesCorrected,
        messages.Restarted,
        InstanceStarted,
    )
}


def pack_happening(happening: Kept) -> bytes:
    """Return a happening as bytes."""
    held = {each.name: getattr(happening, each.name) for each in fields(happening)}
    return pack({"kind": type(happening).__name__, "fields": cast(Mapping[str, Value], held)})


def unpack_happening(content: bytes) -> Kept:
    """Return the happening that ``pack_happening`` made ``content`` from."""
    kept = unpack_mapping(content)
    held = dict(cast(Mapping[str, Any], kept["fields"]))
    if "origin" in held:
        held["origin"] = Origin(held["origin"])
    return cast(Kept, _KINDS[str(kept["kind"])](**held))


def wait_of(happening: Happening) -> str | None:
    """Return the wait that a happening ends; None when it concerns the whole instance."""
    return cast("str | None", getattr(happening, "wait_id", None))
