"""Accepting a risk: the facts set the floor, a suggestion may only raise it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from engine.contract import OperationRegistry, Origin
from service_tasks.ai.risk_floor import Level, SupplierFacts
from service_tasks.ai.risk_report import Reason, RiskCase, RiskReport
from service_tasks.rules import OPERATIONS
from service_tasks.rules.risk_acceptance import AcceptedRisk, RiskQuestion, accept_risk
from service_tasks.rules.supplier_choice import SupplierChoice, SupplierQuestion, choose_supplier
from tests.service_tasks import purchase_facts as given
from tests.service_tasks.test_rules_purchase import required

#: Facts whose floor is that level.
FACTS: dict[Level, dict[str, Any]] = {
    "low": {},
    "medium": {"rating": "D"},
    "high": {"rating": "D", "late_ratio": Decimal("0.6")},
}


def case(floor: Level) -> RiskCase:
    facts: dict[str, Any] = {
        "supplier_id": "S-101",
        "late_ratio": Decimal("0.02"),
        "average_delay_days": Decimal(1),
        "rating": "A",
        "is_single_source": False,
    }
    return RiskCase(
        material_id="MAT-001",
        category="raw",
        quantity=Decimal(400),
        unit="pc",
        amount=Decimal("920.00"),
        currency="EUR",
        supplier=SupplierFacts(**(facts | FACTS[floor])),
    )


def report(level: Level = "low", **changes: Any) -> RiskReport:
    values: dict[str, Any] = {
        "level": level,
        "score": 10,
        "summary": "Looks fine.",
        "reasons": (Reason(text="Rated A.", evidence=("supplier.rating",)),),
        "recommended_action": "review",
        "engine": "test",
        "engine_version": "1",
    }
    return RiskReport(**(values | changes))


def accepted(floor: Level, suggestion: RiskReport) -> AcceptedRisk:
    result = accept_risk.function(given.call(), RiskQuestion(case=case(floor), suggestion=suggestion))
    assert isinstance(result, AcceptedRisk)
    return result


@pytest.mark.parametrize(
    ("floor", "suggested", "level"),
    [
        ("low", "low", "low"),
        ("low", "medium", "medium"),
        ("low", "high", "high"),
        ("medium", "low", "medium"),
        ("medium", "medium", "medium"),
        ("medium", "high", "high"),
        ("high", "low", "high"),
        ("high", "medium", "high"),
        ("high", "high", "high"),
    ],
)
def test_the_graver_of_floor_and_suggestion_is_accepted(floor: Level, suggested: Level, level: Level) -> None:
    risk = accepted(floor, report(suggested))
    assert (risk.level, risk.floor, risk.suggested) == (level, floor, suggested)
    assert ("model_below_floor" in risk.flags) == (level != suggested)


@pytest.mark.parametrize(
    ("suggestion", "flags"),
    [
        (report(), ()),
        (report(reasons=(Reason(text="Trust me.", evidence=("supplier.said_so",)),)), ("evidence_not_grounded",)),
        (report("medium", recommended_action="continue"), ("action_below_level",)),
        (report(flags=("attempt_in_notes",)), ("attempt_in_notes",)),
    ],
)
def test_what_disagrees_with_the_facts_is_flagged(suggestion: RiskReport, flags: tuple[str, ...]) -> None:
    assert accepted("low", suggestion).flags == flags


def test_only_the_suggestion_may_be_unaccepted_and_the_result_is_a_rules() -> None:
    assert accept_risk.accepts_suggestions == frozenset({"suggestion"})
    assert accept_risk.origin is Origin.RULE
    others = [each for each in OPERATIONS if each is not accept_risk]
    assert all(not each.accepts_suggestions for each in others)


def test_the_case_is_built_from_the_chosen_offer() -> None:
    facts = given.supply(given.offer(rating="C", late_ratio=Decimal("0.3")))
    choice = choose_supplier.function(given.call(), SupplierQuestion(requirement=required(), supply=facts))
    assert isinstance(choice, SupplierChoice)
    assert choice.risk_case is not None
    assert (choice.risk_case.supplier.rating, choice.risk_case.supplier.late_ratio) == ("C", Decimal("0.3"))
    assert choice.risk_case.amount == Decimal("920.00")


def test_the_rules_form_a_catalogue_of_their_own() -> None:
    registry = OperationRegistry(OPERATIONS)
    assert {each.reference for each in registry} == {
        f"rules.{name}@1"
        for name in (
            "net_requirement",
            "choose_supplier",
            "accept_risk",
            "check_order",
            "draft_requisition",
            "compare_before_write",
            "verify_requisition",
        )
    }


def test_results_survive_the_way_through_json() -> None:
    requirement = required()
    assert type(requirement).model_validate_json(requirement.model_dump_json()) == requirement
