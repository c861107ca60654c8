"""The cells of decision tables (DMN 1.5, 7.3.3; grammar rules 14 to 17; table 55)."""

from __future__ import annotations

from datetime import date

import pytest

from engine.feel import FeelSyntaxError, Value, compile_unary_tests

SCOPE: dict[str, Value] = {"limit": 10, "categories": ["raw", "packaging"], "is open": True}

CASES: list[tuple[str, Value, bool | None]] = [
    ("-", 5, True),
    ("", None, True),
    ("5", 5, True),
    ("5", 6, False),
    ("< 5", 4, True),
    (">= 5", 5, True),
    ("!= 5", 5, False),
    ("< limit", 9, True),
    ("[1..5]", 5, True),
    ("(1..5)", 5, False),
    ("]1..5[", 1, False),
    ("< 3, > 7, 5", 5, True),
    ("< 3, > 7, 5", 6, False),
    ('"a","b"', "b", True),
    ('not("a","b")', "b", False),
    ('not("a","b")', "c", True),
    ("not(< 3)", 5, True),
    ("not(null)", None, False),
    ("null", None, True),
    ("null", 1, False),
    ("categories", "raw", True),
    ("categories", "other", False),
    ("true", True, True),
    ("false", False, True),
    ("false", True, False),
    ("? > 3 and ? < limit", 5, True),
    ('starts with(?, "AB")', "ABC", True),
    ("even(?)", 3, False),
    ("is open", 5, True),
    ('@"2026-01-31"', date(2026, 1, 31), True),
    ('>= date("2026-01-31")', date(2026, 1, 30), False),
    ("< 5", None, None),
    ("< 5", "a", None),
    ("not(< 5)", None, None),
]


@pytest.mark.parametrize(("text", "value", "wanted"), CASES)
def test_a_cell_matches_as_the_standard_says(text: str, value: Value, wanted: bool | None) -> None:
    assert compile_unary_tests(text, SCOPE).matches(value, SCOPE) is wanted


@pytest.mark.parametrize("text", ["<", "1 2", "not(1", "- 5,", "[1..", '"a" "b"'])
def test_a_malformed_cell_is_refused(text: str) -> None:
    with pytest.raises(FeelSyntaxError):
        compile_unary_tests(text)
