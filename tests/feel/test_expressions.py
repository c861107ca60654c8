"""What expressions mean: one row per rule, with the clause of DMN 1.5 or the arithmetic that it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from engine.feel import Value, YearMonthDuration, compile_expression

D = Decimal

SCOPE: Mapping[str, Value] = {
    "amount": 1500,
    "price": D("0.10"),
    "category": "raw",
    "is urgent": True,
    "Full Name": "Wang Li",
    "risk": {"level": "LOW", "score": 3, "net-weight": D("2.5")},
    "lines": [{"material": "A", "quantity": 5}, {"material": "B", "quantity": 12}],
    "nothing": None,
    "needed by": date(2026, 3, 31),
    "größe": 7,
}

OPERATORS: list[tuple[str, Value]] = [
    # Numbers, 10.3.2.3.1 and table 45: decimal128, half to even
    ("0.1 + 0.2", D("0.3")),
    ("1 / 3", D("0.3333333333333333333333333333333333")),  # 34 digits
    ("2 / 3", D("0.6666666666666666666666666666666667")),
    ("10 - 4 - 3", D(3)),  # from left to right
    ("2 + 3 * 4", D(14)),
    ("(2 + 3) * 4", D(20)),
    ("2 ** 3 ** 2", D(64)),  # from left to right: 8 ** 2
    ("-2 ** 2", D(4)),  # minus binds stronger than ** (grammar rule 4)
    ("--5", D(5)),
    ("4 ** 0.5", D(2)),
    (".5 + 1e2", D("100.5")),
    ("1 / 0", None),
    ("1 + null", None),
    ('1 + "1"', None),
    ("10 ** 7000", None),  # beyond the exponent of decimal128, 6144
    ("0 ** -1", None),
    # Strings, 10.3.2.3.2
    ('"a" + "b"', "ab"),
    (r'"line\n\"quoted\" \u00e9 \U01F40E"', 'line\n"quoted" é 🐎'),
    (r'"\uD83D\uDC0E"', "🐎"),
    ('"a" * 2', None),
    # Equality, table 42: null equals null only, different kinds have no answer
    ("null = null", True),
    ("amount = null", False),
    ("amount != null", True),
    ('1 = "1"', None),
    ("1 = 1.00", True),
    ("[1, 2] = [1, 2]", True),
    ("[1, 2] = [2, 1]", False),
    ("{a: 1, b: 2} = {b: 2, a: 1}", True),
    ("[1..3] = [1..3]", True),
    ("[1..3] = [1..3)", False),
    # Order
    ("amount > 1000", True),
    ('"abc" < "abd"', True),
    ('1 < "2"', None),
    ("null < 1", None),
    ("true < false", None),
    ('date("2026-01-01") < date("2026-01-02")', True),
    ("2 between 1 and 2", True),
    ("3 between 1 and 2", False),
    ("null between 1 and 2", None),
    # Three-valued logic, table 41
    ("true and null", None),
    ("false and null", False),
    ("null and false", False),
    ("null or true", True),
    ("null and true", None),
    ("null or false", None),
    ("true or null", True),
    ("false or null", None),
    ("true and 1", None),
    ("false or false or true", True),
    ("true and true and null", None),
    ("not(null)", None),
    ("not(false)", True),
    # Conditional, table 54
    ('if amount > 1000 then "big" else "small"', "big"),
    ('if null then "big" else "small"', "small"),
    ("(if true then 1 else 2) + 1", D(2)),
    # Membership, table 55
    ("5 in [1..10]", True),
    ("1 in (1..10]", False),
    ("10 in [1..10[", False),
    ("1 in ]1..10]", False),
    ("5 in (< 3, > 4)", True),
    ("5 in < 3", False),
    ('"a" in ["a", "b"]', True),
    ("5 in ([1..3], [4..6])", True),
    ("null in [1..3]", None),
    ('"x" in [1..3]', None),
    # Types, 10.3.2.9
    ("1 instance of number", True),
    ("null instance of Any", False),
    ("[1, 2] instance of list<number>", True),
    ('[1, "2"] instance of list<number>', False),
    ("{a: 1} instance of context<a: number>", True),
    ('@"P1D" instance of days and time duration', True),
]

STRUCTURES: list[tuple[str, Value]] = [
    # Paths, 10.3.2.5
    ("risk.level", "LOW"),
    ("risk.unknown", None),
    ("nothing.level", None),
    ("missing.level", None),
    ("risk.net-weight", D("2.5")),
    ("lines.material", ["A", "B"]),
    # Filters, 10.3.2.5: by condition, by place from 1, from the end
    ("lines[quantity > 10].material", ["B"]),
    ("lines[item.quantity > 10].material", ["B"]),
    ("lines[quantity > risk.score * 2].material", ["B"]),
    ("[10, 20, 30][2]", D(20)),
    ("[10, 20, 30][-1]", D(30)),
    ("[10, 20, 30][0]", None),
    ("[10, 20, 30][4]", None),
    ("[10, 20, 30][1 + 1]", D(20)),
    ("[1, 2, 3][item > 1]", [D(2), D(3)]),
    ("amount[1]", D(1500)),  # a single value is a list of it, 10.3.2.9.4
    ("null[item > 1]", []),
    # Contexts, 10.3.2.6: later entries read earlier ones
    ("{a: 1, b: a + 1}", {"a": D(1), "b": D(2)}),
    ('{"full name": 1, x y: 2}', {"full name": D(1), "x y": D(2)}),
    ("{first name: 1, twice: first name * 2}.twice", D(2)),
    # Iteration, 10.3.2.14
    ("for x in [1, 2, 3] return x * 2", [D(2), D(4), D(6)]),
    ("for x in 1..3 return x", [D(1), D(2), D(3)]),
    ("for x in 3..1 return x", [D(3), D(2), D(1)]),
    ("for x in [1..3) return x", [D(1), D(2)]),
    ("for x in 1..2, y in [10, 20] return x * y", [D(10), D(20), D(20), D(40)]),
    ("for x in 1..2, y in [x, 0] return y", [D(1), D(0), D(2), D(0)]),
    ("for i in 0..4 return if i = 0 then 1 else i * partial[-1]", [D(1), D(1), D(2), D(6), D(24)]),
    ("for i in 1..3 return partial", [[], [[]], [[], [[]]]]),
    ('for d in @"2026-02-27"..@"2026-03-01" return d.day', [D(27), D(28), D(1)]),
    ("for x in null return x", None),
    # Quantifiers, table 56
    ("some x in [1, 2] satisfies x > 1", True),
    ("every x in [1, 2] satisfies x > 1", False),
    ("every x in [] satisfies x > 1", True),
    ("some x in [] satisfies x > 1", False),
    ("some x in [1, null] satisfies x > 1", None),
    ("some l in lines satisfies l.quantity > amount", False),
    # Functions, 10.3.2.13
    ("(function(a, b) a + b)(1, 2)", D(3)),
    ("(function(a, b) a - b)(b: 1, a: 3)", D(2)),
    ("{f: function(n: number) if n < 2 then 1 else n * f(n - 1), r: f(20)}.r", D(2432902008176640000)),
    ("{add: function(a) function(b) a + b, r: add(1)(2)}.r", D(3)),
    ("(function(a) a)(1, 2)", None),
    ('(function(a: number) a)("x")', None),
    ("amount(1)", None),
    # Names, 10.3.1.2
    ("Full Name", "Wang Li"),
    ("is urgent and amount > 1", True),
    ("größe + 1", D(8)),
    ('needed by + @"P1M"', date(2026, 4, 30)),
    # Comments and layout
    ("1 + // one\n 2 /* two */", D(3)),
]

TEMPORALS: list[tuple[str, Value]] = [
    # Reading, 10.3.2.3.4 to 10.3.2.3.8
    ('@"2026-01-31"', date(2026, 1, 31)),
    ('date("2026-02-30")', None),
    ('@"2026-02-30"', None),
    ("date(2024, 2, 29)", date(2024, 2, 29)),
    ('time("08:30:00")', time(8, 30)),
    ('time("08:30:00Z")', time(8, 30, tzinfo=UTC)),
    ('date and time("2026-01-31T08:30:00")', datetime(2026, 1, 31, 8, 30)),  # noqa: DTZ001
    ('date and time("2026-01-31T08:30:00Z")', datetime(2026, 1, 31, 8, 30, tzinfo=UTC)),
    ('duration("P1DT2H30M")', timedelta(days=1, hours=2, minutes=30)),
    ('duration("-P1Y2M")', YearMonthDuration(-14)),
    ('duration("P1Y2D")', None),
    # Arithmetic, table 45
    ('@"2026-01-31" + @"P1M"', date(2026, 2, 28)),
    ('@"2024-02-29" - @"P1Y"', date(2023, 2, 28)),
    ('@"2026-03-01" - @"2026-02-01"', timedelta(days=28)),
    ('@"2026-01-01" + @"P1D"', date(2026, 1, 2)),
    ('@"23:30:00" + @"PT1H"', time(0, 30)),
    ('@"P1D" * 1.5', timedelta(hours=36)),
    ('@"P1Y" / 2', YearMonthDuration(6)),
    ('@"P2D" / @"PT12H"', D(4)),
    ('@"9999-12-31" + @"P1D"', None),
    # Winter to summer time: instants, not clock faces (Europe/Berlin, 29 March 2026, 02:00)
    (
        '@"2026-03-29T03:00:00@Europe/Berlin" - @"2026-03-29T01:00:00@Europe/Berlin"',
        timedelta(hours=1),
    ),
    ('string(@"2026-03-29T01:00:00@Europe/Berlin" + @"PT1H")', "2026-03-29T03:00:00@Europe/Berlin"),
    # Comparison on the time line
    ('@"2026-01-01T12:00:00Z" = @"2026-01-01T13:00:00+01:00"', True),
    ('@"2026-01-01T12:00:00" < @"2026-01-01T13:00:00Z"', None),
    # Properties, table 65
    ('@"2026-01-31".weekday', D(6)),
    ('@"2026-01-31T08:30:15Z".second', D(15)),
    ('@"P1DT2H".hours', D(2)),
    ('@"P14M".years', D(1)),
    ('@"2026-01-31T08:30:00+01:00".time offset', timedelta(hours=1)),
    ("[1..5).end included", False),
    # The clock is an argument
    ("now()", datetime(2026, 1, 31, 12, tzinfo=UTC)),
    ("today()", date(2026, 1, 31)),
]


@pytest.mark.parametrize(("text", "wanted"), [*OPERATORS, *STRUCTURES, *TEMPORALS])
def test_an_expression_has_the_value_that_the_standard_gives(text: str, wanted: Value) -> None:
    expression = compile_expression(text, SCOPE, members=("net-weight",))

    value = expression.evaluate(SCOPE, now=datetime(2026, 1, 31, 12, tzinfo=UTC))

    assert value == wanted
    assert type(value) is type(wanted)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0", "a division by zero"),
        ("missing + 1", "there is no 'missing' here"),
        ("risk.unknown", "there is no 'unknown' in risk"),
        ('1 < "a"', "number and string have no order"),
        ('@"2026-02-30"', "there is no day 2026-02-30"),
        ("substring(1, 2)", "substring: the argument 'string' is number, not string"),
        ("[1][5]", "there is no item 5 in a list of 1"),
        ("now()", "now: there is no clock here"),
        ("true and 1", "an operand of and is neither true nor false"),
    ],
)
def test_null_comes_with_its_reason(text: str, reason: str) -> None:
    value, reasons = compile_expression(text, SCOPE).evaluate_with_reasons(SCOPE)

    assert value is None
    assert reason in [found.text for found in reasons]
    assert all(0 <= found.position < len(text) for found in reasons)


def test_a_presence_test_gives_no_reason() -> None:
    expression = compile_expression("if is defined(risk.unknown) then 1 else 2")

    assert expression.evaluate_with_reasons(SCOPE) == (D(2), ())


@pytest.mark.parametrize(
    ("text", "wanted"), [("is defined(nothing)", True), ("is defined(risk.level)", True), ("is defined(gone)", False)]
)
def test_a_null_that_is_there_is_defined(text: str, wanted: bool) -> None:
    assert compile_expression(text).evaluate(SCOPE) is wanted


def test_numbers_come_in_as_int_and_go_out_as_decimal() -> None:
    value = compile_expression("{n: n, m: [n]}").evaluate({"n": 3})

    assert repr(value) == "{'n': Decimal('3'), 'm': [Decimal('3')]}"


def test_a_variable_may_have_the_name_of_a_function() -> None:
    assert compile_expression("count + 1", ["count"]).evaluate({"count": 2}) == D(3)
    assert compile_expression("count([1, 2])").evaluate({"count": 2}) == D(2)
