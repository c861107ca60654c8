"""Types as expressions name them, and whether a value conforms to one (DMN 1.5, 10.3.2.9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from engine.feel.values import Function, Range, Value, kind

#: What the standard calls the types without parts; the left side is compared without regard to case of ``Any``.
SIMPLE = frozenset(
    {
        "Any",
        "Null",
        "boolean",
        "context",
        "date",
        "date and time",
        "days and time duration",
        "function",
        "list",
        "number",
        "range",
        "string",
        "time",
        "years and months duration",
    }
)

#: Other spellings, of DMN 1.1 files and of the types' QNames.
_ALIASES = {
    "any": "Any",
    "null": "Null",
    "dateTime": "date and time",
    "dayTimeDuration": "days and time duration",
    "yearMonthDuration": "years and months duration",
}


@dataclass(frozen=True, slots=True)
class Type:
    """A type: ``item`` of a list or a range, ``entries`` of a context; ``name`` alone for the others."""

    name: str
    item: Type | None = None
    entries: tuple[tuple[str, Type], ...] = ()


ANY = Type("Any")


def simple_type(name: str) -> Type:
    """Return the type that a name stands for; a name that is none of the language's stays as it is."""
    return Type(_ALIASES.get(name, name))


def conforms(value: Value, wanted: Type) -> bool | None:
    """Return whether a value is of a type; None for a type that is not known here.

    Null is an instance of ``Null`` only.
    """
    if wanted.name == "Any":
        return value is not None
    if wanted.name not in SIMPLE:
        return None
    found = kind(value)
    if wanted.name == "Null" or found == "null":
        return wanted.name == "Null" and found == "null"
    if found != wanted.name:
        return False
    return _parts_conform(value, wanted)


def _parts_conform(value: Value, wanted: Type) -> bool | None:
    if isinstance(value, list) and wanted.item is not None:
        item = wanted.item
        return all(entry is None or conforms(entry, item) for entry in value)
    if isinstance(value, Range) and wanted.item is not None:
        return any(end is not None and conforms(end, wanted.item) for end in (value.start, value.end))
    if isinstance(value, Mapping):
        context = cast("Mapping[str, Value]", value)
        return all(
            name in context and (context[name] is None or conforms(context[name], entry))
            for name, entry in wanted.entries
        )
    if isinstance(value, Function):
        return len(wanted.entries) in (0, len(value.parameters))
    return True
