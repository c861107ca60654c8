"""Forms made ready for pages: whatever stands in values and texts, nothing of it becomes markup or runs."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from decimal import Decimal

import orjson
import pytest
from flask import render_template_string
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from werkzeug.datastructures import MultiDict

from engine.feel import Value
from engine.model.findings import Findings
from engine.model.form_reader import read_form
from engine.model.forms import Form, validate_values
from tests.web.house import House
from web.forms import field_errors, render_form, submitted_values
from web.forms.values import shown_value

_SOURCE = {
    "title": "Approve",
    "components": [
        {
            "type": "text",
            "id": "known",
            "text": "Demand **{{demand}}** of {{name}}, as {{ {word: level} }}",
            "properties": {"block": "facts", "source": "stock"},
        },
        {
            "type": "table",
            "id": "rows",
            "label": "Orders",
            "dataSource": "=orders",
            "columns": [{"key": "number", "label": "Number"}, {"key": "open", "label": "Open"}],
            "properties": {"block": "facts", "empty": "No order."},
        },
        {
            "type": "radio",
            "id": "action",
            "key": "action",
            "label": "Decision",
            "values": [{"value": "approve", "label": "Approve"}, {"value": "reject", "label": "Reject"}],
            "validate": {"required": True},
            "properties": {"submit:approve": "Approve {{demand}} of {{name}}"},
        },
        {
            "type": "textarea",
            "id": "reason",
            "key": "reason",
            "label": "Reason",
            "validate": {"required": True, "maxLength": 500},
            "conditional": {"hide": '=action = "approve"'},
        },
    ],
}
_TEMPLATE = """{% import "forms/form.html" as forms with context %}
<div>{{ forms.form_blocks(form, engine) }}
<form>{{ forms.form_fields(form) }}{{ forms.submit_button(form) }}</form></div>"""
_HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](https://evil.example/x)",
    "<https://evil.example>",
    "{{ 7 * 7 }} {% raw %}",
    '=HYPERLINK("https://evil.example")',
    "**bold** `code` # heading\n\n- list",
    "\u202egnirts",
)


@pytest.fixture(scope="module")
def form() -> Form:
    findings = Findings()
    read = read_form(orjson.dumps(_SOURCE), "forms/f.form", "f", findings)
    assert read is not None
    assert not findings.has_errors
    return read


@pytest.fixture
def page(house: House) -> Generator[None]:
    with house.here.application().test_request_context("/"):
        yield


def html_of(form: Form, scope: Mapping[str, Value], values: Mapping[str, object] | None = None) -> etree._Element:  # pyright: ignore[reportPrivateUsage]
    rendered = render_form(form, scope=scope, values=values, submit="Send")
    made = render_template_string(_TEMPLATE, form=rendered, engine=str(scope.get("name", "")))
    return etree.fromstring(made.encode(), etree.HTMLParser(encoding="utf-8"))


def foreign(tree: etree._Element) -> list[str]:  # pyright: ignore[reportPrivateUsage]
    allowed = {"script", "img", "iframe", "object", "a", "link", "style"}
    found = [str(each.tag) for each in tree.iter() if each.tag in allowed]
    return found + [name for each in tree.iter() for name in map(str, each.attrib) if name.startswith("on")]


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("text", _HOSTILE)
def test_values_never_become_markup(form: Form, text: str) -> None:
    scope: dict[str, Value] = {"demand": Decimal("5"), "name": text, "level": text, "orders": [{"number": text}]}

    tree = html_of(form, scope, {"action": "reject", "reason": text})

    assert foreign(tree) == []
    written = " ".join("".join(map(str, tree.itertext())).split())
    assert " ".join(text.split()) in written
    assert "".join(map(str, tree.xpath("//textarea")[0].itertext())).lstrip("\n") == text  # pyright: ignore
    assert tree.xpath("count(//strong)") == 1.0


@pytest.mark.usefixtures("page")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_value_can_be_shown(form: Form, value: Value) -> None:
    shown = shown_value(value, {})
    assert isinstance(shown, str)

    scope: dict[str, Value] = {"demand": value, "name": value, "level": value, "orders": value}
    assert render_form(form, scope=scope, submit="Send").fields


@pytest.mark.usefixtures("page")
def test_a_number_keeps_every_digit() -> None:
    assert [shown_value(Decimal(text), {}) for text in ("1234567.80", "0.001", "400", "1E+3")] == [
        "1,234,567.80",
        "0.001",
        "400",
        "1,000",
    ]


@pytest.mark.usefixtures("page")
def test_the_button_says_what_was_chosen_and_conditions_say_when_a_field_counts(form: Form) -> None:
    scope: dict[str, Value] = {"demand": Decimal("5"), "name": "bolts", "level": "low", "orders": []}

    rendered = render_form(form, scope=scope, values={"action": "approve"}, submit="Send")

    assert (rendered.submit, dict(rendered.submit_words)) == ("Send", {"approve": "Approve 5 of bolts"})
    assert [each.condition for each in rendered.fields] == ["", "Not for “Approve”."]
    assert rendered.fields[1].shown_if == ({"field": "action", "differs": "approve"},)


@pytest.mark.usefixtures("page")
def test_what_was_sent_is_refused_beside_its_field_and_nothing_foreign_is_taken(form: Form) -> None:
    sent: MultiDict[str, str] = MultiDict(
        [("action", "burn"), ("reason", "x" * 1_000_000), ("approved_by", "me"), ("csrf_token", "t")]
    )
    values = submitted_values(form, sent)
    _, problems = validate_values(form, values)

    assert dict(field_errors(form, problems)) == {
        "": "The field “approved_by” does not belong to this form. Open the page again.",
        "action": "Decision: choose one of Approve, Reject.",
        "reason": "Reason: at most 500 characters; shorten it.",
    }
