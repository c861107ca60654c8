"""List functions; places count from 1, or from -1 at the end (DMN 1.5, 10.3.4.4)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cmp_to_key
from typing import cast

from engine.feel import limits
from engine.feel.arithmetic import operation
from engine.feel.builtin.registry import builtin
from engine.feel.comparison import compare, same
from engine.feel.errors import Fault, FeelLimitExceeded
from engine.feel.numbers import CONTEXT, ZERO, to_index
from engine.feel.run import Run
from engine.feel.values import Function, Value, kind

_ADD, _DIVIDE = operation("+"), operation("/")
_TWO = Decimal(2)


def _either(name: str) -> Callable[[Callable[[Run, list[Value]], Value]], Callable[[Run, list[Value]], Value]]:
    """Declare a function that takes a list, or its items as arguments."""
    return builtin(name, "list: list", "items*: anything")


@builtin("list contains", "list: list, element: anything")
def list_contains(run: Run, items: list[Value], element: Value) -> Value:
    """Return whether an item equals the element."""
    return any(same(item, element, run) for item in items)


@builtin(
    "list replace", "list: list, position: number, newItem: anything", "list: list, match: function, newItem: anything"
)
def list_replace(run: Run, items: list[Value], choice: Decimal | Function, new_item: Value) -> Value:
    """Return the list with one place, or each item that the function accepts, replaced."""
    if isinstance(choice, Function):
        verdicts = [choice.call(run, [item, new_item], None) for item in items]
        if not all(isinstance(verdict, bool) for verdict in verdicts):
            raise Fault("the match function gives more than true and false")
        return run.sized([new_item if verdict else item for item, verdict in zip(items, verdicts, strict=True)])
    place = _place(items, choice, len(items))
    return run.sized([*items[:place], new_item, *items[place + 1 :]])


def _place(items: list[Value], position: Decimal, last: int) -> int:
    index = to_index(position)
    if index == 0 or abs(index) > last:
        raise Fault(f"there is no place {index} in a list of {len(items)}")
    return index - 1 if index > 0 else len(items) + index


@builtin("count", "list: list", "c*: anything")
def count(run: Run, items: list[Value]) -> Value:
    """Return the number of items."""
    return Decimal(len(items))


@_either("min")
def minimum(run: Run, items: list[Value]) -> Value:
    """Return the smallest item. Raises Fault for no items or items without an order."""
    return _extreme(run, items, -1)


@_either("max")
def maximum(run: Run, items: list[Value]) -> Value:
    """Return the largest item. Raises Fault for no items or items without an order."""
    return _extreme(run, items, 1)


def _extreme(run: Run, items: list[Value], wanted: int) -> Value:
    if not items:
        raise Fault("the list is empty")
    best = items[0]
    compare(best, best)
    run.step(len(items))
    for item in items[1:]:
        if compare(item, best) == wanted:
            best = item
    return best


def _numbers(items: list[Value]) -> list[Decimal]:
    if not items:
        raise Fault("the list is empty")
    for item in items:
        if not isinstance(item, Decimal):
            raise Fault(f"the list holds {kind(item)}, not only numbers")
    return cast("list[Decimal]", items)


@_either("sum")
def total(run: Run, items: list[Value]) -> Value:
    """Return the sum of numbers or of durations of one kind. Raises Fault for no items."""
    if not items:
        raise Fault("the list is empty")
    run.step(len(items))
    if isinstance(items[0], str):
        raise Fault("the list holds string, not only numbers")
    result = items[0]
    if len(items) == 1:
        _ADD(result, result, run)
    for item in items[1:]:
        result = _ADD(result, item, run)
    return result


@_either("mean")
def mean(run: Run, items: list[Value]) -> Value:
    """Return the arithmetic mean. Raises Fault for no items or other kinds than numbers and durations."""
    return _DIVIDE(total(run, items), Decimal(len(items)), run)


@_either("product")
def product(run: Run, items: list[Value]) -> Value:
    """Return the product of numbers. Raises Fault for no items."""
    result = Decimal(1)
    run.step(len(items))
    for number in _numbers(items):
        result = CONTEXT.multiply(result, number)
    return result


@_either("median")
def median(run: Run, items: list[Value]) -> Value:
    """Return the middle number, or the mean of the two in the middle. Raises Fault for no items."""
    numbers = sorted(_numbers(items))
    middle = len(numbers) // 2
    if len(numbers) % 2:
        return numbers[middle]
    return CONTEXT.divide(CONTEXT.add(numbers[middle - 1], numbers[middle]), _TWO)


@_either("stddev")
def standard_deviation(run: Run, items: list[Value]) -> Value:
    """Return the standard deviation of a sample. Raises Fault for fewer than two numbers."""
    numbers = _numbers(items)
    if len(numbers) < 2:
        raise Fault("the list has fewer than two numbers")
    average = CONTEXT.divide(_plain_sum(numbers), Decimal(len(numbers)))
    squares = [CONTEXT.power(CONTEXT.subtract(number, average), _TWO) for number in numbers]
    return CONTEXT.sqrt(CONTEXT.divide(_plain_sum(squares), Decimal(len(numbers) - 1)))


def _plain_sum(numbers: list[Decimal]) -> Decimal:
    result = ZERO
    for number in numbers:
        result = CONTEXT.add(result, number)
    return result


@_either("mode")
def mode(run: Run, items: list[Value]) -> Value:
    """Return the most frequent numbers in ascending order, an empty list for none."""
    if not items:
        return []
    counts: dict[Decimal, int] = {}
    for number in _numbers(items):
        counts[number] = counts.get(number, 0) + 1
    most = max(counts.values())
    modes: list[Value] = [number for number, often in sorted(counts.items()) if often == most]
    return run.sized(modes)


def _logical(items: list[Value], *, decisive: bool) -> Value:
    if any(item is decisive for item in items):
        return decisive
    if all(isinstance(item, bool) for item in items):
        return not decisive
    raise Fault("an item is neither true nor false")


@_either("all")
def every_one(run: Run, items: list[Value]) -> Value:
    """Return whether no item is false, true for none."""
    return _logical(items, decisive=False)


@_either("any")
def any_one(run: Run, items: list[Value]) -> Value:
    """Return whether an item is true, false for none."""
    return _logical(items, decisive=True)


@builtin("sublist", "list: list, start position: number, length?: number")
def sublist(run: Run, items: list[Value], start: Decimal, length: Decimal | None = None) -> Value:
    """Return a part of the list. Raises Fault for a place outside it."""
    first = _place(items, start, len(items))
    if length is None:
        return run.sized(items[first:])
    size = to_index(length)
    if size < 1 or first + size > len(items):
        raise Fault(f"there are no {size} items from place {first + 1} in a list of {len(items)}")
    return run.sized(items[first : first + size])


@builtin("append", "list: list, items*: anything")
def append(run: Run, items: list[Value], further: list[Value]) -> Value:
    """Return the list with further items at its end."""
    return run.sized([*items, *further])


@builtin("concatenate", "lists*: anything")
def concatenate(run: Run, lists: list[Value]) -> Value:
    """Return one list of the items of all lists."""
    result: list[Value] = []
    for part in lists:
        if part is None:
            raise Fault("an argument is null")
        result.extend(part if isinstance(part, list) else [part])
        _bounded(result)
    return run.sized(result)


def _bounded(items: list[Value]) -> None:
    if len(items) > limits.LIST_SIZE:
        raise FeelLimitExceeded("list size", limits.LIST_SIZE)


@builtin("insert before", "list: list, position: number, newItem: anything")
def insert_before(run: Run, items: list[Value], position: Decimal, new_item: Value) -> Value:
    """Return the list with an item inserted. Raises Fault for a place outside it."""
    place = _place(items, position, len(items))
    return run.sized([*items[:place], new_item, *items[place:]])


@builtin("remove", "list: list, position: number")
def remove(run: Run, items: list[Value], position: Decimal) -> Value:
    """Return the list without one item. Raises Fault for a place outside it."""
    place = _place(items, position, len(items))
    return run.sized([*items[:place], *items[place + 1 :]])


@builtin("reverse", "list: list")
def reverse(run: Run, items: list[Value]) -> Value:
    """Return the list from its end to its beginning."""
    return run.sized(items[::-1])


@builtin("index of", "list: list, match: anything")
def index_of(run: Run, items: list[Value], match: Value) -> Value:
    """Return the places of all items that equal the match, in ascending order."""
    return run.sized([Decimal(place) for place, item in enumerate(items, 1) if same(item, match, run)])


@builtin("union", "lists*: anything")
def union(run: Run, lists: list[Value]) -> Value:
    """Return the items of all lists, each once."""
    return distinct_values(run, cast("list[Value]", concatenate(run, lists)))


@builtin("distinct values", "list: list")
def distinct_values(run: Run, items: list[Value]) -> Value:
    """Return the items without repetitions, in the order of their first occurrence."""
    seen: set[Decimal | str] = set()
    result: list[Value] = []
    for item in items:
        if isinstance(item, (Decimal, str)):
            if item not in seen:
                seen.add(item)
                result.append(item)
        elif not any(same(earlier, item, run) for earlier in result):
            result.append(item)
    return run.sized(result)


@builtin("flatten", "list: list")
def flatten(run: Run, items: list[Value]) -> Value:
    """Return the items of the list and of all lists in it."""
    result: list[Value] = []
    pending = list(reversed(items))
    while pending:
        item = pending.pop()
        run.step()
        if isinstance(item, list):
            pending.extend(reversed(item))
        else:
            result.append(item)
        _bounded(pending)
        _bounded(result)
    return result


@builtin("sort", "list: list, precedes?: function")
def sort(run: Run, items: list[Value], precedes: Function | None = None) -> Value:
    """Return the list in order, equal items as they stood. Raises Fault for items without an order."""

    def order(left: Value, right: Value) -> int:
        run.step()
        if precedes is None:
            return compare(left, right)
        if precedes.call(run, [left, right], None) is True:
            return -1
        return 1 if precedes.call(run, [right, left], None) is True else 0

    return run.sized(sorted(items, key=cmp_to_key(order)))
