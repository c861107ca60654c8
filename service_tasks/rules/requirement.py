"""Operation ``rules.net_requirement``: what is missing of a material, from what WMS, MES and ERP state."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from engine.contract import Call
from engine.contract.errors import BusinessRuleViolated
from engine.contract.operation import Effect, Values, operation
from service_tasks.erp.values import OpenPurchase, Supply
from service_tasks.mes.values import Demand, DemandLine
from service_tasks.rules import replenishment
from service_tasks.rules.words import plain
from service_tasks.wms.values import Stock

PERCENT = Decimal(100)


class FactsOfMaterial(Values):
    """The three systems' answers about one material.

    Attributes
    ----------
    own_reference
        Reference of this purchase's own requisition, which is not counted as an open one; None when there is none.
    """

    stock: Stock
    demand: Demand
    supply: Supply
    own_reference: str | None = None


class DemandTerm(Values):
    """One work order's part in the gross demand; ``open`` is ``max(0, required - issued) x (1 + scrap)``."""

    work_order: str
    product: str
    needed_on: date
    required: Decimal
    issued: Decimal
    scrap_percent: Decimal
    open: Decimal


class ReceiptTerm(Values):
    """One purchase line; ``open`` in the base unit. ``counts``: it is part of the scheduled receipts."""

    number: str
    supplier_id: str
    due: date
    open: Decimal
    is_past_due: bool
    counts: bool


class NetRequirement(Values):
    """The net requirement with every term, so that a page can show the formula filled in. All in the base unit.

    Attributes
    ----------
    formula
        The terms in the order demand + safety - available - receipts - requisitions, for example
        ``500 + 100 - 120 - 80 - 0 = 400``; when more is there than is needed, ``-100 -> 0``.
    need_date
        First day on which the need is not met; the end of the horizon when only safety stock is missing.
    exceptions
        Codes of ``replenishment.Exceptional``.
    """

    material_id: str
    unit: str
    today: date
    horizon_end: date
    on_hand: Decimal
    reserved: Decimal
    blocked: Decimal
    gross_demand: Decimal
    safety_stock: Decimal
    available: Decimal
    scheduled_receipts: Decimal
    open_requisitions: Decimal
    net: Decimal
    is_short: bool
    need_date: date
    formula: str
    demand: tuple[DemandTerm, ...]
    receipts: tuple[ReceiptTerm, ...]
    past_due: tuple[str, ...]
    exceptions: tuple[str, ...]


def requirement_of(facts: FactsOfMaterial) -> NetRequirement:
    """Return the net requirement on the ERP's own day, whose dates the open purchases carry.

    Raises
    ------
    BusinessRuleViolated
        When the systems speak of different materials or units.
    """
    _check_units(facts)
    stock, supply, material = facts.stock, facts.supply, facts.supply.material
    today = supply.as_of.date()
    horizon_end = today + timedelta(days=material.horizon_days)
    needs = [(line, _need(line)) for line in facts.demand.lines if line.required_at <= horizon_end]
    receipts = [(line, _receipt(line)) for line in supply.open_purchases]
    others = [each for each in supply.open_requisitions if each.reference != facts.own_reference]
    netting = replenishment.net_requirement(
        today=today,
        horizon_end=horizon_end,
        stock=replenishment.StockLevel(
            on_hand=stock.on_hand,
            reserved=stock.reserved,
            blocked=stock.blocked,
            safety_stock=material.safety_stock,
        ),
        needs=[need for _, need in needs],
        receipts=[receipt for _, receipt in receipts],
        open_requisitions=sum((each.quantity * each.unit_factor for each in others), Decimal(0)),
    )
    return NetRequirement(
        material_id=material.material_id,
        unit=material.base_unit,
        today=today,
        horizon_end=horizon_end,
        on_hand=stock.on_hand,
        reserved=stock.reserved,
        blocked=stock.blocked,
        gross_demand=netting.gross_demand,
        safety_stock=netting.safety_stock,
        available=netting.available,
        scheduled_receipts=netting.scheduled_receipts,
        open_requisitions=netting.open_requisitions,
        net=netting.net,
        is_short=netting.net > 0,
        need_date=netting.short_on or horizon_end,
        formula=_formula(netting),
        demand=tuple(_demand_term(line, need) for line, need in needs),
        receipts=tuple(_receipt_term(line, receipt, today, horizon_end) for line, receipt in receipts),
        past_due=netting.past_due,
        exceptions=tuple(str(each) for each in netting.exceptions),
    )


@operation("rules.net_requirement", version=1, effect=Effect.PURE)
def net_requirement(call: Call, facts: FactsOfMaterial) -> NetRequirement:
    """Compute the net requirement of a material."""
    del call
    return requirement_of(facts)


def _check_units(facts: FactsOfMaterial) -> None:
    material = facts.supply.material
    named = {material.material_id, facts.stock.material_id, facts.demand.material_id}
    if len(named) > 1:
        raise BusinessRuleViolated(f"Rule same_material: the systems answered about {', '.join(sorted(named))}.")
    units = {material.base_unit, facts.stock.unit, facts.demand.unit or material.base_unit}
    if len(units) > 1:
        raise BusinessRuleViolated(
            f"Rule same_unit: {material.material_id} is kept in {' and '.join(sorted(units))}. "
            "Let WMS, MES and ERP use one base unit; quantities in different units cannot be netted."
        )


def _need(line: DemandLine) -> replenishment.Need:
    return replenishment.Need(
        needed_on=line.required_at,
        required=line.required,
        issued=line.issued,
        scrap=line.scrap_percent / PERCENT,
    )


def _receipt(line: OpenPurchase) -> replenishment.Receipt:
    return replenishment.Receipt(
        number=line.number,
        due=line.due,
        ordered=line.ordered,
        received=line.received,
        unit_factor=line.unit_factor,
        is_cancelled=line.is_cancelled,
    )


def _demand_term(line: DemandLine, need: replenishment.Need) -> DemandTerm:
    return DemandTerm(
        work_order=line.work_order,
        product=line.product,
        needed_on=line.required_at,
        required=line.required,
        issued=line.issued,
        scrap_percent=line.scrap_percent,
        open=need.open,
    )


def _receipt_term(line: OpenPurchase, receipt: replenishment.Receipt, today: date, horizon_end: date) -> ReceiptTerm:
    return ReceiptTerm(
        number=line.number,
        supplier_id=line.supplier_id,
        due=line.due,
        open=receipt.open,
        is_past_due=receipt.due < today and receipt.open > 0,
        counts=today <= receipt.due <= horizon_end and receipt.open > 0,
    )


def _formula(netting: replenishment.Netting) -> str:
    terms = (
        netting.gross_demand,
        netting.safety_stock,
        netting.available,
        netting.scheduled_receipts,
        netting.open_requisitions,
    )
    demand, safety, *taken = [f"({plain(term)})" if term < 0 else plain(term) for term in terms]
    total = terms[0] + terms[1] - sum(terms[2:])
    end = f"{plain(total)}" if total >= 0 else f"{plain(total)} -> 0"
    return f"{demand} + {safety} - {' - '.join(taken)} = {end}"
