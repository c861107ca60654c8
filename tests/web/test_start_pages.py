"""Starting a process from its form: once for one sending, once for one key, never with what the form does not take."""

from __future__ import annotations

import pytest

from tests.web.house import House
from tests.web.visitor import Page, Visitor

_START = "/start/procurement"
_NOTE = "<script>alert(1)</script> =SUM(A1) {{7*7}} \u4e2d\u6587"


def _fields(risk: str, **more: str | None) -> dict[str, str | None]:
    return {"material_id": "MAT-002", "material_risk_id": risk, **more}


def _instances(house: House, risk: str) -> list[str]:
    """Return the instances that hold a key."""
    query = f"/instances?workflow_type=procurement&business_key={risk}"
    return [each["workflow_id"] for each in house.get(query, "omar").get_json()["items"]]


def _planner(house: House) -> tuple[Visitor, Page]:
    visitor = Visitor(house, "lin")
    return visitor, visitor.open(_START)


def test_the_list_leads_to_the_form(house: House) -> None:
    visitor = Visitor(house, "lin")
    links = visitor.open("/start").texts("//main//a/@href")

    assert _START in links
    assert visitor.open(_START).forms


@pytest.mark.parametrize("login", ["wei", "zhao"])
def test_who_may_not_start_it_is_not_offered_it_and_is_refused(house: House, login: str) -> None:
    _, page = _planner(house)
    other = Visitor(house, login)

    assert _START not in other.open("/start").texts("//main//a/@href")
    shown = other.open(_START)
    assert not shown.forms
    token = other.open("/inbox").texts("//form//input[@name='csrf_token']/@value")[0]
    refused = other.post(_START, {**page.forms[-1].filled(_fields("NOT-MINE")), "csrf_token": token})
    assert refused.status in (403, 409, 422)
    assert _instances(house, "NOT-MINE") == []


def test_it_starts_and_leads_to_the_instance(house: House) -> None:
    visitor, page = _planner(house)
    after = visitor.send(page, _fields("STARTED", note=_NOTE))

    assert after.status == 200
    assert _instances(house, "STARTED") == [after.path.removeprefix("/work/")]
    assert "Started" in after.notice
    assert "<script>alert" not in after.html


def test_a_double_click_starts_once(house: House) -> None:
    visitor, page = _planner(house)
    first = visitor.send(page, _fields("DOUBLE"))
    second = visitor.send(page, _fields("DOUBLE"))

    assert (second.status, second.path) == (200, first.path)
    assert len(_instances(house, "DOUBLE")) == 1


def test_a_number_used_before_opens_what_it_started(house: House) -> None:
    visitor, page = _planner(house)
    first = visitor.send(page, _fields("AGAIN"))
    second = visitor.send(visitor.open(_START), _fields("AGAIN", note="another note"))

    assert second.path == first.path
    assert "used before" in second.notice


def test_one_page_sent_with_two_contents_starts_the_first_only(house: House) -> None:
    visitor, page = _planner(house)
    visitor.send(page, _fields("FIRST"))
    after = visitor.send(page, _fields("SECOND"))

    assert after.status in (409, 422)
    assert _instances(house, "SECOND") == []
    assert after.forms[-1].value("material_risk_id") == "SECOND"
    assert visitor.send(after, {}).path == f"/work/{_instances(house, 'SECOND')[0]}"


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        ({"material_id": ""}, "Material"),
        ({"material_id": "' or 1=1"}, "Material"),
        ({"quantity_hint": "-1"}, "at least"),
        ({"quantity_hint": "1e400000000"}, "Quantity"),
        ({"quantity_hint": "NaN"}, "Quantity"),
        ({"note": "x" * 1_000_000}, "at most 500"),
        ({"note": "\U0001f600" * 501}, "at most 500"),
        ({"started_by": "somebody"}, "started_by"),
    ],
    ids=["missing", "no number", "too small", "huge", "not a number", "a megabyte", "odd signs", "forged field"],
)
def test_what_is_wrong_stands_first_and_nothing_typed_is_lost(
    house: House, wrong: dict[str, str | None], part: str
) -> None:
    visitor, page = _planner(house)
    risk = f"WRONG-{abs(hash(str(wrong))) % 10**9}"
    after = visitor.send(page, {**_fields(risk, note=_NOTE), **wrong})

    assert after.status == 422
    (error,) = after.errors
    assert part in error
    typed = {**_fields(risk, note=_NOTE), **wrong}
    form = after.forms[-1]
    kept = {name: form.value(name) for name in ("material_id", "material_risk_id")}
    assert kept == {name: typed[name] for name in kept}
    assert _instances(house, risk) == []


@pytest.mark.parametrize("path", ["/start/nothing", "/start/%00", "/start/" + "a" * 3000, "/start/PROCUREMENT"])
def test_a_process_that_is_none_is_a_sentence(house: House, path: str) -> None:
    page = Visitor(house, "lin").open(path)

    assert page.status == 404
    assert page.heading == "There is nothing here"


def test_what_was_typed_while_the_session_ended_is_shown_again_and_starts_nothing(house: House) -> None:
    visitor, page = _planner(house)
    visitor.client.delete_cookie("vermilion_session")
    asked = visitor.send(page, _fields("LATER", note=_NOTE))
    assert asked.status == 401

    visitor.sign_in("lin")
    kept = {
        each.name.removeprefix("kept."): each.value for each in asked.forms[0].fields if each.name.startswith("kept.")
    }
    token = visitor.open(_START).forms[-1].value("csrf_token")
    back = visitor.post(_START, {**kept, "_restored": "1", "csrf_token": token})

    assert back.forms[-1].value("note") == _NOTE
    assert _instances(house, "LATER") == []
    assert visitor.send(back, {}).path.startswith("/work/")
