"""The page of an instance: every question of its account answered, and what may be done, for those who may."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.web.house import House
from tests.web.visitor import Page, Visitor

_QUESTIONS = (
    "Why was it created?",
    "What did the AI see?",
    "Which step took longest?",
    "Why did it need approval?",
    "Who decided?",
    "Was anything tried again?",
    "Was a request sent twice?",
    "What did the other systems answer?",
    "Why did it stop or fail?",
)
_BLOCKED_SUPPLIER = "MAT-014"
_ATTEMPTS = 5
_LONGEST_PAUSE = timedelta(minutes=6)


def _decided(house: House, risk: str, values: dict[str, Any]) -> str:
    """Return the address of a purchase that Li Wei decided."""
    task = house.approval(risk)
    answer = house.post(
        f"/tasks/{task['task_id']}/decision", {"values": values, "bound_digest": task["bound_digest"]}, "wei"
    )
    assert answer.status_code == 200
    house.worker.run_until_idle()
    return f"/work/{task['workflow_id']}"


def _failed(house: House, risk: str) -> str:
    """Return the address of a purchase that a rule does not allow."""
    answer = house.send(house.shortage(_BLOCKED_SUPPLIER, risk), event_id=risk)
    house.worker.run_until_idle()
    return f"/work/{answer.get_json()['instances'][0]['workflow_id']}"


def _unknown(house: House, risk: str) -> str:
    """Return the address of a purchase of whose document nobody knows: every answer of the ERP is lost."""
    faults = house.company.set_fault
    faults("create_requisition", "cut_after")
    faults("find_requisition", "delay", seconds=0)
    faults("find_requisition", "unavailable", _ATTEMPTS)
    address = _decided(house, risk, {"action": "approve"})
    for _ in range(_ATTEMPTS - 1):
        house.here.store.move_clock(_LONGEST_PAUSE)
        house.worker.run_until_idle()
    return address


def _account(page: Page) -> dict[str, list[str]]:
    """Return the answers by their questions."""
    here = "//dl[@class='account']/dd[count(preceding-sibling::dt) = {}]"
    questions = page.texts("//dl[@class='account']/dt")
    return {each: page.texts(here.format(number)) for number, each in enumerate(questions, 1)}


def test_an_approved_purchase_answers_every_question(house: House) -> None:
    address = _decided(house, "APPROVED", {"action": "approve"})
    house.deliver()
    house.worker.run_until_idle()
    page = Visitor(house, "zhao").open(address)
    account = _account(page)

    assert tuple(account) == _QUESTIONS
    assert all(text and text.strip() for answers in account.values() for text in answers)
    assert "APPROVED" in account["Why was it created?"][0]
    assert "quantity" in account["What did the AI see?"][0]
    assert "approval matrix" in account["Why did it need approval?"][0]
    (decided,) = account["Who decided?"]
    assert decided.startswith("Li Wei, on ")
    assert decided.endswith(": Approve the purchase: Approve as drafted.")
    assert account["Was a request sent twice?"] == ["No."]
    (document,) = account["What did the other systems answer?"]
    assert document.startswith("ERP: PR-")
    assert account["Why did it stop or fail?"] == ["It ended as \u201cSucceeded\u201d, as the process provides."]


def test_a_rejected_purchase_says_who_ended_it_and_why(house: House) -> None:
    page = Visitor(house, "zhao").open(_decided(house, "REJECTED", {"action": "reject", "reason": "too dear"}))
    account = _account(page)

    assert account["Why did it stop or fail?"] == [
        "It ended as \u201cRejected\u201d: Li Wei decided \u201cReject; too dear\u201d."
    ]
    assert account["What did the other systems answer?"] == ["No document was created."]
    assert page.texts("//main//div[@class='seal']//*[@class='who']") == ["Li Wei"]


def test_a_failed_purchase_names_the_rule_that_it_broke_and_the_ways_on(house: House) -> None:
    address = _failed(house, "BROKEN")
    page = Visitor(house, "omar").open(address)

    (trouble,) = page.texts("//section[contains(@class, 'incident')]")
    assert "Tarnwick Trading is blocked for purchasing." in trouble
    (why,) = _account(page)["Why did it stop or fail?"]
    assert why in trouble
    assert page.texts("//section[@id='move']//label[starts-with(@for, 'move-') and not(@for='move-reason')]") == [
        "Analysing",
        "Cancelled",
    ]
    assert not page.texts("//section[contains(@class, 'incident')]//form")


def test_an_operator_ends_a_failed_purchase_with_a_reason(house: House) -> None:
    omar = Visitor(house, "omar")
    page = omar.open(_failed(house, "ENDED"))
    form = next(number for number, each in enumerate(page.forms) if any(one.name == "reason" for one in each.fields))
    after = omar.send(page, {"status": "CANCELLED", "reason": "the material is replaced"}, form=form)

    assert (after.status, after.path) == (200, page.path)
    assert "Cancelled" in after.heading
    told = _account(after)["Why did it stop or fail?"]
    assert told[0] == "Cancelled: the material is replaced"
    assert not after.forms


def test_a_failed_purchase_is_not_ended_by_an_unsaid_status(house: House) -> None:
    omar = Visitor(house, "omar")
    page = omar.open(_failed(house, "UNSAID"))
    form = next(number for number, each in enumerate(page.forms) if any(one.name == "reason" for one in each.fields))
    after = omar.send(page, {"reason": "seen and understood"}, form=form)

    assert after.status == 409
    assert any("ANALYZING or CANCELLED" in each for each in after.errors)
    assert after.forms[form].value("reason") == "seen and understood"
    assert "Failed" in after.heading


def test_a_purchase_of_unknown_outcome_says_so_until_an_operator_asks_again(house: House) -> None:
    omar = Visitor(house, "omar")
    page = omar.open(_unknown(house, "UNKNOWN"))
    account = _account(page)

    assert "Create the requisition: 5 failed attempts." in account["Was anything tried again?"]
    repeated, looked_up = account["Was a request sent twice?"]
    assert (repeated, "was looked up 4 times" in looked_up) == ("No.", True)
    assert account["What did the other systems answer?"] == ["ERP: \u2013, outcome unknown."]
    assert len(account["Why did it stop or fail?"]) == 1
    assert page.texts("//section[contains(@class, 'incident')]//h2") == ["Nobody knows whether the document exists"]
    assert page.texts("//section[contains(@class, 'incident')]//input[@type='radio']/@value") == ["", "absent", "found"]

    wrong = omar.send(page, {"resolution": "found", "document": "{}", "reason": "seen there"}, form=0)
    assert wrong.status == 409
    assert (wrong.forms[0].value("resolution"), wrong.forms[0].value("document")) == ("found", "{}")
    after = omar.send(wrong, {"resolution": "", "document": "", "reason": "the ERP is back"}, form=0)
    assert not after.texts("//section[contains(@class, 'incident')]")
    house.worker.run_until_idle()
    mended = _account(omar.open(page.path))
    assert "the document was found by its key" in mended["Was a request sent twice?"][-1]
    assert mended["What did the other systems answer?"][0].startswith("ERP: PR-")


def test_a_call_that_is_tried_again_is_told(house: House) -> None:
    house.company.set_fault("read_supply", "unavailable")
    started = house.send(house.shortage("MAT-001", "RETRIED"), event_id="RETRIED").get_json()["instances"][0]
    house.worker.run_until_idle()
    page = Visitor(house, "omar").open(f"/work/{started['workflow_id']}")

    assert [each for each in _account(page)["Was anything tried again?"] if each.endswith(": 1 failed attempt.")]
    assert "is being maintained" in " ".join(page.texts("//ol[@class='timeline']/li"))
    house.here.store.move_clock(_LONGEST_PAUSE)
    house.worker.run_until_idle()


def test_an_instance_of_nobody_s_is_not_found(house: House) -> None:
    assert Visitor(house, "omar").open("/work/" + "0" * 32).status == 404


@pytest.mark.parametrize("login", ["lin", "wei", "zhao"])
def test_who_may_not_repair_reads_why_and_is_offered_nothing(house: House, login: str) -> None:
    page = Visitor(house, login).open(_failed(house, f"READ-{login}"))

    assert page.status == 200
    assert "is blocked" in page.text
    assert not [each for each in page.forms if each.action.endswith("/repair")]


def test_a_cancellation_needs_its_reason_and_keeps_the_instance(house: House) -> None:
    omar = Visitor(house, "omar")
    page = omar.open(f"/work/{house.approval('CANCEL')['workflow_id']}")
    refused = omar.send(page, {"reason": "  "})
    assert refused.status >= 400

    after = omar.send(page, {"reason": "no longer needed"})
    assert "Cancelled" in after.heading
    assert any("no longer needed" in each for each in _account(after)["Why did it stop or fail?"])


def test_marks_say_how_each_element_stands(house: House) -> None:
    task = house.approval("MARKS")
    visitor = Visitor(house, "lin")
    elements = visitor.client.get(f"/work/{task['workflow_id']}/marks").get_json()["elements"]

    assert elements[task["step_key"]]["mark"] == "waiting"
    assert {each["mark"] for each in elements.values()} == {"waiting", "done"}
