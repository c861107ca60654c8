"""Variables, paths and the properties of values (DMN 1.5, 10.3.2.5 and table 65)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from engine.feel import temporal
from engine.feel.building import Evaluate, Place, build
from engine.feel.builtin.registry import BUILTINS
from engine.feel.run import Run
from engine.feel.tree import Literal, Name, Path
from engine.feel.values import Range, Value, YearMonthDuration, kind

#: Values of these classes need no conversion when they are read.
_PLAIN = frozenset({str, bool, date, datetime, time, timedelta, YearMonthDuration})


class _Missing:
    """Stands for a variable that the scope does not have."""


_MISSING = cast("Value", _Missing())


@build.register
def build_literal(node: Literal, place: Place) -> Evaluate:
    """A literal gives its value; one that does not exist gives null and says why."""
    value, fault, position = node.value, node.fault, node.position
    if fault is None:
        return lambda run: value
    return lambda run: run.null(position, fault)


@build.register
def build_name(node: Name, place: Place) -> Evaluate:
    """A name is the innermost binding that has it, then a variable of the scope, then a built-in function."""
    return _name(node, place, node.name)


def _name(node: Name, place: Place, path: str) -> Evaluate:
    """Return how a name is read; ``path`` is what is recorded as read when it is a variable of the scope."""
    name, analysis = node.name, place.analysis
    open_slots: list[int] = []
    for bound in reversed(place.bindings):
        if name in bound.names:
            analysis.tested_reads += name == "?"
            if bound.is_open:
                open_slots.append(bound.slot)
            return _property_first(name, open_slots, _bound_value(name, bound.slot, is_entry=bound.is_context))
        if bound.is_open:
            open_slots.append(bound.slot)
    if name in analysis.known or (name not in BUILTINS and not open_slots):
        analysis.paths.add(path)
    elif name not in BUILTINS:
        analysis.possible_paths.add(path)
    return _property_first(name, open_slots, _variable(name, node.position))


def _bound_value(name: str, slot: int, *, is_entry: bool) -> Evaluate:
    if not is_entry:
        return lambda run: run.slots[slot]
    return lambda run: cast("dict[str, Value]", run.slots[slot]).get(name)


def _property_first(name: str, open_slots: list[int], otherwise: Evaluate) -> Evaluate:
    """Inside filters, a name is a property of the item where the item has it."""
    if not open_slots:
        return otherwise
    slots = tuple(open_slots)

    def read(run: Run) -> Value:
        for slot in slots:
            item = run.slots[slot]
            if type(item) is dict and name in item:
                return cast("dict[str, Value]", item)[name]
        return otherwise(run)

    return read


def _variable(name: str, position: int) -> Evaluate:
    function = BUILTINS.get(name)

    def read(run: Run) -> Value:
        value = run.scope.get(name, _MISSING)
        found = type(value)
        if found in _PLAIN or (found is Decimal and cast("Decimal", value).is_finite()):
            return value
        if value is _MISSING:
            return function.as_value() if function else run.null(position, f"there is no {name!r} here")
        return run.admit(name, value)

    return read


@build.register
def build_path(node: Path, place: Place) -> Evaluate:
    """A path of names from a variable is walked in the scope as given; any other is taken from its base's value."""
    names = [node.name]
    base = node.base
    while isinstance(base, Path):
        names.append(base.name)
        base = base.base
    if isinstance(base, Name) and _is_certainly_variable(base.name, place):
        names.append(base.name)
        names.reverse()
        place.analysis.paths.add(".".join(names))
        return _walk(tuple(names), node.position)
    if isinstance(base, Name) and not place.is_bound(base.name):
        names.append(base.name)
        names.reverse()
        first = _name(base, place, ".".join(names))
        rest, position = tuple(names[1:]), node.position
        return lambda run: _members(run, first(run), rest, position)
    return _member(build(node.base, place), node.name, node.position)


def _is_certainly_variable(name: str, place: Place) -> bool:
    is_free = not place.is_open() and not place.is_bound(name)
    return is_free and (name in place.analysis.known or name not in BUILTINS)


def _walk(names: tuple[str, ...], position: int) -> Evaluate:
    first, rest = names[0], names[1:]
    path = ".".join(names)

    def read(run: Run) -> Value:
        value = run.scope.get(first, _MISSING)
        if value is _MISSING:
            return run.null(position, f"there is no {first!r} here")
        for index, name in enumerate(rest):
            if isinstance(value, Mapping):
                value = value.get(name, _MISSING)
                if value is _MISSING:
                    return run.null(position, f"there is no {name!r} in {'.'.join(names[: index + 1])}")
            else:
                value = run.admit(".".join(names[: index + 1]), value)
                return _members(run, value, rest[index:], position)
        found = type(value)
        if found in _PLAIN or (found is Decimal and cast("Decimal", value).is_finite()):
            return value
        return run.admit(path, value)

    return read


def _members(run: Run, value: Value, names: tuple[str, ...], position: int) -> Value:
    for name in names:
        value = member(run, value, name, position)
    return value


def _member(base: Evaluate, name: str, position: int) -> Evaluate:
    return lambda run: member(run, base(run), name, position)


def member(run: Run, value: Value, name: str, position: int) -> Value:
    """Return an entry of a context, a property of a value, or the list of them for a list's items (10.3.2.5)."""
    if type(value) is dict:
        context = cast("dict[str, Value]", value)
        if name in context:
            return context[name]
        return run.null(position, f"the context has no {name!r}")
    if isinstance(value, list):
        return run.sized([member(run, item, name, position) for item in value])
    found = PROPERTIES.get((kind(value), name))
    if found is None:
        return run.null(position, f"{kind(value)} has no {name!r}")
    return found(value)


def _date_property(read: Callable[[date], int]) -> Callable[[Value], Value]:
    return lambda value: Decimal(read(cast("date", value)))


def _time_property(read: Callable[[datetime | time], Value]) -> Callable[[Value], Value]:
    return lambda value: read(cast("datetime", value))


def _duration_property(read: Callable[[timedelta], int]) -> Callable[[Value], Value]:
    def signed(value: Value) -> Value:
        duration = cast("timedelta", value)
        return Decimal(-read(-duration) if duration < timedelta() else read(duration))

    return signed


def _months_property(read: Callable[[int], int]) -> Callable[[Value], Value]:
    def signed(value: Value) -> Value:
        months = cast("YearMonthDuration", value).months
        return Decimal(-read(-months) if months < 0 else read(months))

    return signed


def _range_property(read: Callable[[Range], Value]) -> Callable[[Value], Value]:
    return lambda value: read(cast("Range", value))


_DATES = {
    "year": _date_property(lambda value: value.year),
    "month": _date_property(lambda value: value.month),
    "day": _date_property(lambda value: value.day),
    "weekday": _date_property(lambda value: value.isoweekday()),
}
_TIMES = {
    "hour": _time_property(lambda value: Decimal(value.hour)),
    "minute": _time_property(lambda value: Decimal(value.minute)),
    "second": _time_property(lambda value: Decimal(value.second)),
    "time offset": _time_property(temporal.offset_of),
    "timezone": _time_property(temporal.zone_name),
}
_DURATIONS = {
    "days": _duration_property(lambda value: value.days),
    "hours": _duration_property(lambda value: value.seconds // 3600),
    "minutes": _duration_property(lambda value: value.seconds // 60 % 60),
    "seconds": _duration_property(lambda value: value.seconds % 60),
}
_MONTHS = {
    "years": _months_property(lambda months: months // 12),
    "months": _months_property(lambda months: months % 12),
}
_RANGES = {
    "start": _range_property(lambda value: value.start),
    "end": _range_property(lambda value: value.end),
    "start included": _range_property(lambda value: value.start_included),
    "end included": _range_property(lambda value: value.end_included),
}

#: The properties of DMN 1.5, table 65, by kind and name.
PROPERTIES: Mapping[tuple[str, str], Callable[[Value], Value]] = {
    (of_kind, name): read
    for of_kind, properties in (
        ("date", _DATES),
        ("date and time", {**_DATES, **_TIMES}),
        ("time", _TIMES),
        ("days and time duration", _DURATIONS),
        ("years and months duration", _MONTHS),
        ("range", _RANGES),
    )
    for name, read in properties.items()
}
