"""Numbers as the reader's language writes them; every digit that counts is kept."""

from __future__ import annotations

from decimal import Decimal

from babel.numbers import format_decimal

from web.texts.language import current_language


def number(value: Decimal | int) -> str:
    """Return a number with its groups of digits; trailing zeros behind the point go, nothing is rounded."""
    exact = Decimal(value)
    if exact == exact.to_integral_value():
        exact = exact.quantize(Decimal(1)) if abs(exact.adjusted()) < 27 else exact
    return format_decimal(exact, locale=current_language(), decimal_quantization=False)
