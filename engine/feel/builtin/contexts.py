"""Context functions and the functions that need a clock (DMN 1.5, 10.3.4.9 and 10.3.4.10)."""

from __future__ import annotations

from typing import cast

from engine.feel.builtin.registry import builtin
from engine.feel.errors import Fault
from engine.feel.run import Run
from engine.feel.values import Value


@builtin("get value", "m: context, key: string")
def get_value(run: Run, m: dict[str, Value], key: str) -> Value:
    """Return one entry. Raises Fault where there is none."""
    if key not in m:
        raise Fault(f"the context has no {key!r}")
    return m[key]


@builtin("get entries", "m: context")
def get_entries(run: Run, m: dict[str, Value]) -> Value:
    """Return a list of contexts with key and value."""
    return run.sized([{"key": key, "value": value} for key, value in m.items()])


@builtin("context", "entries: list")
def context(run: Run, entries: list[Value]) -> Value:
    """Return the context of entries with key and value. Raises Fault for other entries or a key given twice."""
    result: dict[str, Value] = {}
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("key"), str) or "value" not in entry:
            raise Fault("an entry is no context with key and value")
        key = cast("str", entry["key"])
        if key in result:
            raise Fault(f"two entries have the key {key!r}")
        result[key] = entry["value"]
    run.step(len(result))
    return result


@builtin("context put", "context: context, key: string, value: anything")
def context_put(run: Run, old: dict[str, Value], key: str, value: Value) -> Value:
    """Return the context with one entry set."""
    run.step(len(old))
    return {**old, key: value}


@builtin("context put", "context: context, keys: list, value: anything")
def context_put_nested(run: Run, old: dict[str, Value], keys: list[Value], value: Value) -> Value:
    """Return the context with an entry set inside it. Raises Fault for no keys or keys that are no strings."""
    return _put(run, old, keys, value)


def _put(run: Run, old: Value, path: list[Value], value: Value) -> Value:
    if not path or not isinstance(path[0], str):
        raise Fault("the keys are not a list of strings")
    if not isinstance(old, dict):
        raise Fault(f"there is no context to put {path[0]!r} into")
    run.step(len(old))
    inner = value if len(path) == 1 else _put(run, old.get(path[0], {}), path[1:], value)
    return {**old, path[0]: inner}


@builtin("context merge", "contexts: list")
def context_merge(run: Run, contexts: list[Value]) -> Value:
    """Return one context of all entries, later ones first. Raises Fault for what is no context."""
    result: dict[str, Value] = {}
    for part in contexts:
        if not isinstance(part, dict):
            raise Fault("the list holds more than contexts")
        run.step(len(part))
        result.update(part)
    return result


@builtin("now", "")
def now(run: Run) -> Value:
    """Return the instant of the evaluation. Raises Fault where the caller gives none."""
    if run.now is None:
        raise Fault("there is no clock here")
    return run.now


@builtin("today", "")
def today(run: Run) -> Value:
    """Return the day of the evaluation. Raises Fault where the caller gives none."""
    if run.now is None:
        raise Fault("there is no clock here")
    return run.now.date()


@builtin("is defined", "value: anything")
def is_defined(run: Run, value: Value) -> Value:
    """Return whether a value is there; a call in an expression also sees a null that is there."""
    return value is not None
