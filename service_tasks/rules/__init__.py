"""Deterministic rules: pure operations that compute, check and compare; none of them reaches outside."""

from __future__ import annotations

from engine.contract import Operation
from service_tasks.rules.comparison import compare_before_write
from service_tasks.rules.draft import draft_requisition
from service_tasks.rules.order_check import check_order
from service_tasks.rules.requirement import net_requirement
from service_tasks.rules.risk_acceptance import accept_risk
from service_tasks.rules.supplier_choice import choose_supplier
from service_tasks.rules.verification import verify_requisition

OPERATIONS: tuple[Operation, ...] = (
    net_requirement,
    choose_supplier,
    accept_risk,
    check_order,
    draft_requisition,
    compare_before_write,
    verify_requisition,
)

__all__ = ["OPERATIONS"]
