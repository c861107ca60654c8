"""What the ERP does with a requisition, with and without keys."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox import Company
from sandbox.data import Confirmation
from tests.sandbox.visitor import DRAFT, Receiver, ask, draft, requisitions


def _create(company: Company, body: dict[str, str] = DRAFT, key: str | None = "k1") -> dict[str, str]:
    answer = ask(company, "POST", "/v1/requisitions", json=body, key=key)
    assert answer.status_code == 202, answer.text
    return answer.json()


def _status(company: Company, number: str) -> str:
    return ask(company, "GET", f"/v1/requisitions/{number}").json()["status"]


def _confirm(company: Company, number: str) -> dict[str, str]:
    return ask(company, "POST", f"/confirm/{number}", who="admin", json={}).json()


# --- keys ----------------------------------------------------------------------------------------------------------


def test_the_same_key_answers_with_the_same_document(company: Company) -> None:
    first = _create(company)
    second = ask(company, "POST", "/v1/requisitions", json=DRAFT, key="k1")

    assert second.json()["number"] == first["number"]
    assert second.headers["idempotent-replayed"] == "true"
    assert len(requisitions(company)) == 1


def test_the_same_key_for_something_else_is_refused(company: Company) -> None:
    _create(company)

    answer = ask(company, "POST", "/v1/requisitions", json={**DRAFT, "reference": "MR-2 v1"}, key="k1")

    assert (answer.status_code, answer.json()["code"]) == (422, "key_reused")
    assert len(requisitions(company)) == 1


def test_sixteen_writers_with_one_key_make_one_document(company: Company) -> None:
    with ThreadPoolExecutor(16) as writers:
        answers = [writers.submit(_create, company) for _ in range(16)]
        numbers = {each.result()["number"] for each in answers}

    assert len(numbers) == len(requisitions(company)) == 1


def test_a_key_is_required_where_keys_are_kept(company: Company) -> None:
    assert ask(company, "POST", "/v1/requisitions", json=DRAFT).status_code == 400


def test_a_document_is_found_by_its_key(company: Company) -> None:
    number = _create(company)["number"]

    found = ask(company, "GET", "/v1/requisitions?key=k1").json()["items"]
    none = ask(company, "GET", "/v1/requisitions?key=k2").json()["items"]

    assert [each["number"] for each in found] == [number]
    assert none == []


def test_without_keys_every_request_makes_a_document_and_no_key_is_kept(tmp_path: Path) -> None:
    with Company(tmp_path, keys_on=False) as company:
        first, second = _create(company), _create(company)

        found = ask(company, "GET", "/v1/requisitions?reference=MR-1%20v1&material_id=MAT-001").json()["items"]
        by_key = ask(company, "GET", "/v1/requisitions?key=k1")

    assert [each["number"] for each in found] == [first["number"], second["number"]]
    assert {each["key"] for each in found} == {None}
    assert by_key.status_code == 400


def test_a_lagging_search_shows_a_document_only_after_indexing(tmp_path: Path) -> None:
    with Company(tmp_path, keys_on=False, search_lags=True) as company:
        _create(company)
        before = ask(company, "GET", "/v1/requisitions?reference=MR-1%20v1").json()["items"]
        ask(company, "POST", "/index", who="admin")
        after = ask(company, "GET", "/v1/requisitions?reference=MR-1%20v1").json()["items"]

    assert (len(before), len(after)) == (0, 1)


# --- rules ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (draft("MAT-027", "10", "38.00"), "material_locked"),
        (draft("MAT-014", "50", "3.10", supplier_id="S-106"), "supplier_blocked"),
        ({**DRAFT, "amount": "920.01"}, "amount"),
        ({**DRAFT, "unit": "box"}, "unit"),
        ({**DRAFT, "currency": "USD"}, "currency"),
        ({**DRAFT, "material_id": "MAT-999"}, "master_data"),
        ({**DRAFT, "supplier_id": "S-999"}, "master_data"),
        ({**DRAFT, "cost_centre": "CC-999"}, "master_data"),
    ],
)
def test_the_erp_refuses_for_sure_and_names_the_rule(company: Company, body: dict[str, str], rule: str) -> None:
    answer = ask(company, "POST", "/v1/requisitions", json=body, key="k1")

    assert (answer.status_code, answer.json()["code"], answer.json()["rule"]) == (422, "business_rule", rule)
    assert requisitions(company) == []


def test_a_body_that_does_not_fit_is_refused_field_by_field(company: Company) -> None:
    answer = ask(company, "POST", "/v1/requisitions", json={**DRAFT, "quantity": "-1", "need_date": "soon"}, key="k1")

    assert answer.status_code == 400
    assert "quantity" in answer.json()["title"]
    assert "need_date" in answer.json()["title"]


def test_a_requisition_takes_from_the_budget_until_it_is_cancelled(company: Company) -> None:
    def left() -> str:
        return ask(company, "GET", "/v1/budgets/CC-100").json()["left"]

    before = left()
    number = _create(company)["number"]
    during = left()
    ask(company, "POST", f"/v1/requisitions/{number}/cancel", json={"reason": "no longer short"})

    assert (before, during, left()) == ("247660.00", "246740.00", "247660.00")


# --- afterwards ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status", "quantity"),
    [
        (DRAFT, "confirmed", "400"),
        (draft("MAT-028", "35", "6.10"), "refused", "35"),
        (draft("MAT-029", "20", "4.40", supplier_id="S-103", unit="bag100"), "confirmed", "18"),
        (draft("MAT-030", "26", "9.80", supplier_id="S-103"), "ordered", "26"),
        (draft("MAT-031", "130", "0.95"), "ordered", "117"),
    ],
)
def test_what_a_material_shows_is_what_the_erp_does(
    tmp_path: Path, body: dict[str, str], status: str, quantity: str
) -> None:
    with Company(tmp_path, confirmation="late") as company:
        accepted = _create(company, body)
        settled = _confirm(company, accepted["number"])

    assert (accepted["status"], accepted["quantity"]) == ("accepted", body["quantity"])
    assert (settled["status"], settled["quantity"]) == (status, quantity)


@pytest.mark.parametrize(
    ("material_id", "confirmation", "comes_by_itself"),
    [
        ("MAT-001", "at_once", True),
        ("MAT-001", "late", False),
        ("MAT-001", "never", False),
        ("MAT-024", "never", True),  # the material's own way goes before the company's
        ("MAT-025", "at_once", False),
        ("MAT-026", "at_once", False),
    ],
)
def test_a_confirmation_comes_at_once_or_when_told(
    tmp_path: Path, receiver: Receiver, material_id: str, confirmation: Confirmation, comes_by_itself: bool
) -> None:
    body = DRAFT if material_id == "MAT-001" else draft(material_id, "10", "1.00")
    with Company(tmp_path, confirmation=confirmation, events_url=receiver.url) as company:
        number = _create(company, body)["number"]
        if comes_by_itself:
            receiver.events.get(timeout=10)
            assert _status(company, number) == "confirmed"
        else:
            assert _status(company, number) == "accepted"
            assert _confirm(company, number)["status"] == "confirmed"


def test_a_settled_requisition_is_not_settled_again(company: Company) -> None:
    company.erp.master_data.change_behaviour("MAT-001", company.erp.master_data.material("MAT-025").behaviour)
    number = _create(company)["number"]
    _confirm(company, number)

    answer = ask(company, "POST", f"/confirm/{number}", who="admin", json={"outcome": "refused"})

    assert (answer.status_code, answer.json()["rule"]) == (409, "already_settled")
    assert _status(company, number) == "confirmed"


def test_cancelling_twice_is_the_same_as_once(company: Company) -> None:
    number = _create(company)["number"]
    path = f"/v1/requisitions/{number}/cancel"

    first = ask(company, "POST", path, json={"reason": "changed our mind"}).json()
    second = ask(company, "POST", path, json={"reason": "again"}).json()

    assert first == second
    assert first["reason"] == "changed our mind"
    assert ask(company, "GET", f"/v1/requisitions/{number}/cancellation").json() == {"cancellation": first}


def test_an_ordered_requisition_is_past_undoing(company: Company) -> None:
    number = _create(company)["number"]
    ask(company, "POST", f"/order/{number}", who="admin")

    answer = ask(company, "POST", f"/v1/requisitions/{number}/cancel", json={"reason": "too late"})

    assert (answer.status_code, answer.json()["rule"]) == (409, "past_undoing")
    assert _status(company, number) == "ordered"
    assert ask(company, "GET", f"/v1/requisitions/{number}/cancellation").json() == {"cancellation": None}


def test_a_cancelled_requisition_is_never_confirmed(tmp_path: Path) -> None:
    with Company(tmp_path, confirmation="late") as company:
        number = _create(company)["number"]
        ask(company, "POST", f"/v1/requisitions/{number}/cancel", json={"reason": "no"})

        answer = ask(company, "POST", f"/confirm/{number}", who="admin", json={})

        assert answer.status_code == 409
        assert _status(company, number) == "cancelled"


def test_an_open_requisition_counts_among_the_open_documents(company: Company) -> None:
    number = _create(company)["number"]

    documents = ask(company, "GET", "/v1/materials/MAT-001/open-documents").json()["items"]

    assert [(each["kind"], each["number"]) for each in documents] == [("purchase", "PO-4001"), ("requisition", number)]


def test_the_service_may_lose_its_right_to_write(company: Company) -> None:
    ask(company, "POST", "/permissions", who="admin", json={"may_write": False})

    assert ask(company, "GET", "/v1/identity").json()["may_create"] is False
    assert ask(company, "POST", "/v1/requisitions", json=DRAFT, key="k1").status_code == 403
