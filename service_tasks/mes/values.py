"""What the production system is asked, and what it answers."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from pydantic import Field

from engine.contract.operation import Values
from service_tasks.whole_number import WholeNumber


class DemandQuestion(Values):
    """Which material's demand is asked for.

    Attributes
    ----------
    horizon_days
        Only components needed within so many days from the production system's today, that day included; None: all.
    """

    material_id: str = Field(min_length=1, max_length=40)
    horizon_days: WholeNumber | None = Field(default=None, ge=0, le=3660)


class DemandLine(Values):
    """One work order's need of the material.

    Attributes
    ----------
    required, issued
        Planned quantity and what has already left the store for this order, both in the demand's unit.
    scrap_percent
        Planned loss: 5 means that five of a hundred are lost.
    """

    work_order: str
    product: str
    required_at: date
    required: Decimal
    issued: Decimal
    scrap_percent: Decimal


class Demand(Values):
    """What production needs of one material, by work order and day; no lines when nothing is planned.

    Attributes
    ----------
    unit
        None when the production system plans nothing with this material and therefore knows no unit.
    as_of
        The production system's own instant of this answer, aware, UTC.
    """

    material_id: str
    unit: str | None
    lines: tuple[DemandLine, ...]
    as_of: datetime
