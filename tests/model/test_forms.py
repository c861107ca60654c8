"""Forms: what is read, what is refused, and what a submission may hold."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Form, validate_values
from engine.model.findings import Findings
from engine.model.form_reader import read_form
from engine.model.forms import Block, Column, FieldValue, ProblemKind, keys
from engine.model.text_pattern import is_found, unusable_pattern


def form(*components: dict[str, object]) -> Form:
    findings = Findings()
    numbered = [{"id": f"c{index}", **component} for index, component in enumerate(components)]
    read = read_form(orjson.dumps({"components": numbered}), "forms/f.form", "f", findings)
    assert read is not None
    assert [str(each) for each in findings] == []
    return read


def refused(*components: dict[str, object]) -> list[str]:
    findings = Findings()
    numbered = [{"id": f"c{index}", **component} for index, component in enumerate(components)]
    read_form(orjson.dumps({"components": numbered}), "forms/f.form", "f", findings)
    return [each.rule for each in findings]


def field(kind: str, validate: dict[str, object] | None = None, **more: object) -> dict[str, object]:
    return {"type": kind, "key": "v", "label": "Value", "validate": validate or {}, **more}


CHOICES = [{"label": "Raw", "value": "raw"}, {"label": "Packaging", "value": "pack"}]


@pytest.mark.parametrize(
    ("component", "given_value", "expected"),
    [
        (field("textfield"), "abc", "abc"),
        (field("textfield"), "", None),
        (field("textarea"), "a\nb", "a\nb"),
        (field("number"), 5, Decimal(5)),
        (field("number"), "12400", Decimal(12400)),
        (field("number"), "1.50", Decimal("1.50")),
        (field("number"), 0.1, Decimal("0.1")),
        (field("number", {"min": 1, "max": 5}), 5, Decimal(5)),
        (field("number", decimalDigits=2), "1.20", Decimal("1.20")),
        (field("checkbox"), True, True),
        (field("checkbox"), "on", True),
        (field("checkbox"), None, False),
        (field("radio", values=CHOICES), "raw", "raw"),
        (field("select", values=CHOICES), "pack", "pack"),
        (field("datetime"), "2026-03-01", date(2026, 3, 1)),
        (field("datetime", subtype="time"), "08:30", time(8, 30)),
        (field("datetime", subtype="datetime"), "2026-03-01T08:00:00Z", datetime(2026, 3, 1, 8, tzinfo=UTC)),
        (field("textfield", {"pattern": "[0-9]"}), "a1", "a1"),
        (field("textfield", {"validationType": "email"}), "kim@example.org", "kim@example.org"),
        (field("textfield", {"minLength": 2, "maxLength": 3}), " ab ", " ab "),
    ],
)
def test_a_good_value_is_taken_as_its_type(component: dict[str, object], given_value: object, expected: object) -> None:
    clean, problems = validate_values(form(component), {"v": given_value})

    assert problems == ()
    assert clean == {"v": expected}
    assert type(clean["v"]) is type(expected)


@pytest.mark.parametrize(
    ("component", "given_value", "kind"),
    [
        (field("textfield", {"required": True}), "", ProblemKind.REQUIRED),
        (field("textfield", {"required": True}), "  ", ProblemKind.REQUIRED),
        (field("textfield", {"required": True}), None, ProblemKind.REQUIRED),
        (field("textfield"), 5, ProblemKind.NOT_A_TEXT),
        (field("textfield", {"minLength": 3}), " ab ", ProblemKind.TOO_SHORT),
        (field("textfield", {"maxLength": 3}), "abcd", ProblemKind.TOO_LONG),
        (field("textfield"), "x" * 10_001, ProblemKind.TOO_LONG),
        (field("textfield", {"pattern": "^[0-9]{3}$"}), "12", ProblemKind.PATTERN),
        (field("textfield", {"validationType": "email"}), "kim", ProblemKind.EMAIL),
        (field("textfield", {"validationType": "phone"}), "call me", ProblemKind.PHONE),
        (field("number"), "abc", ProblemKind.NOT_A_NUMBER),
        (field("number"), "NaN", ProblemKind.NOT_A_NUMBER),
        (field("number"), "Infinity", ProblemKind.NOT_A_NUMBER),
        (field("number"), True, ProblemKind.NOT_A_NUMBER),
        (field("number"), "1e99", ProblemKind.NOT_A_NUMBER),
        (field("number"), "1" * 40, ProblemKind.NOT_A_NUMBER),
        (field("number", {"min": 1}), "0.99", ProblemKind.BELOW_MINIMUM),
        (field("number", {"max": 5}), 6, ProblemKind.ABOVE_MAXIMUM),
        (field("number", decimalDigits=2), "1.234", ProblemKind.TOO_MANY_DECIMALS),
        (field("checkbox", {"required": True}), False, ProblemKind.REQUIRED),
        (field("checkbox"), "yes", ProblemKind.NOT_YES_OR_NO),
        (field("radio", values=CHOICES), "gold", ProblemKind.NOT_OFFERED),
        (field("select", values=CHOICES), ["raw"], ProblemKind.NOT_OFFERED),
        (field("datetime"), "tomorrow", ProblemKind.NOT_A_DATE),
        (field("datetime"), 20260301, ProblemKind.NOT_A_DATE),
        (field("datetime", subtype="time"), "25:00", ProblemKind.NOT_A_TIME),
        (field("datetime", subtype="datetime"), "2026-03-01T08:00:00", ProblemKind.NOT_AN_INSTANT),
    ],
)
def test_a_bad_value_is_a_problem_of_its_kind(component: dict[str, object], given_value: object, kind: str) -> None:
    clean, problems = validate_values(form(component), {"v": given_value})

    assert [(each.key, each.kind, each.label) for each in problems] == [("v", kind, "Value")]
    assert "v" not in clean


def test_a_field_that_the_form_does_not_have_is_a_problem() -> None:
    _, problems = validate_values(form(field("checkbox")), {"v": True, "approved_by": "somebody"})

    assert [(each.key, each.kind) for each in problems] == [("approved_by", ProblemKind.UNKNOWN_FIELD)]


def test_fixed_and_hidden_fields_are_not_taken_from_a_submission() -> None:
    shown = form(
        {"type": "select", "key": "kind", "values": CHOICES},
        {"type": "number", "key": "price", "readonly": True},
        {"type": "textfield", "key": "why", "validate": {"required": True}, "conditional": {"hide": '=kind = "raw"'}},
    )
    assert validate_values(shown, {"kind": "raw", "price": 1, "why": "x"}) == ({"kind": "raw"}, ())
    _, problems = validate_values(shown, {"kind": "pack"})
    assert [(each.key, each.kind) for each in problems] == [("why", ProblemKind.REQUIRED)]
    assert keys(shown.components) == ("kind", "why")


def test_an_option_that_is_not_offered_counts_as_unset_before_conditions_are_evaluated() -> None:
    shown = form(
        {"type": "select", "key": "kind", "values": CHOICES},
        {"type": "textfield", "key": "why", "conditional": {"hide": "=kind = null or kind != \"raw\""}},
    )  # fmt: skip
    clean, problems = validate_values(shown, {"kind": "gold", "why": "x"})

    assert [each.key for each in problems] == ["kind"]
    assert "why" not in clean


@pytest.mark.parametrize(
    ("component", "rule"),
    [
        ({"type": "filepicker", "key": "v"}, "form-component"),
        ({"type": "html", "content": "<b>"}, "form-component"),
        ({"type": "dynamiclist", "path": "rows"}, "form-component"),
        ({}, "form-component"),
        (field("select", valuesExpression="=rows"), "form-property"),
        (field("select"), "form-property"),
        (field("radio", values=[{"value": 5}]), "form-property"),
        (field("radio", values=[*CHOICES, CHOICES[0]]), "form-property"),
        (field("textfield", {"required": True, "custom": 1}), "form-property"),
        (field("number", {"min": "=limit"}), "form-property"),
        (field("textfield", label="=name"), "form-property"),
        ({"type": "text", "text": "{{#if total}}"}, "form-property"),
        ({"type": "text", "text": "Total {{total"}, "form-property"),
        ({"type": "text", "text": "x", "properties": {"block": "ink"}}, "form-property"),
        ({"type": "text", "text": "x", "properties": {"colour": "red"}}, "form-property"),
        ({"type": "text", "text": "x", "properties": {"hidden_if": "= 1 +"}}, "form-property"),
        ({"type": "table", "label": "T", "columns": [{"key": "a"}]}, "form-property"),
        ({"type": "table", "label": "T", "dataSource": "=rows", "columns": []}, "form-property"),
        (field("radio", values=CHOICES, properties={"submit:gold": "Buy"}), "form-property"),
        (field("textfield", conditional={"hide": "=sum(rows) > 1"}), "form-property"),
        (field("textfield", conditional={"hide": "=gone = 1"}), "form-property"),
        (field("textfield", readonly="=x"), "form-property"),
        (field("datetime", subtype="datetime", timeSerializingFormat="no_timezone"), "form-property"),
        (field("datetime", disallowPassedDates=True), "form-property"),
        (field("textfield", {"pattern": "(?=a)"}), "form-pattern"),
        ({"type": "textfield", "key": "not a name"}, "form-key"),
        ({"type": "textfield"}, "form-key"),
    ],
)
def test_what_is_not_rendered_or_checked_is_refused(component: dict[str, object], rule: str) -> None:
    assert rule in refused(component)


def test_one_key_for_two_fields_is_refused() -> None:
    assert refused(field("textfield"), field("number")) == ["form-duplicate-key"]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"{", b'{"components": 5}', b"\xff", b'{"a": NaN}', b"[" * 99999])
def test_a_file_that_is_no_form_is_refused(data: bytes) -> None:
    findings = Findings()

    assert read_form(data, "forms/f.form", "f", findings) is None
    assert findings.has_errors


@pytest.mark.parametrize(
    ("pattern", "is_safe"),
    [
        ("^[A-Z]{3}-[0-9]+$", True),
        (r"^\d{4}$", True),
        (r"^[\]a]+\.b*$", True),
        ("(a+)+$", True),
        ("(a|aa)*b", True),
        (r"(a)\1", False),
        ("(?=a)", False),
        ("a{2000}", False),
        ("[", False),
        ("x" * 300, False),
    ],
)
def test_only_patterns_that_end_in_time_are_used(pattern: str, is_safe: bool) -> None:
    assert (unusable_pattern(pattern) is None) is is_safe


def test_a_pattern_that_ties_up_other_engines_is_answered_at_once() -> None:
    assert not is_found("^(a+)+$", "a" * 100_000 + "!")


def test_what_is_shown_is_read_with_who_speaks_and_where_it_comes_from() -> None:
    shown = form(
        {
            "type": "text",
            "id": "net",
            "text": "Short: {{requirement.net}}",
            "properties": {"block": "facts", "source": "stock, demand", "hidden_if": "=requirement = null"},
        },
        {
            "type": "table",
            "id": "orders",
            "label": "Work orders",
            "dataSource": "=requirement.demand",
            "columns": [{"key": "work_order", "label": "Work order"}],
            "properties": {"empty": "No work order needs it."},
        },
        field("radio", values=CHOICES, properties={"submit:raw": "Buy {{amount}}"}),
    )
    net, orders, choice = shown.components

    assert (net.block, net.source, net.hidden_if) == (Block.FACTS, ("stock", "demand"), "requirement = null")
    assert (orders.rows, orders.columns, orders.empty) == (
        "requirement.demand",
        (Column(key="work_order", label="Work order"),),
        "No work order needs it.",
    )
    assert {option.value: option.submit for option in choice.options}["raw"] == "Buy {{amount}}"
    assert keys(shown.components) == ("v",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
EVERY = form(
    {"type": "textfield", "key": "a", "validate": {"required": True, "pattern": "[a-z]+"}},
    {"type": "number", "key": "b", "validate": {"min": 0}, "decimalDigits": 2},
    {"type": "checkbox", "key": "c"},
    {"type": "radio", "key": "d", "values": CHOICES},
    {"type": "datetime", "key": "e", "subtype": "datetime"},
    {"type": "textarea", "key": "f", "conditional": {"hide": "=b = 0"}},
)


@given(st.dictionaries(st.sampled_from("abcdefg"), JSON, max_size=7))
def test_any_submission_gets_an_answer_and_a_clean_one_stays_clean(values: dict[str, object]) -> None:
    clean, problems = validate_values(EVERY, values)

    if not problems:
        again: dict[str, FieldValue] = dict(clean)
        assert validate_values(EVERY, again) == (clean, ())
