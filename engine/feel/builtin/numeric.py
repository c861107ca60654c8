"""Numeric functions and ``not`` (DMN 1.5, 10.3.4.2 and 10.3.4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal

from engine.feel.builtin.registry import builtin
from engine.feel.errors import Fault
from engine.feel.numbers import CONTEXT, ZERO, rounded
from engine.feel.run import Run
from engine.feel.values import Value, YearMonthDuration

_TWO = Decimal(2)


@builtin("not", "negand: anything")
def logical_not(run: Run, negand: Value) -> Value:
    """Return the opposite of a boolean. Raises Fault for anything else."""
    if not isinstance(negand, bool):
        raise Fault("the argument is neither true nor false")
    return not negand


@builtin("decimal", "n: number, scale: number")
def decimal(run: Run, n: Decimal, scale: Decimal) -> Value:
    """Round half to even."""
    return rounded(n, scale, "ROUND_HALF_EVEN")


@builtin("floor", "n: number, scale?: number")
def floor(run: Run, n: Decimal, scale: Decimal | None = None) -> Value:
    """Round down."""
    return rounded(n, scale or ZERO, "ROUND_FLOOR")


@builtin("ceiling", "n: number, scale?: number")
def ceiling(run: Run, n: Decimal, scale: Decimal | None = None) -> Value:
    """Round up."""
    return rounded(n, scale or ZERO, "ROUND_CEILING")


#: The four roundings with a required scale (table 75).
_ROUNDINGS: Mapping[str, str] = {
    "round up": "ROUND_UP",
    "round down": "ROUND_DOWN",
    "round half up": "ROUND_HALF_UP",
    "round half down": "ROUND_HALF_DOWN",
}


def _declare_rounding(name: str, rounding: str) -> None:
    @builtin(name, "n: number, scale: number")
    def round_to_scale(run: Run, n: Decimal, scale: Decimal) -> Value:  # pyright: ignore[reportUnusedFunction]
        return rounded(n, scale, rounding)


for _name, _rounding in _ROUNDINGS.items():
    _declare_rounding(_name, _rounding)


@builtin("abs", "n: number | days and time duration | years and months duration")
def absolute(run: Run, n: Decimal | timedelta | YearMonthDuration) -> Value:
    """Return the absolute value of a number or a duration."""
    if isinstance(n, YearMonthDuration):
        return YearMonthDuration(abs(n.months))
    return abs(n) if isinstance(n, timedelta) else CONTEXT.abs(n)


@builtin("modulo", "dividend: number, divisor: number")
def modulo(run: Run, dividend: Decimal, divisor: Decimal) -> Value:
    """Return ``dividend - divisor * floor(dividend / divisor)``. Raises Fault for a divisor of zero."""
    if not divisor:
        raise Fault("a division by zero")
    rest = CONTEXT.remainder(dividend, divisor)
    return CONTEXT.add(rest, divisor) if rest and rest.is_signed() is not divisor.is_signed() else rest


@builtin("sqrt", "number: number")
def square_root(run: Run, number: Decimal) -> Value:
    """Return the positive square root."""
    return CONTEXT.sqrt(number)


@builtin("log", "number: number")
def logarithm(run: Run, number: Decimal) -> Value:
    """Return the natural logarithm. Raises Fault for a number that is not positive."""
    if number <= 0:
        raise Fault("only a positive number has a logarithm")
    return CONTEXT.ln(number)


@builtin("exp", "number: number")
def exponential(run: Run, number: Decimal) -> Value:
    """Return Euler's number raised to a power."""
    return CONTEXT.exp(number)


@builtin("odd", "number: number")
def odd(run: Run, number: Decimal) -> Value:
    """Return whether a whole number is odd. Raises Fault for a number that is not whole."""
    return _half(number) != 0


@builtin("even", "number: number")
def even(run: Run, number: Decimal) -> Value:
    """Return whether a whole number is even. Raises Fault for a number that is not whole."""
    return _half(number) == 0


def _half(number: Decimal) -> Decimal:
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and exponent > 0:
        return ZERO
    if number != number.to_integral_value():
        raise Fault("the number is not whole")
    return CONTEXT.remainder(CONTEXT.abs(number), _TWO)
