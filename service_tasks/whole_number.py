"""A count among an operation's inputs, whichever exact number form carried it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated

from pydantic import BeforeValidator


def _whole(value: object) -> object:
    """Turn an exact number without a fraction into an ``int``; leave everything else to the strict check.

    FEEL knows decimals only, and job arguments carry exact numbers as strings, so a drawn ``14`` arrives as
    ``Decimal("14")`` or ``"14"``.
    """
    if isinstance(value, str):
        try:
            value = Decimal(value)
        except InvalidOperation:
            return value
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
        return int(value)
    return value


#: A whole number that may arrive as an integer, a decimal or a numeric string.
WholeNumber = Annotated[int, BeforeValidator(_whole)]
