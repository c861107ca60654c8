"""The page of a task: what it shows, what it takes, and what it refuses without losing what was typed."""

from __future__ import annotations

import pytest

from tests.web.house import House
from tests.web.visitor import Page, Visitor
from web.pages.task import DECISION, SHOWN

_REASON = "Buy <b>less</b> & =1+1 \u4e2d\u6587"


def _open(house: House, risk: str, login: str = "wei") -> tuple[Visitor, Page]:
    task = house.approval(risk)
    visitor = Visitor(house, login)
    return visitor, visitor.open(f"/tasks/{task['task_id']}")


def _reject(reason: str = _REASON) -> dict[str, str | None]:
    return {"action": "reject", "reason": reason}


def test_it_shows_facts_suggestion_and_consequences_apart(house: House) -> None:
    _, page = _open(house, "SHOWN")

    assert page.status == 200
    for voice in ("ink", "pencil", "consequence"):
        assert page.texts(f"//main//section[contains(@class, '{voice}')]"), voice
    assert page.texts("//main//section[contains(@class, 'ink')]//time/@datetime")


def test_a_decision_leads_back_to_the_inbox_which_says_so(house: House) -> None:
    visitor, page = _open(house, "TAKEN")
    after = visitor.send(page, {"action": "approve"})

    assert (after.status, after.path) == (200, "/inbox")
    assert "TAKEN" in after.notice


def test_a_decided_task_shows_what_was_shown_and_who_decided(house: House) -> None:
    visitor, page = _open(house, "KEPT")
    facts = page.texts("//main//section[contains(@class, 'ink')]//td")
    visitor.send(page, _reject())
    after = visitor.open(page.path)

    assert after.status == 200
    assert after.texts("//main//div[@class='seal']//strong") == ["Reject"]
    assert after.texts("//main//div[@class='seal']//span[@class='who']") == ["Li Wei"]
    assert _REASON in after.text
    assert after.texts("//main//section[contains(@class, 'ink')]//td") == facts
    assert not after.forms


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        ({}, "Your decision"),
        ({"action": "reject"}, "Reason"),
        ({"action": "reject", "reason": "   "}, "Reason"),
        ({"action": "send_back", "reason": "a", "quantity": "many"}, "Quantity"),
        ({"action": "send_back", "reason": "a", "quantity": "-1"}, "Quantity"),
        ({"action": "buy_everything"}, "Your decision"),
        ({"action": "approve", "amount": "1"}, "amount"),
    ],
    ids=["nothing", "missing", "blank", "no number", "too small", "forged option", "extra field"],
)
def test_what_is_wrong_stands_first_and_beside_its_field(house: House, wrong: dict[str, str | None], part: str) -> None:
    visitor, page = _open(house, f"WRONG-{'-'.join(map(str, wrong.values()))}"[:40] + str(len(wrong)) + part)
    after = visitor.send(page, wrong)

    assert after.status == 422
    (error,) = after.errors
    assert part in error
    form = after.forms[-1]
    typed = {name: value for name, value in wrong.items() if name in ("reason", "quantity")}
    assert {name: form.value(name) for name in typed} == typed
    assert visitor.send(after, {**_reject(), "amount": None}).path == "/inbox"


def test_a_text_of_a_megabyte_is_refused_beside_its_field_and_kept(house: House) -> None:
    visitor, page = _open(house, "LONG")
    typed = "long " * 200_000
    after = visitor.send(page, _reject(typed))

    assert after.status == 422
    assert "at most 500 characters" in after.errors[0]
    assert after.forms[-1].value("reason").strip() == typed.strip()


def test_a_text_beyond_what_any_form_takes_is_refused_with_a_sentence(house: House) -> None:
    visitor, page = _open(house, "TOO-LONG")
    after = visitor.send(page, _reject("x" * 5_000_000))

    assert after.status == 413
    assert "shorten it" in after.text
    assert visitor.send(page, _reject()).path == "/inbox"


def test_a_changed_hidden_value_decides_nothing_and_keeps_what_was_typed(house: House) -> None:
    visitor, page = _open(house, "CHANGED")
    after = visitor.send(page, {**_reject(), SHOWN: "0" * 64})

    assert after.status == 409
    assert after.forms[-1].value("reason") == _REASON
    assert visitor.send(after, {}).path == "/inbox"


def test_a_double_click_decides_once(house: House) -> None:
    visitor, page = _open(house, "TWICE")
    first = visitor.send(page, _reject())
    second = visitor.send(page, _reject())

    assert first.notice == second.notice
    assert (second.status, second.path) == (200, "/inbox")


def test_another_decision_after_a_decision_is_told_who_decided_and_keeps_what_was_typed(house: House) -> None:
    visitor, page = _open(house, "LATE")
    other = Visitor(house, "mara")
    other.send(other.open(page.path), {"action": "approve"})
    after = visitor.send(page, _reject())

    assert after.status == 409
    assert "Mara" in after.text
    assert _REASON in after.text


def test_the_id_of_an_earlier_decision_does_not_decide_another_task(house: House) -> None:
    earlier, first = _open(house, "EVENT-1")
    earlier.send(first, _reject())
    visitor, second = _open(house, "EVENT-2")
    after = visitor.send(second, {**_reject(), DECISION: first.forms[-1].value(DECISION)})

    assert after.status == 409
    assert visitor.open(second.path).forms


@pytest.mark.parametrize("login", ["anna", "lin", "zhao"])
def test_who_may_not_decide_sees_why_and_is_refused(house: House, login: str) -> None:
    visitor, page = _open(house, f"NOT-{login}")
    other = Visitor(house, login)
    shown = other.open(page.path)

    assert shown.status == 200
    assert not shown.forms
    fields = page.forms[-1].filled(_reject())
    forged = dict(fields, csrf_token=_token(other))
    assert other.post(page.path, forged).status == 403
    assert visitor.send(page, _reject()).path == "/inbox"


def _token(visitor: Visitor) -> str:
    tokens = visitor.open("/inbox").texts("//form//input[@name='csrf_token']/@value")
    return tokens[0]


@pytest.mark.parametrize("task_id", ["0" * 32, "f" * 31, "..", "%27", "a" * 5000, "中文"])
def test_an_id_of_nothing_is_a_sentence(house: House, task_id: str) -> None:
    page = Visitor(house, "wei").open(f"/tasks/{task_id}")

    assert page.status == 404
    assert page.heading == "There is nothing here"


def test_a_form_of_another_session_is_refused(house: House) -> None:
    visitor, page = _open(house, "FOREIGN")
    after = visitor.send(page, {**_reject(), "csrf_token": "0" * 64})

    assert after.status == 403
    assert visitor.open(page.path).forms


def test_what_was_typed_while_the_session_ended_comes_back_after_sign_in(house: House) -> None:
    visitor, page = _open(house, "ENDED")
    visitor.client.delete_cookie("vermilion_session")
    asked = visitor.send(page, _reject())
    assert asked.status == 401
    visitor.sign_in("wei")
    kept = {each.name: each.value for each in asked.forms[0].fields if each.name.startswith("kept.")}
    restored = {name.removeprefix("kept."): value for name, value in kept.items()}
    back = visitor.post(page.path, {**restored, "_restored": "1", "csrf_token": _token(visitor)})

    assert back.status == 200
    assert back.forms[-1].value("reason") == _REASON
    assert visitor.send(back, {}).path == "/inbox"
