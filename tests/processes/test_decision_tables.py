"""The shipped decision tables, row by row and at their limits."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from engine.decision import read_decisions
from tests.processes.shipped import files_of

NOW = datetime(2026, 12, 1, tzinfo=UTC)
FILES = files_of("procurement")
APPROVAL = read_decisions(FILES["approval.dmn"], path="approval.dmn")
SUPPLIER = read_decisions(FILES["supplier.dmn"], path="supplier.dmn")

RULE = ("by_rule", 2000)
MANAGER = ("purchasing_manager", 50000)
BOTH = ("purchasing_manager_and_finance", 50000)
THEN = ("purchasing_manager_then_finance", None)


# PROCUREMENT, approval matrix: FIRST
@pytest.mark.parametrize(
    ("amount", "category", "is_known", "risk", "flags", "expected"),
    [
        ("125.00", "raw", True, "low", [], RULE),
        ("2000.00", "maintenance", True, "low", [], RULE),
        ("2000.01", "raw", True, "low", [], MANAGER),
        ("125.00", "chemicals", True, "low", [], MANAGER),
        ("125.00", "raw", True, "low", ["late_delivery"], MANAGER),
        ("125.00", "raw", True, "medium", [], MANAGER),
        ("125.00", "raw", False, "low", [], BOTH),
        ("125.00", "raw", True, "high", [], BOTH),
        ("50000.00", "raw", True, "low", [], MANAGER),
        ("50000.00", "packaging", True, "medium", ["wished_quantity"], MANAGER),
        ("50000.00", "raw", True, "high", [], BOTH),
        ("50000.00", "raw", False, "medium", [], BOTH),
        ("50000.01", "raw", True, "low", [], THEN),
        ("50000.01", "chemicals", False, "high", ["picked_supplier"], THEN),
    ],
)
def test_the_approval_matrix(
    amount: str, category: str, is_known: bool, risk: str, flags: list[str], expected: tuple[str, int | None]
) -> None:
    draft = {
        "requisition": {"company_amount": Decimal(amount)},
        "category": category,
        "supplier_is_known": is_known,
        "accepted_risk": risk,
        "flags": flags,
    }
    value = APPROVAL.decide("approval_matrix", {"draft": draft}, now=NOW).value
    assert value == {"approval": expected[0], "limit": expected[1]}


@pytest.mark.parametrize(
    ("category", "prefers", "buffer_days", "approved_only"),
    [
        ("raw", "price", 0, False),
        ("packaging", "price", 0, False),
        ("maintenance", "lead_time", 0, False),
        ("chemicals", "price", 1, True),
    ],
)
def test_the_supplier_policy(category: str, prefers: str, buffer_days: int, approved_only: bool) -> None:
    value = SUPPLIER.decide("supplier_policy", {"supply": {"material": {"category": category}}}, now=NOW).value
    assert value == {"prefers": prefers, "buffer_days": buffer_days, "needs_approved_supplier": approved_only}
