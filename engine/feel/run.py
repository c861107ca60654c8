"""One evaluation under way: what it may read, what it has used up, why it gave null."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from engine.feel import limits
from engine.feel.errors import FeelLimitExceeded, Reason
from engine.feel.numbers import CONTEXT
from engine.feel.values import Function, Range, Value, YearMonthDuration

#: Values of these classes are FEEL values as they are.
_AS_THEY_ARE = frozenset({type(None), bool, str, date, datetime, time, timedelta, YearMonthDuration, Range, Function})


class Run:
    """The state of one evaluation. Made for each, used by one thread.

    Attributes
    ----------
    scope
        The variables as given; read through :meth:`admit`.
    slots
        The bound variables of loops, filters, contexts and functions, numbered when the expression was compiled.
    now
        The instant that ``now()`` and ``today()`` give; None where the caller gives no clock.
    """

    __slots__ = ("cache", "calls", "now", "null_count", "reasons", "scope", "slots", "steps")

    def __init__(self, scope: Mapping[str, Value], slot_count: int, now: datetime | None) -> None:
        self.scope = scope
        self.cache: dict[str, Value] = {}
        self.slots: list[Value] = [None] * slot_count
        self.now = now
        self.steps = 0
        self.calls = 0
        self.null_count = 0
        self.reasons: list[Reason] = []

    @contextmanager
    def within(self, scope: Mapping[str, Value], slot_count: int = 0) -> Generator[None]:
        """Go on with other variables on the same budget: the body of a model's function, a table, a decision."""
        outer = self.scope, self.cache, self.slots
        slots: list[Value] = [None] * slot_count
        self.scope, self.cache, self.slots = scope, {}, slots
        self.calls += 1
        if self.calls > limits.CALL_DEPTH:
            raise FeelLimitExceeded("call depth", limits.CALL_DEPTH)
        try:
            yield
        finally:
            self.calls -= 1
            self.scope, self.cache, self.slots = outer

    def null(self, position: int, text: str) -> None:
        """Record why a part of the expression has no value."""
        self.null_count += 1
        if len(self.reasons) < limits.REASONS:
            self.reasons.append(Reason(position=position, text=text))

    def step(self, count: int = 1) -> None:
        """Use up steps. Raises FeelLimitExceeded at the end of the budget."""
        self.steps += count
        if self.steps > limits.STEPS:
            raise FeelLimitExceeded("steps", limits.STEPS)

    def sized(self, items: list[Value]) -> list[Value]:
        """Return a list that was built, charged for. Raises FeelLimitExceeded for one that is too long."""
        if len(items) > limits.LIST_SIZE:
            raise FeelLimitExceeded("list size", limits.LIST_SIZE)
        self.step(len(items))
        return items

    def worded(self, text: str) -> str:
        """Return a string that was built, charged for. Raises FeelLimitExceeded for one that is too long."""
        if len(text) > limits.STRING_LENGTH:
            raise FeelLimitExceeded("string length", limits.STRING_LENGTH)
        self.step(len(text) >> 6)
        return text

    def admit(self, path: str, value: Value) -> Value:
        """Return a variable's value as FEEL has it; containers are converted once for each evaluation."""
        if isinstance(value, str) or not isinstance(value, (Mapping, Sequence)):
            return self._scalar(value)
        if path not in self.cache:
            self.cache[path] = self.convert(value, 0)
        return self.cache[path]

    def convert(self, value: Value, depth: int) -> Value:
        """Return a value with exact numbers and plain containers all the way down.

        Raises FeelLimitExceeded when it is nested too deep or too large.
        """
        if isinstance(value, str) or not isinstance(value, (Mapping, Sequence)):
            return self._scalar(value)
        if depth > limits.DEPTH:
            raise FeelLimitExceeded("depth of values", limits.DEPTH)
        if len(value) > limits.LIST_SIZE:
            raise FeelLimitExceeded("list size", limits.LIST_SIZE)
        self.step(len(value))
        if isinstance(value, Mapping):
            return {str(key): self.convert(entry, depth + 1) for key, entry in value.items()}
        return [self.convert(item, depth + 1) for item in value]

    @staticmethod
    def _scalar(value: Value) -> Value:
        if type(value) in _AS_THEY_ARE:
            return value
        if isinstance(value, Decimal):
            return CONTEXT.plus(value) if value.is_finite() else None
        if isinstance(value, int):
            return CONTEXT.create_decimal(value)
        if isinstance(value, float):
            return Run._scalar(Decimal(repr(value)))
        for wanted in (str, datetime, date, time, timedelta):
            if isinstance(value, wanted):
                return value
        return None
