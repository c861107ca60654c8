"""Operations of the ERP around buying a material."""

from __future__ import annotations

from engine.contract.operation import Operation
from service_tasks.erp.cancellation import cancel_requisition, find_cancellation
from service_tasks.erp.preflight import preflight_requisition
from service_tasks.erp.read_supply import read_supply
from service_tasks.erp.requisitions import create_requisition, find_requisition, read_requisition

#: What this package offers to the catalogue.
OPERATIONS: tuple[Operation, ...] = (
    read_supply,
    create_requisition,
    find_requisition,
    read_requisition,
    cancel_requisition,
    find_cancellation,
    preflight_requisition,
)

__all__ = [
    "OPERATIONS",
    "cancel_requisition",
    "create_requisition",
    "find_cancellation",
    "find_requisition",
    "preflight_requisition",
    "read_requisition",
    "read_supply",
]
