"""Operations of the manufacturing execution system."""

from __future__ import annotations

from engine.contract.operation import Operation
from service_tasks.mes.read_demand import read_demand

#: What this package offers to the catalogue.
OPERATIONS: tuple[Operation, ...] = (read_demand,)

__all__ = ["OPERATIONS", "read_demand"]
