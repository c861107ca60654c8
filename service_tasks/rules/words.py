"""Sentences in the two languages of the company, for people who read a rule's result."""

from __future__ import annotations

from decimal import Decimal

from engine.contract.operation import Values


class Text(Values):
    """One sentence in English and Chinese."""

    en: str
    zh: str


def plain(value: Decimal) -> str:
    """Write a number without exponent and idle zeros: ``2.50`` as ``2.5``, ``4E+2`` as ``400``."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
