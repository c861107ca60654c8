"""Relations between points and ranges (DMN 1.5, 10.3.4.6, after Allen), and ``range`` from text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.feel.building import Analysis, Place, build
from engine.feel.builtin.registry import BUILTINS, builtin
from engine.feel.comparison import compare
from engine.feel.errors import Fault, FeelSyntaxError
from engine.feel.names import KnownNames
from engine.feel.parser import parse_expression
from engine.feel.run import Run
from engine.feel.tree import Call, Literal, Name, Negation, Node, RangeLiteral
from engine.feel.values import Range, Value

_POINT = "number | string | date | time | date and time | days and time duration | years and months duration"


@dataclass(frozen=True, slots=True)
class _Span:
    """A point or a range with two ends, so that one formula serves both."""

    start: Value
    end: Value
    start_included: bool
    end_included: bool


def _span(value: Value) -> _Span:
    if not isinstance(value, Range):
        return _Span(value, value, start_included=True, end_included=True)
    if value.start is None or value.end is None:
        raise Fault("the range is open-ended")
    return _Span(value.start, value.end, value.start_included, value.end_included)


def _before(left: _Span, right: _Span) -> bool:
    order = compare(left.end, right.start)
    return order < 0 or (order == 0 and not (left.end_included and right.start_included))


def _same_start(left: _Span, right: _Span) -> bool:
    return compare(left.start, right.start) == 0 and left.start_included is right.start_included


def _same_end(left: _Span, right: _Span) -> bool:
    return compare(left.end, right.end) == 0 and left.end_included is right.end_included


def _includes(left: _Span, right: _Span) -> bool:
    start, end = compare(left.start, right.start), compare(left.end, right.end)
    starts = start < 0 or (start == 0 and (left.start_included or not right.start_included))
    return starts and (end > 0 or (end == 0 and (left.end_included or not right.end_included)))


def _meets(left: _Span, right: _Span) -> bool:
    return left.end_included and right.start_included and compare(left.end, right.start) == 0


def _overlaps(left: _Span, right: _Span) -> bool:
    return not _before(left, right) and not _before(right, left)


def _overlaps_before(left: _Span, right: _Span) -> bool:
    start, end = compare(left.start, right.start), compare(left.end, right.end)
    begins = start < 0 or (start == 0 and left.start_included and not right.start_included)
    ends = end < 0 or (end == 0 and (not left.end_included or right.end_included))
    return begins and ends and _overlaps(left, right)


def _starts(left: _Span, right: _Span) -> bool:
    end = compare(left.end, right.end)
    return _same_start(left, right) and (end < 0 or (end == 0 and (not left.end_included or right.end_included)))


def _finishes(left: _Span, right: _Span) -> bool:
    start = compare(left.start, right.start)
    return _same_end(left, right) and (start > 0 or (start == 0 and (not left.start_included or right.start_included)))


def _point_starts(left: _Span, right: _Span) -> bool:
    return right.start_included and compare(left.start, right.start) == 0


def _point_finishes(left: _Span, right: _Span) -> bool:
    return right.end_included and compare(left.end, right.end) == 0


Relation = Callable[[_Span, _Span], bool]


def _relation(name: str, names: str, kinds: tuple[str, str], holds: Relation, *, is_swapped: bool = False) -> None:
    first, second = names.split()

    @builtin(name, f"{first}: {kinds[0]}, {second}: {kinds[1]}")
    def relate(run: Run, left: Value, right: Value) -> Value:  # pyright: ignore[reportUnusedFunction]
        one, other = _span(left), _span(right)
        return holds(other, one) if is_swapped else holds(one, other)


for _names, _kinds in (
    ("point1 point2", (_POINT, _POINT)),
    ("point range", (_POINT, "range")),
    ("range point", ("range", _POINT)),
    ("range1 range2", ("range", "range")),
):
    _relation("before", _names, _kinds, _before)
    _relation("after", _names, _kinds, _before, is_swapped=True)

for _name, _inverse, _holds in (
    ("meets", "met by", _meets),
    ("overlaps before", "overlaps after", _overlaps_before),
    ("starts", "started by", _starts),
    ("finishes", "finished by", _finishes),
    ("includes", "during", _includes),
):
    _relation(_name, "range1 range2", ("range", "range"), _holds)
    _relation(_inverse, "range1 range2", ("range", "range"), _holds, is_swapped=True)
_relation("overlaps", "range1 range2", ("range", "range"), _overlaps)
_relation("includes", "range point", ("range", _POINT), _includes)
_relation("during", "point range", (_POINT, "range"), _includes, is_swapped=True)
_relation("starts", "point range", (_POINT, "range"), _point_starts)
_relation("started by", "range point", ("range", _POINT), _point_starts, is_swapped=True)
_relation("finishes", "point range", (_POINT, "range"), _point_finishes)
_relation("finished by", "range point", ("range", _POINT), _point_finishes, is_swapped=True)
_relation("coincides", "point1 point2", (_POINT, _POINT), lambda left, right: compare(left.start, right.start) == 0)
_relation(
    "coincides",
    "range1 range2",
    ("range", "range"),
    lambda left, right: _same_start(left, right) and _same_end(left, right),
)

_TEXT = re.compile(r"\s*[\[(\]].*\.\..*[\])\[]\s*", re.DOTALL)
_LITERAL_CALLS = frozenset({"date", "date and time", "duration", "time"})


@builtin("range", "from: string")
def range_from(run: Run, text: str) -> Value:
    """Return the range that a text spells with literal ends, the first not after the second. Raises Fault."""
    if len(text) > 1_000 or _TEXT.fullmatch(text) is None:
        raise Fault(f"{text[:60]!r} is not a range")
    try:
        node = parse_expression(text, (), KnownNames(BUILTINS))
    except FeelSyntaxError as error:
        raise Fault(f"{text[:60]!r} is not a range: {error}") from None
    if not isinstance(node, RangeLiteral) or not all(_is_literal(end) for end in (node.start, node.end)):
        raise Fault(f"{text[:60]!r} is not a range of literals")
    value = build(node, Place(Analysis(frozenset())))(run)
    if not isinstance(value, Range):
        raise Fault(f"{text[:60]!r} is not a range")
    if value.start is None or value.end is None or compare(value.start, value.end) > 0:
        raise Fault("the range has no first end before its second")
    return value


def _is_literal(node: Node | None) -> bool:
    if isinstance(node, Negation):
        return _is_literal(node.operand)
    if isinstance(node, Call):
        is_known = isinstance(node.function, Name) and node.function.name in _LITERAL_CALLS
        return is_known and all(isinstance(argument, Literal) for argument in node.positional)
    return isinstance(node, Literal)
