"""Properties: arithmetic is that of ``decimal``, and no text of a grammar or of chance does harm."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal, DecimalException, DivisionByZero, InvalidOperation, Overflow

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.feel import FeelError, FeelSyntaxError, Value, compile_expression, compile_unary_tests

REFERENCE = Context(
    prec=34, rounding=ROUND_HALF_EVEN, Emin=-6143, Emax=6144, traps=[InvalidOperation, DivisionByZero, Overflow]
)
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=6)


@pytest.mark.parametrize(
    ("sign", "operation"),
    [
        ("+", REFERENCE.add),
        ("-", REFERENCE.subtract),
        ("*", REFERENCE.multiply),
        ("/", REFERENCE.divide),
    ],
)
@given(left=NUMBERS, right=NUMBERS)
@settings(max_examples=150, deadline=None)
def test_arithmetic_is_that_of_decimal128(sign: str, operation: object, left: Decimal, right: Decimal) -> None:
    assert callable(operation)
    try:
        wanted = operation(left, right)
    except DecimalException:
        wanted = None

    assert compile_expression(f"a {sign} b").evaluate({"a": left, "b": right}) == wanted


@given(left=NUMBERS, right=NUMBERS)
@settings(max_examples=150, deadline=None)
def test_order_is_that_of_numbers(left: Decimal, right: Decimal) -> None:
    scope = {"a": left, "b": right}

    assert compile_expression("a < b").evaluate(scope) is (left < right)
    assert compile_expression("a >= b").evaluate(scope) is (left >= right)
    assert compile_expression("a = b").evaluate(scope) is (left == right)


@given(days=st.integers(-100_000, 100_000), start=st.dates())
@settings(max_examples=150, deadline=None)
def test_adding_and_taking_away_days_leads_back(days: int, start: object) -> None:
    text = 'if start + n * @"P1D" = null then start else start + n * @"P1D" - n * @"P1D"'

    assert compile_expression(text).evaluate({"start": start, "n": days}) == start  # type: ignore[dict-item]


def _expressions() -> st.SearchStrategy[str]:
    atoms = st.sampled_from(
        ["1", "0", "-2.5", "null", "true", '"a"', "x", "y.z", "full name", "[1..3]", '@"2026-01-31"', '@"P1D"', "item"]
    )
    operators = st.sampled_from([" + ", " - ", " * ", " / ", " ** ", " = ", " < ", " and ", " or ", " in "])

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.tuples(inner, operators, inner).map("".join),
            inner.map("({})".format),
            st.tuples(inner, inner).map(lambda two: f"[{two[0]}, {two[1]}]"),
            st.tuples(inner, inner).map(lambda two: f"({two[0]})[{two[1]}]"),
            st.tuples(inner, inner, inner).map(lambda three: f"if {three[0]} then {three[1]} else {three[2]}"),
            st.tuples(inner, inner).map(lambda two: f"for i in ({two[0]}) return ({two[1]})"),
            st.tuples(inner, inner).map(lambda two: f"some i in ({two[0]}) satisfies ({two[1]})"),
            inner.map(lambda one: f"{{a: {one}, b: a}}.b"),
            inner.map(lambda one: f"({one}).year"),
            st.tuples(st.sampled_from(["sum", "count", "not", "string", "flatten", "abs", "min", "date"]), inner).map(
                lambda call: f"{call[0]}({call[1]})"
            ),
            inner.map(lambda one: f"({one}) instance of number"),
            inner.map(lambda one: f"(function(p) p = {one})(1)"),
        )

    return st.recursive(atoms, grown, max_leaves=12)


SCOPE: dict[str, Value] = {"x": 3, "y": {"z": [1, 2, None]}, "full name": "n"}


@given(text=_expressions())
@settings(max_examples=1500, deadline=None)
def test_an_expression_of_the_grammar_has_a_value_within_the_bounds(text: str) -> None:
    try:
        expression = compile_expression(text, SCOPE)
    except FeelSyntaxError as refused:
        assert 0 <= refused.position <= len(text)  # noqa: PT017
        return
    value, reasons = expression.evaluate_with_reasons(SCOPE)

    assert expression.evaluate(SCOPE) == value
    assert all(0 <= reason.position <= len(text) for reason in reasons)


PIECES = [*"ab1 .,()[]{}<>=!+-*/\"'@?:~\\\n", "if ", "in ", "for ", "and ", "not", "..", "return "]


@given(text=st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(max_examples=1500, deadline=None)
def test_a_text_of_chance_is_an_expression_or_a_syntax_error(text: str) -> None:
    for compiled in (compile_expression, compile_unary_tests):
        try:
            compiled(text)
        except FeelSyntaxError as refused:
            assert 0 <= refused.position <= len(text)  # noqa: PT017


@given(value=st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=20))
@settings(max_examples=300, deadline=None)
def test_data_of_chance_does_no_harm(value: object) -> None:
    scope: dict[str, Value] = {"v": value}  # type: ignore[dict-item]
    for text in ("v + 1", "v = v", "v < 3", "string(v)", "count(v)", "v[1]", "sum(v)", "v.a", "distinct values(v)"):
        try:
            compile_expression(text).evaluate(scope)
        except FeelError as error:
            pytest.fail(str(error))
