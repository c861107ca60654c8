"""Numbers are decimal128: 34 digits, rounded half to even (DMN 1.5, 10.3.2.3.1; IEEE 754-2008)."""

from __future__ import annotations

import re
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow

from engine.feel import limits
from engine.feel.errors import Fault

#: Every arithmetic result goes through this context; a result that does not exist becomes null.
CONTEXT = Context(
    prec=34,
    rounding="ROUND_HALF_EVEN",
    Emin=-6143,
    Emax=6144,
    capitals=1,
    clamp=0,
    flags=[],
    traps=[InvalidOperation, DivisionByZero, Overflow],
)

#: Scale changes only ever remove digits, so that they need room but never round twice.
_WIDE = Context(prec=13_000, Emin=-20_000, Emax=20_000, traps=[InvalidOperation])

#: The scales that decimal128 knows (DMN 1.5, table 75).
_SCALES = range(-6111, 6177)

_LITERAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,6})?")

ZERO = Decimal(0)


def to_number(text: str) -> Decimal:
    """Return the number that a text spells, rounded to 34 digits. Raises Fault when it spells none."""
    if len(text) > limits.NUMBER_LENGTH or _LITERAL.fullmatch(text) is None:
        raise Fault(f"{text[:40]!r} is not a number")
    try:
        return CONTEXT.create_decimal(text)
    except (InvalidOperation, Overflow):
        raise Fault(f"{text[:40]} is outside the numbers that FEEL has") from None


def rounded(number: Decimal, scale: Decimal, rounding: str) -> Decimal:
    """Return the number with at most ``scale`` digits after the point. Raises Fault for a scale outside decimal128."""
    places = to_index(scale)
    if places not in _SCALES:
        raise Fault(f"the scale {places} is not between {_SCALES.start} and {_SCALES.stop - 1}")
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or -exponent <= places:
        return number
    return CONTEXT.plus(number.quantize(Decimal((0, (1,), -places)), rounding=rounding, context=_WIDE))


def to_index(number: Decimal) -> int:
    """Return the whole number in a Decimal, cutting its fraction off. Raises Fault when it is beyond any list."""
    if number.adjusted() > 18:
        raise Fault("the number is too large to count with")
    return int(number)


def number_text(number: Decimal) -> str:
    """Return a number in plain digits, as ``string()`` writes it."""
    if not number:
        number = abs(number)
    return format(number, "f")
