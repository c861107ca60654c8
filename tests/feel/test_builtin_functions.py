"""The built-in functions: one row per rule of DMN 1.5, 10.3.4 (tables 70 to 79)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pytest

from engine.feel import Range, Value, YearMonthDuration, compile_expression

D = Decimal

CONVERSION: list[tuple[str, Value]] = [
    ('number("1,234.5", ",", ".")', D("1234.5")),
    ('number("1 234,5", " ", ",")', D("1234.5")),
    ('number("abc")', None),
    ("string(1.10)", "1.10"),
    ("string(1e3)", "1000"),
    ("string(true)", "true"),
    ("string(null)", None),
    ('string(@"P1DT2H")', "P1DT2H"),
    ('string([1, "a", {b: null}])', '[1, "a", {b: null}]'),
    ('date(date and time("2026-01-31T08:30:00"))', date(2026, 1, 31)),
    ('date and time(date("2026-01-31"), time("08:30:00"))', datetime(2026, 1, 31, 8, 30)),  # noqa: DTZ001
    ("time(8, 30, 0)", time(8, 30)),
    ("time(25, 0, 0)", None),
    ('years and months duration(date("2025-01-31"), date("2026-03-01"))', YearMonthDuration(13)),
    ('range("[1..3]")', Range(start=D(1), end=D(3), start_included=True, end_included=True)),
    ('range("[3..1]")', None),
]
STRINGS: list[tuple[str, Value]] = [
    ('substring("foobar", 3)', "obar"),
    ('substring("foobar", 3, 3)', "oba"),
    ('substring("foobar", -2, 1)', "a"),
    ('substring("foobar", 0)', None),
    ('substring("\\U01F40Eab", 2)', "ab"),
    ('string length("\\U01F40Eab")', D(3)),
    ('upper case("aBc4")', "ABC4"),
    ('lower case("aBc4")', "abc4"),
    ('substring before("foobar", "bar")', "foo"),
    ('substring after("foobar", "ob")', "ar"),
    ('contains("foobar", "of")', False),
    ('starts with("foobar", "fo")', True),
    ('ends with("foobar", "r")', True),
    ('matches("foobar", "^fo*b")', True),
    ('matches("FOO", "foo", "i")', True),
    ('matches("a", "(")', None),
    ('replace("abcd", "(ab)|(a)", "[1=$1][2=$2]")', "[1=ab][2=]cd"),
    ('replace("a.b", ".", "-", "q")', "a-b"),
    ('split("John Doe", "\\s")', ["John", "Doe"]),
    ('split("a;b;;c", ";")', ["a", "b", "", "c"]),
    ('string join(["a", null, "c"], "_")', "a_c"),
    ('string join(["a", 1])', None),
]
LISTS: list[tuple[str, Value]] = [
    ("list contains([1, null], null)", True),
    ("count([1, 2, 3])", D(3)),
    ("count(null)", None),
    ("min([3, 1, 2])", D(1)),
    ("min(3, 1, 2)", D(1)),
    ('max(["a", "c", "b"])', "c"),
    ("min([])", None),
    ('max([1, "a"])', None),
    ("sum([1, 2.5])", D("3.5")),
    ("sum(1, null)", None),
    ("sum([])", None),
    ("mean([1, 2, 6])", D(3)),
    ("median(8, 2, 5, 3, 4)", D(4)),
    ("median([1, 2])", D("1.5")),
    ("stddev(2, 4, 7, 5)", D("2.081665999466132735282297706979931")),
    ("mode(6, 3, 9, 6, 6, 3, 3)", [D(3), D(6)]),
    ("product(2, 3, 4)", D(24)),
    ("all([true, null])", None),
    ("all([false, null])", False),
    ("all([])", True),
    ("any([null, true])", True),
    ("any([])", False),
    ("sublist([4, 5, 6], 1, 2)", [D(4), D(5)]),
    ("sublist([4, 5, 6], -1)", [D(6)]),
    ("append([1], 2, 3)", [D(1), D(2), D(3)]),
    ("concatenate([1, 2], [3])", [D(1), D(2), D(3)]),
    ("insert before([1, 3], 1, 2)", [D(2), D(1), D(3)]),
    ("remove([1, 2, 3], 2)", [D(1), D(3)]),
    ("list replace([1, 2, 3], 2, 9)", [D(1), D(9), D(3)]),
    ("list replace([1, 2, 3], function(item, newItem) item > 1, 9)", [D(1), D(9), D(9)]),
    ("reverse([1, 2, 3])", [D(3), D(2), D(1)]),
    ("index of([1, 2, 3, 2], 2)", [D(2), D(4)]),
    ("union([1, 2], [2, 3])", [D(1), D(2), D(3)]),
    ("distinct values([1, 2, 1, null, null])", [D(1), D(2), None]),
    ("flatten([[1, 2], [[3]], 4])", [D(1), D(2), D(3), D(4)]),
    ("sort([3, 1, 2])", [D(1), D(2), D(3)]),
    ("sort(list: [3, 1, 2], precedes: function(x, y) x > y)", [D(3), D(2), D(1)]),
]
NUMBERS: list[tuple[str, Value]] = [
    ("decimal(1/3, 2)", D("0.33")),
    ("decimal(1.5, 0)", D(2)),
    ("decimal(2.5, 0)", D(2)),
    ("decimal(1250, -2)", D("1.2E+3")),
    ("floor(-1.5)", D(-2)),
    ("floor(-1.56, 1)", D("-1.6")),
    ("ceiling(1.51, 1)", D("1.6")),
    ("round up(5.5, 0)", D(6)),
    ("round up(-1.121, 2)", D("-1.13")),
    ("round down(-5.5, 0)", D(-5)),
    ("round half up(5.5, 0)", D(6)),
    ("round half up(-5.5, 0)", D(-6)),
    ("round half down(5.5, 0)", D(5)),
    ("round half up(1, 7000)", None),
    ("abs(-10)", D(10)),
    ('abs(@"-P1D")', timedelta(days=1)),
    ("modulo(-12, 5)", D(3)),
    ("modulo(10.1, 4.5)", D("1.1")),
    ("modulo(1, 0)", None),
    ("sqrt(16)", D(4)),
    ("sqrt(-1)", None),
    ("log(0)", None),
    ("exp(0)", D(1)),
    ("odd(5)", True),
    ("even(2.5)", None),
]
OTHERS: list[tuple[str, Value]] = [
    ('day of year(date("2024-12-31"))', D(366)),
    ('day of week(date("2026-08-01"))', "Saturday"),
    ('month of year(date("2026-08-01"))', "August"),
    ('week of year(date("2021-01-03"))', D(53)),
    ('get value({k: 1}, "k")', D(1)),
    ("get entries({a: 1})", [{"key": "a", "value": D(1)}]),
    ('context([{key: "a", value: 1}])', {"a": D(1)}),
    ('context put({a: 1}, "b", 2)', {"a": D(1), "b": D(2)}),
    ('context put({a: {b: 1}}, ["a", "b"], 2)', {"a": {"b": D(2)}}),
    ("context merge([{a: 1}, {a: 2, b: 3}])", {"a": D(2), "b": D(3)}),
    ("before([1..5), 5)", True),
    ("after(6, [1..5])", True),
    ("meets([1..5], [5..8])", True),
    ("overlaps([1..5], [5..8))", True),
    ("overlaps before([1..5], [3..8])", True),
    ("finishes(5, [1..5])", True),
    ("includes([1..10], [4..5])", True),
    ("during(4, [1..10])", True),
    ("starts([1..5], [1..8])", True),
    ("coincides([1..5], [1..5])", True),
    ('is(@"10:00:00", @"10:00:00Z")', False),
]


@pytest.mark.parametrize(("text", "wanted"), [*CONVERSION, *STRINGS, *LISTS, *NUMBERS, *OTHERS])
def test_a_built_in_function_has_the_value_that_the_standard_gives(text: str, wanted: Value) -> None:
    value = compile_expression(text).evaluate({})

    assert value == wanted
    assert type(value) is type(wanted)


def test_arguments_may_be_given_by_name() -> None:
    text = 'substring(start position: 3, string: "foobar") + string join(delimiter: "-", list: ["a", "b"])'

    assert compile_expression(text).evaluate({}) == "obara-b"


def test_a_list_of_one_stands_for_its_item_where_one_is_wanted() -> None:
    assert compile_expression('contains(["foobar"], "oo")').evaluate({}) is True
