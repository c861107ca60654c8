"""What is no expression, how names are found, and what an expression says that it reads."""

from __future__ import annotations

from contextlib import suppress

import pytest

from engine.feel import FeelSyntaxError, compile_expression, compile_unary_tests


@pytest.mark.parametrize(
    ("text", "position", "told"),
    [
        ("", 0, "the expression ends"),
        ("1 +", 3, "the expression ends"),
        ("(1", 2, "expected )"),
        ("1 2", 2, "found '2'"),
        ('"open', 0, "does not end"),
        ("/* open", 0, "does not end"),
        ("[1, 2", 5, "expected ]"),
        ("{a 1}", 4, "expected :"),
        ("{1: 2}", 1, "expected a new name"),
        ("{a: 1, a: 2}", 7, "two entries"),
        ("if 1 then 2", 11, "expected else"),
        ("a.", 2, "after the dot"),
        ("amount % 2", 7, "found '%'"),
        ("f(1, a: 2)", 1, "either by position or by name"),
        ('function() external {java: {class: "X"}}', 11, "external functions are not run"),
        ("x = = 1", 4, "found '='"),
    ],
)
def test_a_syntax_error_says_where_and_why(text: str, position: int, told: str) -> None:
    with pytest.raises(FeelSyntaxError) as refused:
        compile_expression(text)

    assert refused.value.text == text
    assert refused.value.position == position
    assert told in refused.value.reason


@pytest.mark.parametrize(
    ("text", "names", "value"),
    [
        ("a-b", ["a", "b"], 1),
        ("a-b", ["a", "b", "a-b"], 7),  # the longest name that the scope has (10.3.1.2)
        ("order in stock + 1", ["order in stock"], 5),
        ("if   full  name = 3 then 1 else 0", ["full name"], 1),
        ("x y z", [], None),
        ("date", ["date"], 9),
    ],
)
def test_names_are_resolved_against_the_scope(text: str, names: list[str], value: int | None) -> None:
    scope = {"a": 3, "b": 2, "a-b": 7, "order in stock": 4, "full name": 3, "date": 9}

    assert compile_expression(text, names).evaluate(scope) == value


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('amount > 1000 and category = "raw"', {"amount", "category"}),
        ("risk.level = risk.limit.max", {"risk.level", "risk.limit.max"}),
        ("for x in orders return x.amount + fee", {"orders", "fee"}),
        ("some o in orders satisfies o.limit > limits.high", {"orders", "limits.high"}),
        ("{a: b, c: a}", {"b"}),
        ("(function(x) x + y.z)(1)", {"y.z"}),
        ("count(orders) + sum(orders.amount)", {"orders", "orders.amount"}),
        ("orders[amount > limit].id", {"orders", "limit"}),
        ("orders[amount > limits.high]", {"orders", "limits.high"}),
        ('date("2026-01-01")', set[str]()),
    ],
)
def test_an_expression_says_which_variables_it_reads(text: str, paths: set[str]) -> None:
    expression = compile_expression(text, ["orders", "limit", "limits", "fee", "risk", "b", "y"])

    assert expression.paths == paths


def test_an_unknown_name_inside_a_filter_is_only_possibly_a_variable() -> None:
    expression = compile_expression("orders[amount > 3]", ["orders"])

    assert expression.paths == {"orders"}
    assert expression.possible_paths == {"amount"}


def test_the_tested_value_of_a_cell_is_no_path() -> None:
    assert compile_unary_tests("? > limit, [low..high]").paths == {"limit", "low", "high"}


def test_a_text_is_compiled_once_for_each_set_of_names() -> None:
    assert compile_expression("a + 1", ["a"]) is compile_expression("a + 1", ["a"])
    assert compile_expression("a + 1", ["a"]) is not compile_expression("a + 1", ["b"])


@pytest.mark.parametrize(
    "text",
    ["__import__", "().__class__", '"".__class__', '"x".append', "amount.__class__.__mro__", "{}.keys", "import os"],
)
def test_python_cannot_be_reached(text: str) -> None:
    with suppress(FeelSyntaxError):
        assert compile_expression(text).evaluate({"amount": 1}) is None
