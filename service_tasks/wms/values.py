"""What the warehouse system is asked, and what it answers."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from pydantic import Field

from engine.contract.operation import Values


class StockQuestion(Values):
    """Which material's stock is asked for."""

    material_id: str = Field(min_length=1, max_length=40)


class Lot(Values):
    """One lot in the warehouse.

    Attributes
    ----------
    quantity
        In the stock's unit.
    is_blocked
        Quality has not released it: it is on hand and cannot be used.
    blocked_reason
        Why it is blocked; None for a free lot.
    """

    number: str
    quantity: Decimal
    is_blocked: bool
    blocked_reason: str | None = None


class Stock(Values):
    """A material's stock as the warehouse states it.

    Attributes
    ----------
    on_hand
        Everything in the house, blocked lots and reservations included; may be negative after a counting error.
    reserved
        Reserved for others: never part of the demand that the MES states.
    blocked
        Sum of the blocked lots.
    as_of
        The warehouse's own instant of this answer, aware, UTC.
    """

    material_id: str
    unit: str
    on_hand: Decimal
    reserved: Decimal
    blocked: Decimal
    lots: tuple[Lot, ...]
    as_of: datetime
