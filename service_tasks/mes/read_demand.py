"""Operation ``mes.read_demand``: what production needs of a material, by work order and day."""

from __future__ import annotations

from datetime import datetime

from engine.contract import Call
from engine.contract.operation import Effect, Values, operation
from service_tasks.http import SystemClient, path
from service_tasks.mes.values import Demand, DemandLine, DemandQuestion
from service_tasks.pages import read_all


class _Line(DemandLine, extra="ignore"):
    pass


class _Lines(Values, extra="ignore"):
    items: tuple[_Line, ...]
    next: str | None


class _Demand(Values, extra="ignore"):
    material_id: str
    unit: str | None
    lines: _Lines
    as_of: datetime


@operation("mes.read_demand", version=1, effect=Effect.READ, system="mes")
def read_demand(call: Call, question: DemandQuestion) -> Demand:
    """Read which work orders need a material, when, how much, and how much they already have."""
    client = SystemClient(call)
    address = path("v1", "demand", question.material_id)
    horizon = {} if question.horizon_days is None else {"horizon_days": str(question.horizon_days)}
    demand, lines = read_all(
        lambda params: client.get(address, _Demand, params={**horizon, **params}), lambda answer: answer.lines
    )
    return Demand(
        material_id=demand.material_id,
        unit=demand.unit,
        lines=tuple(DemandLine(**line.model_dump()) for line in lines),
        as_of=demand.as_of,
    )
