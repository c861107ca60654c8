"""Decisions through the API: each of the six checks of W16 answers with a sentence, and nothing is lost."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from tests.web.house import House

APPROVE = {"action": "approve"}


@pytest.fixture
def task(house: House, request: pytest.FixtureRequest) -> dict[str, Any]:
    """A fresh approval."""
    return house.approval("D-" + sha256(request.node.nodeid.encode()).hexdigest()[:10])


def _decide(house: House, task: dict[str, Any], login: str = "wei", **changes: Any) -> Any:
    body = {"values": APPROVE, "bound_digest": task["bound_digest"], **changes}
    return house.post(f"/tasks/{task['task_id']}/decision", body, login)


def test_facts_and_suggestion_are_shown_apart(task: dict[str, Any]) -> None:
    assert task["suggestions"]["risk_suggestion"]["engine"] == "rules-v1"
    assert not set(task["facts"]) & set(task["suggestions"])


def test_an_approval_leads_to_one_requisition(house: House, task: dict[str, Any]) -> None:
    answer = _decide(house, task)
    house.worker.run_until_idle()
    view = house.get(f"/instances/{task['workflow_id']}").get_json()

    assert answer.status_code == 200
    assert [each["state"] for each in view["documents"]] == ["done"]


def test_somebody_without_the_right_is_refused(house: House, task: dict[str, Any]) -> None:
    answer = _decide(house, task, "omar")

    assert answer.status_code == 403
    assert house.get(f"/tasks/{task['task_id']}", "wei").get_json()["decision"] is None


def test_somebody_of_another_role_is_refused(house: House, task: dict[str, Any]) -> None:
    answer = _decide(house, task, "anna")

    assert (answer.status_code, answer.get_json()["code"]) == (403, "not_your_task")


def test_the_same_decision_sent_twice_gets_the_first_answer(house: House, task: dict[str, Any]) -> None:
    first = _decide(house, task).get_json()
    again = _decide(house, task)

    assert again.status_code == 200
    assert again.get_json()["is_repeat"]
    assert again.get_json()["approval_id"] == first["approval_id"]


def test_another_decision_on_a_decided_task_is_refused_with_who_and_when(house: House, task: dict[str, Any]) -> None:
    _decide(house, task)
    answer = _decide(house, task, values={"action": "reject", "reason": "too late"})

    assert (answer.status_code, answer.get_json()["code"]) == (409, "already_decided")
    assert "Li Wei" in answer.get_json()["detail"]


def test_a_decision_on_changed_facts_is_refused(house: House, task: dict[str, Any]) -> None:
    answer = _decide(house, task, bound_digest="0" * 64)

    assert (answer.status_code, answer.get_json()["code"]) == (409, "facts_changed")
    assert house.get(f"/tasks/{task['task_id']}", "wei").get_json()["decision"] is None


def test_a_decision_for_another_instance_is_refused(house: House, task: dict[str, Any]) -> None:
    answer = _decide(house, task, workflow_id="0" * 32)

    assert (answer.status_code, answer.get_json()["code"]) == (409, "not_this_instance")


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"action": "buy"},
        {"action": "reject"},
        {"action": "send_back", "quantity": -4, "reason": "less"},
        {"action": "send_back", "quantity": "many", "reason": "less"},
        {"action": "approve", "role": "admin"},
        {"action": "approve", "draft": {"amount": 1}},
        {"action": ["approve"]},
        {"action": "reject", "reason": "x" * 600_000},
    ],
)
def test_values_that_do_not_fit_the_form_are_refused(house: House, task: dict[str, Any], values: Any) -> None:
    answer = _decide(house, task, values=values)

    assert (answer.status_code, answer.get_json()["code"]) == (422, "invalid_values")
    assert house.get(f"/tasks/{task['task_id']}", "wei").get_json()["decision"] is None


def test_a_withdrawn_task_is_gone_with_a_sentence(house: House, task: dict[str, Any]) -> None:
    reason = {"reason": "ordered by phone"}
    assert house.post(f"/instances/{task['workflow_id']}/cancel", reason, "omar").status_code == 200
    answer = _decide(house, task)

    assert answer.status_code in (404, 409)
    assert answer.get_json()["detail"]
