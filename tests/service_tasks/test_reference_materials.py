"""The stand-in company's materials are the reference cases: what its systems answer nets to what was worked by hand.

Cases: ``cases/replenishment.json``; the way out of each further material: PROCUREMENT and ``sandbox/README.md``.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from service_tasks.ai.risk_floor import SupplierFacts, risk_floor
from service_tasks.erp import read_supply
from service_tasks.erp.values import Offer, Supply, SupplyQuestion
from service_tasks.mes import read_demand
from service_tasks.mes.values import Demand, DemandQuestion
from service_tasks.rules.requirement import FactsOfMaterial, requirement_of
from service_tasks.rules.supplier_choice import SupplierChoice, SupplierQuestion, choice_for
from service_tasks.wms import read_stock
from service_tasks.wms.values import Stock, StockQuestion
from tests.service_tasks.systems import Systems

CASES = Path(__file__).parents[3] / "shared" / "cases" / "replenishment.json"

MATERIAL_OF_CASE = {
    "R01": "MAT-001",
    "R02": "MAT-002",
    "R04": "MAT-003",
    "R05": "MAT-004",
    "R06": "MAT-005",
    "R08": "MAT-006",
    "R10": "MAT-007",
    "R11": "MAT-008",
    "R13": "MAT-009",
    "R15": "MAT-010",
}


def _facts(systems: Systems, material_id: str) -> FactsOfMaterial:
    return FactsOfMaterial(
        stock=systems.run(read_stock, StockQuestion(material_id=material_id), Stock),
        demand=systems.run(read_demand, DemandQuestion(material_id=material_id), Demand),
        supply=systems.run(read_supply, SupplyQuestion(material_id=material_id), Supply),
    )


def _choice(facts: FactsOfMaterial) -> SupplierChoice:
    return choice_for(SupplierQuestion(requirement=requirement_of(facts), supply=facts.supply))


def _cases() -> dict[str, dict[str, Any]]:
    if not CASES.is_file():
        return {}
    return {each["id"]: each for each in json.loads(CASES.read_text())["cases"]}


@pytest.mark.parametrize("case_id", MATERIAL_OF_CASE)
def test_a_reference_case_comes_out_of_the_three_systems(reading: Systems, case_id: str) -> None:
    case = _cases().get(case_id)
    if case is None:
        pytest.skip("the reference cases are not beside this project")
    expected = case["expected"]

    facts = _facts(reading, MATERIAL_OF_CASE[case_id])
    requirement = requirement_of(facts)

    assert requirement.net == Decimal(expected["net_base"])
    if requirement.is_short:
        chosen = _choice(facts).chosen
        assert chosen is not None
        assert chosen.quantity == Decimal(expected["order_qty"])
        assert chosen.company_amount == Decimal(expected["amount"])
        assert (chosen.company_amount > facts.supply.budget.left) == ("OVER_BUDGET" in expected["exceptions"])
    assert ("PAST_DUE_RECEIPT" in requirement.exceptions) == ("PAST_DUE_RECEIPT" in expected["exceptions"])


def _offer(choice: SupplierChoice) -> Offer:
    assert choice.offer is not None
    return choice.offer


def _floor(offer: Offer) -> str:
    return risk_floor(
        SupplierFacts(
            supplier_id=offer.supplier_id,
            late_ratio=offer.late_ratio,
            average_delay_days=offer.average_delay_days,
            rating=offer.rating,
            is_single_source=offer.is_single_source,
            is_known=offer.is_known,
        )
    )


@pytest.mark.parametrize(
    ("material_id", "outcome"),
    [("MAT-011", "nobody_in_time"), ("MAT-012", "above_maximum_lot"), ("MAT-042", "nobody_in_time")],
)
def test_nobody_can_deliver_in_time_or_in_one_lot(reading: Systems, material_id: str, outcome: str) -> None:
    assert _choice(_facts(reading, material_id)).outcome == outcome


@pytest.mark.parametrize("material_id", ["MAT-002", "MAT-034"])
def test_nothing_is_short(reading: Systems, material_id: str) -> None:
    assert requirement_of(_facts(reading, material_id)).is_short is False


@pytest.mark.parametrize(
    ("material_id", "net", "supplier_id", "amount", "risk"),
    [
        ("MAT-001", "400", "S-101", "920.00", "medium"),  # a person approves
        ("MAT-013", "40", "S-102", "1800.00", "low"),  # 1,400.00 left
        ("MAT-014", "50", "S-106", "155.00", "low"),  # blocked
        ("MAT-015", "14", "S-103", "159.60", "low"),  # by rule
        ("MAT-016", "60", "S-102", "18000.00", "low"),
        ("MAT-017", "62", "S-105", "248.00", "low"),  # chemicals
        ("MAT-018", "40", "S-107", "568.00", "low"),  # not on the approved list
        ("MAT-019", "80", "S-108", "4640.00", "high"),
        ("MAT-020", "48", "S-102", "62400.00", "low"),
        ("MAT-021", "600", "S-109", "3870.00", "low"),  # 30,000.00 CNY
        ("MAT-022", "50", "S-102", "3500.00", "low"),  # 4,000.00 left at first
        ("MAT-023", "300", "S-101", "6300.00", "medium"),
        ("MAT-033", "315", "S-103", "227.50", "low"),  # 200 + 100 - (-15)
        ("MAT-035", "172.5", "S-102", "580.00", "low"),  # (250 - 75) x 1.1 - 20
        ("MAT-036", "170", "S-102", "125.80", "low"),  # 300 + 200 - 80 - 250
        ("MAT-037", "8", "S-102", "1512.00", "low"),  # the cheaper one comes too late
        ("MAT-041", "40", "S-102", "856.00", "low"),  # the cheapest is blocked
        ("MAT-044", "115", "S-101", "1426.00", "medium"),  # 60 + 80 - 25, nothing that is overdue
    ],
)
def test_a_material_shows_what_it_is_there_for(
    reading: Systems, material_id: str, net: str, supplier_id: str, amount: str, risk: str
) -> None:
    facts = _facts(reading, material_id)
    choice = _choice(facts)

    assert requirement_of(facts).net == Decimal(net)
    assert choice.chosen is not None
    assert (choice.chosen.supplier_id, choice.chosen.company_amount) == (supplier_id, Decimal(amount))
    assert _floor(_offer(choice)) == risk
