"""Numbers as the reader's language writes them; every digit is kept."""

from __future__ import annotations

from decimal import Decimal

from babel.numbers import format_decimal

from web.texts.language import current_language


def number(value: Decimal | int) -> str:
    """Return a number with its groups of digits, and as many digits behind the point as it was given with."""
    exact = Decimal(value)
    exponent = exact.as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(exact, format=pattern, locale=current_language(), decimal_quantization=False)
