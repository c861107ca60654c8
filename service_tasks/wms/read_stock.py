"""Operation ``wms.read_stock``: a material's stock, split into reserved and blocked."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from engine.contract import Call
from engine.contract.operation import Effect, Values, operation
from service_tasks.http import SystemClient, path
from service_tasks.pages import read_all
from service_tasks.wms.values import Lot, Stock, StockQuestion


class _Lot(Values, extra="ignore"):
    number: str
    quantity: Decimal
    blocked_reason: str | None


class _Lots(Values, extra="ignore"):
    items: tuple[_Lot, ...]
    next: str | None


class _Stock(Values, extra="ignore"):
    material_id: str
    unit: str
    on_hand: Decimal
    reserved: Decimal
    blocked: Decimal
    lots: _Lots
    as_of: datetime


@operation("wms.read_stock", version=1, effect=Effect.READ, system="wms")
def read_stock(call: Call, question: StockQuestion) -> Stock:
    """Read what is in the house of a material, what is reserved for others and what quality has blocked."""
    client = SystemClient(call)
    address = path("v1", "stock", question.material_id)
    stock, lots = read_all(lambda params: client.get(address, _Stock, params=params), lambda answer: answer.lots)
    return Stock(
        material_id=stock.material_id,
        unit=stock.unit,
        on_hand=stock.on_hand,
        reserved=stock.reserved,
        blocked=stock.blocked,
        lots=tuple(
            Lot(
                number=lot.number,
                quantity=lot.quantity,
                is_blocked=lot.blocked_reason is not None,
                blocked_reason=lot.blocked_reason,
            )
            for lot in lots
        ),
        as_of=stock.as_of,
    )
