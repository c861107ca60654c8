"""Operations of the warehouse management system."""

from __future__ import annotations

from engine.contract.operation import Operation
from service_tasks.wms.read_stock import read_stock

#: What this package offers to the catalogue.
OPERATIONS: tuple[Operation, ...] = (read_stock,)

__all__ = ["OPERATIONS", "read_stock"]
