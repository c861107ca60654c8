"""The stand-in company's data as it stands on the first day. Days are counted from that day; nobody in it is real."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

#: When the ERP confirms a requisition: right after accepting it, later, or not by itself.
Confirmation = Literal["at_once", "late", "never"]
#: How the ERP treats requisitions of a material.
Treatment = Literal["normal", "refuse_now", "refuse_later", "change_quantity"]


class Record(BaseModel):
    """Base of everything that is read from the seed files or from a request."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Name(Record):
    """A name in the two languages of the company."""

    en: str
    zh: str


class Supplier(Record):
    """A supplier with its delivery record."""

    supplier_id: str
    name: Name
    currency: str
    rating: Literal["A", "B", "C", "D"]
    late_ratio: Decimal
    average_delay_days: Decimal
    is_blocked: bool = False
    is_known: bool = True


class CostCentre(Record):
    """A cost centre with its budget in company currency."""

    cost_centre: str
    name: Name
    total: Decimal
    committed: Decimal


class CompanySeed(Record):
    """What belongs to the company as a whole."""

    currency: str
    rates: dict[str, Decimal]
    suppliers: tuple[Supplier, ...]
    cost_centres: tuple[CostCentre, ...]


class LotSeed(Record):
    """A lot; blocked when it has a reason to be."""

    number: str
    quantity: Decimal
    blocked_reason: str | None = None


class StockSeed(Record):
    """A material's stock. ``lot_count`` makes so many free lots of equal size instead of naming them."""

    on_hand: Decimal
    reserved: Decimal = Decimal(0)
    lots: tuple[LotSeed, ...] = ()
    lot_count: int = 0


class DemandSeed(Record):
    """A work order's need of a material on a day."""

    work_order: str
    product: str
    day: int
    required: Decimal
    issued: Decimal = Decimal(0)
    scrap_percent: Decimal = Decimal(0)


class PurchaseSeed(Record):
    """An open purchase order line."""

    number: str
    supplier_id: str
    ordered: Decimal
    received: Decimal = Decimal(0)
    unit_factor: Decimal = Decimal(1)
    day: int
    is_cancelled: bool = False


class RequisitionSeed(Record):
    """A requisition that somebody made before the first day."""

    number: str
    supplier_id: str
    quantity: Decimal
    price: Decimal
    day: int


class ContractSeed(Record):
    """A frame contract with the highest price it allows."""

    number: str
    from_day: int
    until_day: int
    maximum_price: Decimal


class OfferSeed(Record):
    """One supplier's conditions for one material, per purchase unit."""

    supplier_id: str
    lead_time_days: int
    minimum: Decimal = Decimal(0)
    multiple: Decimal = Decimal(1)
    maximum: Decimal | None = None
    price_breaks: tuple[tuple[Decimal, Decimal], ...]
    is_single_source: bool = False
    contract: ContractSeed | None = None


class Behaviour(Record):
    """How the ERP behaves towards requisitions of one material; ``confirmation`` None: as the company does."""

    confirmation: Confirmation | None = None
    answer: Treatment = "normal"
    is_ordered_at_once: bool = False


class MaterialSeed(Record):
    """A material with everything that the three systems know about it. ``shows`` says what it is there for."""

    material_id: str
    shows: str
    name: Name
    category: Literal["raw", "packaging", "maintenance", "chemicals"]
    base_unit: str = "pc"
    purchase_unit: str = "pc"
    unit_factor: Decimal = Decimal(1)
    safety_stock: Decimal = Decimal(0)
    horizon_days: int = 14
    cost_centre: str = "CC-100"
    behaviour: Behaviour = Behaviour()
    stock: StockSeed
    demand: tuple[DemandSeed, ...] = ()
    demand_count: int = Field(default=0, description="So many work orders of 20 each over the horizon.")
    purchases: tuple[PurchaseSeed, ...] = ()
    requisitions: tuple[RequisitionSeed, ...] = ()
    offers: tuple[OfferSeed, ...]

    def all_demand(self) -> tuple[DemandSeed, ...]:
        """Return the named work orders and the ``demand_count`` made ones."""
        made = (
            DemandSeed(
                work_order=f"WO-{2000 + n}", product="FG-300", day=1 + n % self.horizon_days, required=Decimal(20)
            )
            for n in range(self.demand_count)
        )
        return (*self.demand, *made)

    def all_lots(self) -> tuple[LotSeed, ...]:
        """Return the named lots and the ``lot_count`` made ones; one lot with everything when there are none."""
        stock = self.stock
        if stock.lot_count:
            share = stock.on_hand / stock.lot_count
            return tuple(
                LotSeed(number=f"L-{self.material_id[4:]}-{n:03}", quantity=share) for n in range(stock.lot_count)
            )
        if not stock.lots and stock.on_hand > 0:
            return (LotSeed(number=f"L-{self.material_id[4:]}01", quantity=stock.on_hand),)
        return stock.lots


@cache
def company_seed() -> CompanySeed:
    """Return suppliers, cost centres and rates."""
    return CompanySeed.model_validate_json((files("sandbox") / "seed" / "company.json").read_bytes())


@cache
def material_seeds() -> tuple[MaterialSeed, ...]:
    """Return all materials, in the order of their ids."""
    content = (files("sandbox") / "seed" / "materials.json").read_bytes()
    return TypeAdapter(tuple[MaterialSeed, ...]).validate_json(content)
