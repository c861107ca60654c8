"""Boxed expressions other than decision tables (DMN 1.5, 7.3.1 and 10.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, cast

from engine.decision.item_types import ItemType
from engine.decision.trace import Trace
from engine.feel import Expression, Function, Range, Run, Value, kind
from engine.feel.errors import Fault


class Logic(Protocol):
    """What gives a decision, a function or a part of one its value.

    ``paths`` are the variables it reads from its scope, as dotted paths.
    """

    @property
    def paths(self) -> frozenset[str]: ...

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value: ...


def outside(paths: frozenset[str], *bound: str) -> frozenset[str]:
    """Return the paths that do not begin with a bound name."""
    return frozenset(path for path in paths if not any(begins_with(path, name) for name in bound))


def begins_with(path: str, name: str) -> bool:
    """Return whether a path reads a variable or something inside it."""
    return path == name or path.startswith(f"{name}.")


def admitted(value: Value, wanted: ItemType, run: Run, what: str) -> Value:
    """Return a value as a type has it, null with a reason when it does not conform (10.3.2.9.4)."""
    try:
        return wanted.admit(value, run)
    except Fault as fault:
        return run.null(0, f"{what}: {fault}")


@dataclass(frozen=True, slots=True)
class LiteralLogic:
    """A literal expression."""

    expression: Expression

    @property
    def paths(self) -> frozenset[str]:
        """See :class:`Logic`."""
        return self.expression.paths

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return the value of the expression."""
        return self.expression.evaluate_in(trace.run, scope)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a boxed context; ``name`` is None for its result."""

    name: str | None
    type: ItemType
    logic: Logic


@dataclass(frozen=True, slots=True)
class ContextLogic:
    """A boxed context: entries that later ones may read, and the last one's value when it has no name."""

    entries: tuple[Entry, ...]

    @property
    def paths(self) -> frozenset[str]:
        """See :class:`Logic`."""
        read: set[str] = set()
        bound: list[str] = []
        for entry in self.entries:
            read |= outside(entry.logic.paths, *bound)
            if entry.name is not None:
                bound.append(entry.name)
        return frozenset(read)

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return the context of the named entries, or the value of the entry without a name."""
        inner, context = dict(scope), cast("dict[str, Value]", {})
        for entry in self.entries:
            value = admitted(entry.logic.evaluate(inner, trace), entry.type, trace.run, entry.name or "result")
            if entry.name is None:
                return value
            inner[entry.name] = context[entry.name] = value
        return context


@dataclass(frozen=True, slots=True)
class ListLogic:
    """A boxed list."""

    items: tuple[Logic, ...]

    @property
    def paths(self) -> frozenset[str]:
        """See :class:`Logic`."""
        return frozenset[str]().union(*(item.paths for item in self.items))

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return the list of the items' values."""
        return trace.run.sized([item.evaluate(scope, trace) for item in self.items])


@dataclass(frozen=True, slots=True)
class RelationLogic:
    """A relation: a list of contexts with the same entries."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Logic, ...], ...]

    @property
    def paths(self) -> frozenset[str]:
        """See :class:`Logic`."""
        return frozenset[str]().union(*(cell.paths for row in self.rows for cell in row))

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return one context per row."""
        rows: list[Value] = [
            {name: cell.evaluate(scope, trace) for name, cell in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]
        return trace.run.sized(rows)


@dataclass(frozen=True, slots=True)
class FunctionLogic:
    """A function definition: its value is a function that sees the variables around it."""

    name: str
    parameters: tuple[tuple[str, ItemType], ...]
    body: Logic
    result: ItemType

    @property
    def paths(self) -> frozenset[str]:
        """See :class:`Logic`."""
        return outside(self.body.paths, *(name for name, _ in self.parameters))

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return the function."""
        return self.function(scope, trace)

    def function(self, scope: Mapping[str, Value], trace: Trace) -> Function:
        """Return the function over the variables of a scope; the scope may be completed afterwards."""

        def call(run: Run, values: Sequence[Value], by_name: Mapping[str, Value] | None) -> Value:
            arguments = by_position(self.name, tuple(name for name, _ in self.parameters), values, by_name)
            inner = dict(scope)
            for (name, wanted), value in zip(self.parameters, arguments, strict=True):
                inner[name] = admitted(value, wanted, run, f"the argument {name} of {self.name}")
            run.step()
            with run.within(inner):
                return admitted(self.body.evaluate(inner, trace), self.result, run, f"the result of {self.name}")

        return Function(name=self.name, parameters=tuple(name for name, _ in self.parameters), call=call)


def by_position(
    function: str, names: tuple[str, ...], values: Sequence[Value], by_name: Mapping[str, Value] | None
) -> list[Value]:
    """Return arguments in the order of the parameters. Raises Fault when their number or names do not fit."""
    if by_name is not None:
        if set(by_name) != set(names):
            raise Fault(f"{function} takes {', '.join(names) or 'no arguments'}, not {', '.join(by_name)}")
        return [by_name[name] for name in names]
    if len(values) != len(names):
        raise Fault(f"{function} takes {len(names)} arguments, not {len(values)}")
    return list(values)


@dataclass(frozen=True, slots=True)
class InvocationLogic:
    """A boxed invocation: a function and its arguments by name."""

    function: Logic
    bindings: tuple[tuple[str, Logic], ...]

    @property
    def paths(self) -> frozenset[str]:
        """See :class:`Logic`."""
        return self.function.paths.union(*(logic.paths for _, logic in self.bindings))

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return what the function gives; null when it is none or the arguments do not fit."""
        function = self.function.evaluate(scope, trace)
        arguments = {name: logic.evaluate(scope, trace) for name, logic in self.bindings}
        if not isinstance(function, Function):
            return trace.run.null(0, f"{kind(function)} is not a function")
        try:
            return function.call(trace.run, (), arguments)
        except Fault as fault:
            return trace.run.null(0, str(fault))


@dataclass(frozen=True, slots=True)
class ConditionalLogic:
    """A boxed ``if``."""

    condition: Logic
    consequence: Logic
    alternative: Logic

    @property
    def paths(self) -> frozenset[str]:
        """See :class:`Logic`."""
        return self.condition.paths | self.consequence.paths | self.alternative.paths

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return the alternative's value for false and null; null for a condition that is no truth value."""
        verdict = self.condition.evaluate(scope, trace)
        if verdict is not None and not isinstance(verdict, bool):
            return trace.run.null(0, f"the condition is {kind(verdict)}")
        chosen = self.consequence if verdict else self.alternative
        return chosen.evaluate(scope, trace)


@dataclass(frozen=True, slots=True)
class IterationLogic:
    """A boxed ``for``, ``some``, ``every`` or filter: ``kind`` says which."""

    kind: str
    variable: str
    source: Logic
    body: Logic

    @property
    def paths(self) -> frozenset[str]:
        """See :class:`Logic`."""
        return self.source.paths | outside(self.body.paths, self.variable, "partial")

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return the results, the verdict, or the items that are kept."""
        items = _items(self.source.evaluate(scope, trace))
        if items is None:
            return trace.run.null(0, "there is nothing to iterate over")
        results: list[Value] = []
        for item in items:
            trace.run.step()
            inner = {**scope, self.variable: item}
            if self.kind == "for":
                inner["partial"] = results
            elif self.kind == "filter" and isinstance(item, dict):
                inner = {**scope, **item, self.variable: item}
            results = [*results, self.body.evaluate(inner, trace)]
        if self.kind == "for":
            return trace.run.sized(results)
        if self.kind == "filter":
            return _chosen(items, results)
        return _verdict(results, decisive=self.kind == "some")


def _items(value: Value) -> list[Value] | None:
    if isinstance(value, Range) and isinstance(value.start, Decimal) and isinstance(value.end, Decimal):
        first = int(value.start) + (not value.start_included)
        last = int(value.end) - (not value.end_included)
        return [Decimal(number) for number in range(first, min(last, first + 100_000) + 1)]
    if value is None:
        return None
    return value if isinstance(value, list) else [value]


def _chosen(items: list[Value], verdicts: list[Value]) -> Value:
    if verdicts and isinstance(verdicts[0], Decimal):
        index = int(verdicts[0])
        inside = index != 0 and abs(index) <= len(items)
        return items[index - 1 if index > 0 else index] if inside else None
    return [item for item, verdict in zip(items, verdicts, strict=True) if verdict is True]


def _verdict(results: list[Value], *, decisive: bool) -> bool | None:
    if decisive in [result for result in results if isinstance(result, bool)]:
        return decisive
    return (not decisive) if all(isinstance(result, bool) for result in results) else None
