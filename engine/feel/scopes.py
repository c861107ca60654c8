"""What binds names: filters, contexts, iterations, functions and calls (DMN 1.5, 10.3.2.5 to 10.3.2.14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal

from engine.feel import limits
from engine.feel.building import Bound, Evaluate, Place, build
from engine.feel.builtin.registry import BUILTINS
from engine.feel.errors import Fault, FeelLimitExceeded
from engine.feel.numbers import CONTEXT, to_index
from engine.feel.run import Run
from engine.feel.tree import (
    Call,
    ContextLiteral,
    Filter,
    For,
    FunctionLiteral,
    Iterator,
    ListLiteral,
    Literal,
    Name,
    Quantified,
)
from engine.feel.types import ANY, Type, conforms
from engine.feel.values import Function, Range, Value, kind

#: What can hold the list of a ``for``'s results so far; that list is then left as it was read.
_HOLDERS = (list, dict, Range, Function)

_ITEM = frozenset({"item"})


@build.register
def build_list(node: ListLiteral, place: Place) -> Evaluate:
    """``[items]``."""
    items = tuple(build(item, place) for item in node.items)
    return lambda run: run.sized([item(run) for item in items])


@build.register
def build_context(node: ContextLiteral, place: Place) -> Evaluate:
    """``{entries}``: each entry may read the entries before it, a function also itself."""
    slot = place.analysis.slot()
    entries: list[tuple[str, Evaluate]] = []
    seen: set[str] = set()
    for key, value in node.entries:
        visible = seen | {key} if isinstance(value, FunctionLiteral) else seen
        entries.append((key, build(value, place.within(Bound(slot=slot, names=frozenset(visible), is_context=True)))))
        seen.add(key)

    def evaluate(run: Run) -> Value:
        context: dict[str, Value] = {}
        outer = run.slots[slot]
        for key, value in entries:
            run.slots[slot] = context
            context[key] = value(run)
        run.slots[slot] = outer
        run.step(len(context))
        return context

    return evaluate


@build.register
def build_filter(node: Filter, place: Place) -> Evaluate:
    """``base[condition]``: by position for a number, else the items for which the condition is true (10.3.2.5)."""
    base, position = build(node.base, place), node.position
    slot = place.analysis.slot()
    condition = build(node.condition, place.within(Bound(slot=slot, names=_ITEM, is_open=True)))
    constant = node.condition.value if isinstance(node.condition, Literal) else None
    if isinstance(constant, Decimal):
        return lambda run: _indexed(run, as_list(base(run)), constant, position)

    def evaluate(run: Run) -> Value:
        items = as_list(base(run))
        outer = run.slots[slot]
        chosen: list[Value] = []
        for item in items:
            run.step()
            run.slots[slot] = item
            verdict = condition(run)
            if verdict is True:
                chosen.append(item)
            elif isinstance(verdict, Decimal):
                run.slots[slot] = outer
                return _indexed(run, items, verdict, position)
        run.slots[slot] = outer
        return run.sized(chosen)

    return evaluate


def as_list(value: Value) -> list[Value]:
    """Return a list as it is, null as no item, any other value as a list of it (10.3.2.9.4)."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _indexed(run: Run, items: list[Value], place: Decimal, position: int) -> Value:
    """Return an item by its place from 1, or from -1 at the end; null outside the list."""
    try:
        index = to_index(place)
    except Fault as fault:
        return run.null(position, str(fault))
    if index == 0 or abs(index) > len(items):
        return run.null(position, f"there is no item {index} in a list of {len(items)}")
    return items[index - 1 if index > 0 else index]


Expand = Callable[[Run], "Sequence[Value] | None"]


def _iteration(iterator: Iterator, place: Place) -> Expand:
    """Return what gives the values of one iterator; None, with a reason, when there are none to give."""
    source = build(iterator.source, place)
    end = build(iterator.end, place) if iterator.end else None

    def expand(run: Run) -> Sequence[Value] | None:
        first = source(run)
        try:
            if end is not None:
                return _counted(run, first, end(run))
            if isinstance(first, Range):
                return _counted_range(run, first)
        except Fault as fault:
            return run.null(iterator.position, str(fault))
        if first is None:
            return run.null(iterator.position, "null cannot be iterated over")
        return as_list(first)

    return expand


def _counted_range(run: Run, interval: Range) -> list[Value]:
    values = _counted(run, interval.start, interval.end)
    first = 0 if interval.start_included else 1
    last = len(values) if interval.end_included else len(values) - 1
    return values[first : max(last, first)]


def _counted(run: Run, start: Value, end: Value) -> list[Value]:
    """Return the whole numbers or the days from one to the other, down as well as up. Raises Fault for other kinds."""
    if isinstance(start, Decimal) and isinstance(end, Decimal):
        first, last = to_index(start), to_index(end)
    elif type(start) is date and type(end) is date:
        first, last = start.toordinal(), end.toordinal()
    else:
        raise Fault(f"an iteration from {kind(start)} to {kind(end)}")
    if abs(last - first) >= limits.LIST_SIZE:
        raise FeelLimitExceeded("list size", limits.LIST_SIZE)
    step = 1 if last >= first else -1
    places = range(0, last - first + step, step)
    if isinstance(start, Decimal):
        return run.sized([CONTEXT.add(start, place) for place in places])
    return run.sized([start + timedelta(days=place) for place in places])


def _iterated(
    iterators: tuple[Iterator, ...], place: Place, *further: Bound
) -> tuple[tuple[tuple[int, Expand], ...], Place]:
    """Return slot and values of each iterator, and the place inside them; later ones may read earlier ones."""
    expansions: list[tuple[int, Expand]] = []
    inside = place.within(*further)
    for iterator in iterators:
        expand = _iteration(iterator, inside)
        slot = place.analysis.slot()
        expansions.append((slot, expand))
        inside = inside.within(Bound(slot=slot, names=frozenset({iterator.name})))
    return tuple(expansions), inside


def _each(run: Run, expansions: tuple[tuple[int, Expand], ...], visit: Callable[[], bool]) -> bool | None:
    """Call ``visit`` for each combination until it returns false; None when an iterator has no values to give."""
    slot, expand = expansions[0]
    values = expand(run)
    if values is None:
        return None
    outer = run.slots[slot]
    goes_on: bool | None = True
    for value in values:
        run.step()
        run.slots[slot] = value
        goes_on = _each(run, expansions[1:], visit) if len(expansions) > 1 else visit()
        if not goes_on:
            break
    run.slots[slot] = outer
    return goes_on


@build.register
def build_for(node: For, place: Place) -> Evaluate:
    """``for``: the list of results; ``partial`` is the list so far (10.3.2.14)."""
    slot = place.analysis.slot()
    partial = Bound(slot=slot, names=frozenset({"partial"}))
    expansions, inside = _iterated(node.iterators, place, partial)
    body = build(node.body, inside)

    def evaluate(run: Run) -> Value:
        results: list[Value] = []
        outer = run.slots[slot]
        run.slots[slot] = results

        def visit() -> bool:
            nonlocal results
            value = body(run)
            if node.reads_partial and type(value) in _HOLDERS:
                results = run.sized(list(results))
                run.slots[slot] = results
            results.append(value)
            if len(results) > limits.LIST_SIZE:
                raise FeelLimitExceeded("list size", limits.LIST_SIZE)
            return True

        complete = _each(run, expansions, visit)
        run.slots[slot] = outer
        return None if complete is None else results

    return evaluate


@build.register
def build_quantified(node: Quantified, place: Place) -> Evaluate:
    """``some`` and ``every`` as the disjunction and conjunction of their conditions (table 56)."""
    expansions, inside = _iterated(node.iterators, place)
    condition, decisive = build(node.condition, inside), not node.is_every

    def evaluate(run: Run) -> Value:
        undecided = False

        def visit() -> bool:
            nonlocal undecided
            verdict = condition(run)
            undecided = undecided or not isinstance(verdict, bool)
            return verdict is not decisive

        goes_on = _each(run, expansions, visit)
        if goes_on is None:
            return None
        if not goes_on:
            return decisive
        return run.null(node.position, "a condition is neither true nor false") if undecided else not decisive

    return evaluate


@build.register
def build_function(node: FunctionLiteral, place: Place) -> Evaluate:
    """``function(parameters) body``: a value that remembers the bindings and variables around it."""
    slots = tuple(place.analysis.slot() for _ in node.parameters)
    names = tuple(name for name, _ in node.parameters)
    types = tuple(wanted for _, wanted in node.parameters)
    bindings = (Bound(slot=slot, names=frozenset({name})) for slot, name in zip(slots, names, strict=True))
    body = build(node.body, place.within(*bindings))

    def evaluate(run: Run) -> Value:
        scope, cache, captured = run.scope, run.cache, list(run.slots)

        def call(caller: Run, values: Sequence[Value], by_name: Mapping[str, Value] | None) -> Value:
            given = arranged(names, types, values, by_name)
            outer = caller.scope, caller.cache, caller.slots
            caller.scope, caller.cache, caller.slots = scope, cache, list(captured)
            try:
                for slot, value in zip(slots, given, strict=True):
                    caller.slots[slot] = value
                return body(caller)
            finally:
                caller.scope, caller.cache, caller.slots = outer

        return Function(name="function", parameters=names, call=call)

    return evaluate


def arranged(
    names: tuple[str, ...], types: tuple[Type, ...], values: Sequence[Value], by_name: Mapping[str, Value] | None
) -> list[Value]:
    """Return the arguments in the order of the parameters. Raises Fault for a wrong number, name or type."""
    if by_name is not None:
        if set(by_name) != set(names):
            raise Fault(f"the function takes {', '.join(names) or 'no arguments'}, not {', '.join(by_name)}")
        values = [by_name[name] for name in names]
    if len(values) != len(names):
        raise Fault(f"the function takes {len(names)} arguments, not {len(values)}")
    return [_argument(name, value, wanted) for name, value, wanted in zip(names, values, types, strict=True)]


def _argument(name: str, value: Value, wanted: Type) -> Value:
    if wanted == ANY or value is None or conforms(value, wanted) is not False:
        return value
    if isinstance(value, list) and len(value) == 1 and conforms(value[0], wanted):
        return value[0]
    if wanted.name == "list" and wanted.item and conforms(value, wanted.item):
        return [value]
    raise Fault(f"the argument {name} is {kind(value)}, not {wanted.name}")


@build.register
def build_call(node: Call, place: Place) -> Evaluate:
    """``function(arguments)``; null when it is no function or the arguments do not fit."""
    positional = tuple(build(argument, place) for argument in node.positional)
    named = tuple((name, build(argument, place)) for name, argument in node.named)
    if isinstance(node.function, Name) and node.function.name == "is defined" and len(positional) == 1:
        return _presence(positional[0])
    function = _function(node, place)
    position = node.position

    def evaluate(run: Run) -> Value:
        run.step(limits.STEPS_OF_A_CALL)
        called = function(run)
        if not isinstance(called, Function):
            return run.null(position, f"{kind(called)} is not a function")
        values = [argument(run) for argument in positional]
        by_name = {name: argument(run) for name, argument in named} if named else None
        run.calls += 1
        if run.calls > limits.CALL_DEPTH:
            raise FeelLimitExceeded("call depth", limits.CALL_DEPTH)
        try:
            return called.call(run, values, by_name)
        except Fault as fault:
            return run.null(position, f"{called.name}: {fault}")
        finally:
            run.calls -= 1

    return evaluate


def _presence(argument: Evaluate) -> Evaluate:
    """``is defined(value)``: false where a variable or an entry is missing, true for a null that is there."""

    def evaluate(run: Run) -> Value:
        null_count, reason_count = run.null_count, len(run.reasons)
        is_defined = argument(run) is not None or run.null_count == null_count
        del run.reasons[reason_count:]
        return is_defined

    return evaluate


def _function(node: Call, place: Place) -> Evaluate:
    """A built-in that nothing shadows is found when the expression is compiled."""
    name = node.function.name if isinstance(node.function, Name) else ""
    if name in BUILTINS and name not in place.analysis.known and not place.is_bound(name):
        function = BUILTINS[name].as_value()
        return lambda run: function
    return build(node.function, place)
