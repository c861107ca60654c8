"""Arithmetic, comparisons, three-valued logic, membership and conditionals as closures (DMN 1.5, 10.3.2.3 and .8)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import cast

from engine.feel.arithmetic import negate, operation
from engine.feel.building import Evaluate, Place, build
from engine.feel.comparison import ORDERS, compare, equal, member
from engine.feel.errors import Fault
from engine.feel.run import Run
from engine.feel.tree import (
    Arithmetic,
    Between,
    Comparison,
    If,
    InstanceOf,
    Literal,
    Logic,
    Membership,
    Negation,
    OperatorTest,
    RangeLiteral,
)
from engine.feel.types import conforms
from engine.feel.values import Range, Value, kind


@build.register
def build_arithmetic(node: Arithmetic, place: Place) -> Evaluate:
    """``left sign right``; null where either is null or the two kinds have no such operation."""
    left, right = build(node.left, place), build(node.right, place)
    calculate, position = operation(node.sign), node.position

    def evaluate(run: Run) -> Value:
        try:
            return calculate(left(run), right(run), run)
        except Fault as fault:
            return run.null(position, str(fault))

    return evaluate


@build.register
def build_negation(node: Negation, place: Place) -> Evaluate:
    """``-operand``."""
    operand, position = build(node.operand, place), node.position

    def evaluate(run: Run) -> Value:
        try:
            return negate(operand(run))
        except Fault as fault:
            return run.null(position, str(fault))

    return evaluate


@build.register
def build_comparison(node: Comparison, place: Place) -> Evaluate:
    """``left sign right``: equality of any two values of one kind, order of ordered kinds (tables 42 and 53)."""
    left, right = build(node.left, place), build(node.right, place)
    if node.sign in ("=", "!="):
        return _equality(left, right, node.position, wanted=node.sign == "=")
    return _order(left, right, node.sign, node.position)


def _equality(left: Evaluate, right: Evaluate, position: int, *, wanted: bool) -> Evaluate:
    def evaluate(run: Run) -> Value:
        one, other = left(run), right(run)
        found = type(one)
        if found is type(other) and (found is str or found is Decimal):
            return (one == other) is wanted
        try:
            answer = equal(one, other, run)
        except Fault as fault:
            return run.null(position, str(fault))
        return None if answer is None else answer is wanted

    return evaluate


_NUMBER_ORDERS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def _order(left: Evaluate, right: Evaluate, sign: str, position: int) -> Evaluate:
    of_numbers, of_orders = _NUMBER_ORDERS[sign], ORDERS[sign]

    def evaluate(run: Run) -> Value:
        one, other = left(run), right(run)
        if type(one) is Decimal and type(other) is Decimal:
            return of_numbers(one, other)
        try:
            return of_orders(compare(one, other))
        except Fault as fault:
            return run.null(position, str(fault))

    return evaluate


@build.register
def build_logic(node: Logic, place: Place) -> Evaluate:
    """A conjunction or disjunction of three-valued operands; what is not boolean counts as null (table 41)."""
    operands = tuple(build(operand, place) for operand in node.operands)
    decisive = node.sign == "or"
    if len(operands) == 2:
        return _logic_of_two(operands[0], operands[1], node.position, decisive=decisive)

    def evaluate(run: Run) -> Value:
        answer: Value = not decisive
        for operand in operands:
            value = operand(run)
            if value is decisive:
                return decisive
            if value is not (not decisive):
                answer = None
        return answer if answer is not None else run.null(node.position, _NOT_BOOLEAN.format(node.sign))

    return evaluate


_NOT_BOOLEAN = "an operand of {} is neither true nor false"


def _logic_of_two(left: Evaluate, right: Evaluate, position: int, *, decisive: bool) -> Evaluate:
    other = not decisive
    sign = "or" if decisive else "and"

    def evaluate(run: Run) -> Value:
        one = left(run)
        if one is decisive:
            return decisive
        two = right(run)
        if two is decisive:
            return decisive
        if one is other and two is other:
            return other
        return run.null(position, _NOT_BOOLEAN.format(sign))

    return evaluate


@build.register
def build_between(node: Between, place: Place) -> Evaluate:
    """``value between low and high``, both ends included."""
    value, low, high = build(node.value, place), build(node.low, place), build(node.high, place)

    def evaluate(run: Run) -> Value:
        found = value(run)
        try:
            return compare(found, low(run)) >= 0 and compare(found, high(run)) <= 0
        except Fault as fault:
            return run.null(node.position, str(fault))

    return evaluate


@build.register
def build_membership(node: Membership, place: Place) -> Evaluate:
    """``value in tests``: true when one test is satisfied, null when none is and one could not be decided."""
    value = build(node.value, place)
    tests = tuple(build_test(test, place) for test in node.tests)

    def evaluate(run: Run) -> Value:
        found = value(run)
        return any_satisfied(run, found, tests)

    return evaluate


Test = Callable[[Run, Value], "bool | None"]


def any_satisfied(run: Run, value: Value, tests: tuple[Test, ...]) -> bool | None:
    """Return whether one of the tests is satisfied; None when none is and one could not be decided."""
    answer: bool | None = False
    for test in tests:
        verdict = test(run, value)
        if verdict:
            return True
        if verdict is None:
            answer = None
    return answer


def build_test(node: object, place: Place) -> Test:
    """Return the closure that tries one test of ``in`` on a value (DMN 1.5, table 55)."""
    if isinstance(node, OperatorTest):
        return _operator_test(node, place)
    if isinstance(node, RangeLiteral) and isinstance(node.start, Literal) and isinstance(node.end, Literal):
        return _constant_range_test(node, place)
    assert_node = cast("Literal", node)
    choice, position = build(assert_node, place), assert_node.position

    def test(run: Run, value: Value) -> bool | None:
        try:
            return member(value, choice(run), run)
        except Fault as fault:
            return run.null(position, str(fault))

    return test


def _constant_range_test(node: RangeLiteral, place: Place) -> Test:
    literal, position = build(node, place), node.position
    interval = literal(Run({}, 0, None))

    def test(run: Run, value: Value) -> bool | None:
        try:
            return member(value, interval if interval is not None else literal(run), run)
        except Fault as fault:
            return run.null(position, str(fault))

    return test


def _operator_test(node: OperatorTest, place: Place) -> Test:
    endpoint, position, sign = build(node.endpoint, place), node.position, node.sign
    if sign in ("=", "!="):
        wanted = sign == "="

        def test_equality(run: Run, value: Value) -> bool | None:
            try:
                answer = equal(value, endpoint(run), run)
            except Fault as fault:
                return run.null(position, str(fault))
            return None if answer is None else answer is wanted

        return test_equality
    of_orders = ORDERS[sign]

    def test_order(run: Run, value: Value) -> bool | None:
        try:
            return of_orders(compare(value, endpoint(run)))
        except Fault as fault:
            return run.null(position, str(fault))

    return test_order


@build.register
def build_range(node: RangeLiteral, place: Place) -> Evaluate:
    """A range value; null when its ends are of different kinds."""
    start = build(node.start, place) if node.start else None
    end = build(node.end, place) if node.end else None

    def evaluate(run: Run) -> Value:
        low = start(run) if start else None
        high = end(run) if end else None
        if low is not None and high is not None and type(low) is not type(high):
            return run.null(node.position, f"a range from {kind(low)} to {kind(high)}")
        return Range(
            start=low,
            end=high,
            start_included=node.start_included,
            end_included=node.end_included,
            is_comparison=node.is_comparison,
        )

    return evaluate


@build.register
def build_conditional(node: If, place: Place) -> Evaluate:
    """``if``: the alternative unless the condition is true (table 54)."""
    condition = build(node.condition, place)
    consequence, alternative = build(node.consequence, place), build(node.alternative, place)

    def evaluate(run: Run) -> Value:
        return consequence(run) if condition(run) is True else alternative(run)

    return evaluate


@build.register
def build_instance_of(node: InstanceOf, place: Place) -> Evaluate:
    """``value instance of type``; null for a type that is not known."""
    value, wanted = build(node.value, place), node.type

    def evaluate(run: Run) -> Value:
        answer = conforms(value(run), wanted)
        return run.null(node.position, f"there is no type {wanted.name!r}") if answer is None else answer

    return evaluate
