"""Numbers as the reader's language writes them; every digit is kept."""

from __future__ import annotations

from decimal import Decimal

from babel.numbers import format_decimal

from web.texts.language import current_language

#: What Python's decimal arithmetic computes exactly by default; longer ones stand as they are.
_MOST_DIGITS = 27


def number(value: Decimal | int) -> str:
    """Return a number with its groups of digits, and as many digits behind the point as it was given with."""
    exact = Decimal(value)
    if abs(exact.adjusted()) > _MOST_DIGITS or len(exact.as_tuple().digits) > _MOST_DIGITS:
        return str(exact)
    exponent = exact.as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(exact, format=pattern, locale=current_language(), decimal_quantization=False)
