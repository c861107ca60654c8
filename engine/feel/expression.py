"""A compiled expression and a decision table's cell: the doors of this room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from engine.feel import operators, parser, reading, scopes
from engine.feel.building import Analysis, Bound, Evaluate, Place, build
from engine.feel.builtin import BUILTINS
from engine.feel.cells import build_cell_test
from engine.feel.errors import FeelLimitExceeded, FeelSyntaxError, Reason
from engine.feel.names import KnownNames
from engine.feel.operators import Test, any_satisfied
from engine.feel.run import Run
from engine.feel.values import Value

__all__ = ["Expression", "UnaryTests", "compile_expression", "compile_unary_tests", "operators", "reading", "scopes"]

#: Compiled texts kept; each costs a few kilobytes.
_CACHE_SIZE = 4_096

_FUNCTION_NAMES = KnownNames(name for name in BUILTINS if " " in name)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Expression:
    """An expression, compiled once and evaluated often; holds no state between evaluations.

    Attributes
    ----------
    text
        The expression as written.
    paths
        The variables it reads from its scope as dotted paths; names it binds itself and built-ins are left out.
    possible_paths
        Names inside a filter that were not among the known names: a property of the item, or else a variable.
    """

    text: str
    paths: frozenset[str]
    possible_paths: frozenset[str]
    _evaluate: Evaluate
    _slot_count: int

    def evaluate(self, scope: Mapping[str, Value], *, now: datetime | None = None) -> Value:
        """Return the value over some variables.

        What the standard makes null is null, never an exception. ``now`` is the instant of ``now()`` and ``today()``.
        Raises FeelLimitExceeded when a bound of :mod:`engine.feel.limits` is reached.
        """
        return _guarded(self._evaluate, Run(scope, self._slot_count, now))

    def evaluate_with_reasons(
        self, scope: Mapping[str, Value], *, now: datetime | None = None
    ) -> tuple[Value, tuple[Reason, ...]]:
        """Return the value, and why parts of the expression gave null, in the order it happened.

        Raises FeelLimitExceeded as :meth:`evaluate` does.
        """
        run = Run(scope, self._slot_count, now)
        return _guarded(self._evaluate, run), tuple(run.reasons)

    def evaluate_in(self, run: Run, scope: Mapping[str, Value]) -> Value:
        """Return the value as a part of a larger evaluation, on its budget. Raises FeelLimitExceeded."""
        with run.within(scope, self._slot_count):
            return self._evaluate(run)


def _guarded(evaluate: Evaluate, run: Run) -> Value:
    try:
        return evaluate(run)
    except RecursionError:
        raise FeelLimitExceeded("call depth", 0) from None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class UnaryTests:
    """The tests in one input cell of a decision table (DMN 1.5, 7.3.3 and grammar rules 14 to 17).

    ``text``, ``paths`` and ``possible_paths`` are as in :class:`Expression`; the tested value, ``?``, is no path.
    """

    text: str
    paths: frozenset[str]
    possible_paths: frozenset[str]
    _tests: tuple[Test, ...]
    _is_negated: bool
    slot_count: int

    def matches(self, value: Value, scope: Mapping[str, Value], *, now: datetime | None = None) -> bool | None:
        """Return whether the value satisfies one of the tests, or none of them inside ``not``; ``-`` always.

        None, when that cannot be decided, counts as no match in a table. Raises FeelLimitExceeded.
        """
        run = Run(scope, self.slot_count, now)
        try:
            return self.matches_in(run, run.convert(value, 0))
        except RecursionError:
            raise FeelLimitExceeded("call depth", 0) from None

    def matches_in(self, run: Run, value: Value) -> bool | None:
        """Return the answer of :meth:`matches` within a run that has at least ``slot_count`` slots."""
        if not self._tests:
            return True
        run.slots[0] = value
        answer = any_satisfied(run, value, self._tests)
        if self._is_negated:
            return None if answer is None else not answer
        return answer


def compile_expression(text: str, names: Iterable[str] = (), *, members: Iterable[str] = ()) -> Expression:
    """Return the compiled expression.

    ``names`` are the variables that its scope will have, with spaces and all; ``members`` are names of entries inside
    them, which matter where they have spaces or symbols. Raises FeelSyntaxError when the text is no expression.
    """
    return _compiled_expression(text, frozenset(names), frozenset(members))


@lru_cache(maxsize=_CACHE_SIZE)
def _compiled_expression(text: str, names: frozenset[str], members: frozenset[str]) -> Expression:
    analysis = Analysis(names)
    try:
        evaluate = build(parser.parse_expression(text, names | members, _FUNCTION_NAMES), Place(analysis))
    except RecursionError:
        raise FeelSyntaxError(text, 0, "too many parts inside each other") from None
    return Expression(
        text=text,
        paths=frozenset(analysis.paths),
        possible_paths=frozenset(analysis.possible_paths - analysis.paths),
        _evaluate=evaluate,
        _slot_count=analysis.slot_count,
    )


def compile_unary_tests(text: str, names: Iterable[str] = (), *, members: Iterable[str] = ()) -> UnaryTests:
    """Return the compiled cell of a decision table; an empty cell is ``-``.

    ``names`` and ``members`` are as for :func:`compile_expression`. Raises FeelSyntaxError.
    """
    return _compiled_unary_tests(text, frozenset(names), frozenset(members))


@lru_cache(maxsize=_CACHE_SIZE)
def _compiled_unary_tests(text: str, names: frozenset[str], members: frozenset[str]) -> UnaryTests:
    analysis = Analysis(names)
    place = Place(analysis, (Bound(slot=analysis.slot(), names=frozenset({"?"})),))
    try:
        node = parser.parse_unary_tests(text if text.strip() else "-", names | members, _FUNCTION_NAMES)
        tests = tuple(build_cell_test(test, place) for test in node.tests)
    except RecursionError:
        raise FeelSyntaxError(text, 0, "too many parts inside each other") from None
    return UnaryTests(
        text=text,
        paths=frozenset(analysis.paths),
        possible_paths=frozenset(analysis.possible_paths - analysis.paths),
        _tests=tests,
        _is_negated=node.is_negated,
        slot_count=analysis.slot_count,
    )
