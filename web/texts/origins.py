"""Who vouches for what is shown: systems by their names, and the engine behind a suggestion."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from engine.interpreter.values import Value
from engine.runtime.views import FactSource
from web.texts.language import gettext

#: Rooms of operations that are business systems.
_SYSTEMS = {"erp": "ERP", "wms": "WMS", "mes": "MES"}


def source_names(sources: Mapping[str, FactSource]) -> Mapping[str, tuple[str, datetime]]:
    """Return, by variable, the system that stated it and as of when; what has no such instant is left out."""
    return {name: (system_name(each.source), each.as_of) for name, each in sources.items() if each.as_of is not None}


def system_name(source: str) -> str:
    """Return what to call the source of a value: a system by the prefix of its operation."""
    prefix = source.partition(".")[0].partition("_")[0]
    return _SYSTEMS.get(prefix) or {"stock": "WMS", "demand": "MES", "supply": "ERP"}.get(source, source)


def engine_of(suggestions: Mapping[str, Value]) -> str:
    """Return which engine suggested, with its version."""
    for value in suggestions.values():
        if isinstance(value, Mapping):
            engine = value.get("engine")
            version = value.get("version") or value.get("engine_version")
            if isinstance(engine, str):
                return f"{engine} {version}" if version else engine
    return gettext("an engine that did not name itself")
