"""How a value becomes a business or correlation key."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from engine.contract.keys import key_text

KEYS = [
    ("PO-1", "PO-1"),
    (" PO-1 ", "PO-1"),
    # A text is a text: nobody knows whether its zeros mean something.
    ("007.50", "007.50"),
    (7, "7"),
    (Decimal("7"), "7"),
    (Decimal("7.00"), "7"),
    (Decimal("1.50"), "1.5"),
    (Decimal("1E+3"), "1000"),
    (Decimal("1E-3"), "0.001"),
    (Decimal("-0.00"), "0"),
    (-100, "-100"),
    # Longer than the 34 digits of decimal128: no digit is rounded away.
    (Decimal("123456789012345678901234567890123456789.10"), "123456789012345678901234567890123456789.1"),
    (10**30 + 1, "1000000000000000000000000000001"),
    ("", None),
    ("  ", None),
    (None, None),
    (True, None),
    (1.5, None),
    (date(2026, 3, 2), None),
    (["PO-1"], None),
]


@pytest.mark.parametrize(("value", "key"), KEYS)
def test_a_value_is_a_key_by_what_it_amounts_to(value: object, key: str | None) -> None:
    assert key_text(value) == key
