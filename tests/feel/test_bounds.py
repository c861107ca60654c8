"""Nothing an expression or its data hold makes an evaluation crash, hang or grow without end."""

from __future__ import annotations

import pytest

from engine.feel import FeelLimitExceeded, FeelSyntaxError, Value, compile_expression, limits


@pytest.mark.parametrize(
    "text",
    [
        "1" + " + 1" * 1000,
        "(" * 1000 + "1" + ")" * 1000,
        "[" * 1000 + "]" * 1000,
        "-" * 5000 + "1",
        "not(" * 500 + "true" + ")" * 500,
        "if true then " * 500 + "1" + " else 2" * 500,
        "x in (" * 300 + "1" + ")" * 300,
        "a" + ".b" * 1000,
        "a" + "[1]" * 1000,
        "f" + "(1)" * 1000,
        "1 + " * 300_000 + "1",
        "x" * 1_000_000,
    ],
)
def test_an_expression_that_is_nested_too_deep_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(FeelSyntaxError):
        compile_expression(text)


def test_many_alternatives_are_not_nested() -> None:
    assert compile_expression(" or ".join(f"x = {number}" for number in range(1000))).evaluate({"x": 999}) is True


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("for x in 1..1000000 return x", "list size"),
        ("for x in 1..1000, y in 1..1000 return x", "list size"),
        ("every x in 1..90000 satisfies every y in 1..90000 satisfies true", "steps"),
        ("{f: function(n) f(n + 1), r: f(1)}.r", "call depth"),
        ("{f: function(n) if n = 0 then 1 else f(n - 1) + f(n - 1), r: f(60)}.r", "steps"),
        ('for i in 1..100 return if i = 1 then "xxxxxxxxxx" else partial[-1] + partial[-1]', "string length"),
        ("count(flatten(for i in 1..60 return if i = 1 then [1] else [partial[-1], partial[-1]]))", "list size"),
        ("string((for i in 1..60 return if i = 1 then [1] else [partial[-1], partial[-1]])[-1])", "string length"),
        (
            "(for i in 1..60 return if i = 1 then [1] else [partial[-1], partial[-1]])[-1]"
            " = (for i in 1..60 return if i = 1 then [1] else [partial[-1], partial[-1]])[-1]",
            "steps",
        ),
        ("big[item > 1]", "list size"),
        ("sum(big)", "list size"),
        ("deep = 1", "depth of values"),
    ],
)
def test_an_evaluation_ends_at_its_bounds(text: str, limit: str) -> None:
    deep: list[Value] = []
    for _ in range(limits.DEPTH + 10):
        deep = [deep]

    with pytest.raises(FeelLimitExceeded) as exceeded:
        compile_expression(text).evaluate({"big": list(range(1_000_000)), "deep": deep})

    assert exceeded.value.limit == limit


@pytest.mark.parametrize(
    "text",
    [
        'matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "^(a+)+$")',
        'replace("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "(a|aa)+$", "b")',
    ],
)
def test_a_hostile_pattern_takes_linear_time(text: str) -> None:
    assert compile_expression(text).evaluate({}) in (False, "b")


@pytest.mark.parametrize("text", ["9" * 5000, "1e999999", "10 ** 100000", '@"P99999999999999999999D"', "exp(99999)"])
def test_a_number_beyond_the_language_is_null(text: str) -> None:
    assert compile_expression(text).evaluate({}) is None
