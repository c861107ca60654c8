"""Operation ``rules.choose_supplier``: which supplier, and how much of it, for a net requirement."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Literal

from pydantic import Field

from engine.contract import Call
from engine.contract.operation import Effect, Values, operation
from service_tasks.ai.risk_floor import SupplierFacts
from service_tasks.ai.risk_report import RiskCase
from service_tasks.erp.values import Name, Offer, Supply
from service_tasks.rules import replenishment
from service_tasks.rules.requirement import NetRequirement
from service_tasks.rules.words import Text
from service_tasks.whole_number import WholeNumber

#: Why an offer cannot be taken as it is.
Obstacle = Literal["blocked", "not_approved", "too_late", "above_maximum_lot", "no_price", "no_rate"]
Outcome = Literal["chosen", "nobody_in_time", "above_maximum_lot"]


class SupplierPolicy(Values):
    """How suppliers of a category are ranked; the row of the decision table that applied.

    Attributes
    ----------
    prefers
        What decides among the offers that are possible; the other one breaks a tie.
    buffer_days
        Days between arrival and need that a delivery must leave.
    needs_approved_supplier
        Suppliers that are not on the approved list are left out.
    """

    prefers: Literal["price", "lead_time"] = "price"
    buffer_days: WholeNumber = Field(default=0, ge=0, le=60)
    needs_approved_supplier: bool = False


class Wish(Values):
    """What a person asked for instead of the computed lot.

    Attributes
    ----------
    quantity
        In purchase units; the lot rules still hold for it.
    supplier_id
        The supplier to take, whatever the ranking says; None leaves the choice to the ranking.
    by
        Who asked.
    """

    quantity: Decimal | None = Field(default=None, gt=0)
    supplier_id: str | None = None
    by: str = ""


class SupplierQuestion(Values):
    """A net requirement, what the ERP knows of buying it, the policy, and a person's wish where there is one."""

    requirement: NetRequirement
    supply: Supply
    policy: SupplierPolicy = SupplierPolicy()
    wish: Wish | None = None


class Candidate(Values):
    """One supplier's offer worked out for this requirement.

    Attributes
    ----------
    quantity, unit, base_quantity, surplus
        The lot in purchase units, the same in the base unit, and how much of it goes beyond the net requirement.
    price, price_from, amount
        Per purchase unit and in total, in ``currency``; ``price_from`` is the price break used.
    rate, rate_date, company_amount
        The day's stored rate and the amount in company currency.
    arrives_on, order_by
        When it would be here, and the latest day to order it in time.
    obstacles
        Why it cannot be taken; empty for one that can.
    """

    supplier_id: str
    supplier_name: Name
    is_known: bool
    is_blocked: bool
    lead_time_days: int
    arrives_on: date
    order_by: date
    quantity: Decimal
    unit: str
    base_quantity: Decimal
    surplus: Decimal
    price: Decimal
    price_from: Decimal
    currency: str
    amount: Decimal
    rate: Decimal
    rate_date: date
    company_amount: Decimal
    obstacles: tuple[Obstacle, ...]


class SupplierChoice(Values):
    """The supplier and lot that were chosen, or why a person has to choose.

    Attributes
    ----------
    offer
        The chosen supplier's conditions as the ERP stated them; None when nobody was chosen.
    risk_case
        The purchase as the risk analysis and its acceptance take it.
    flags
        What approvers must see: ``wished_quantity``, ``wish_rounded``, ``below_requirement``, ``picked_supplier``,
        ``late_delivery``, ``only_blocked_supplier``.
    """

    outcome: Outcome
    chosen: Candidate | None
    offer: Offer | None
    risk_case: RiskCase | None
    candidates: tuple[Candidate, ...]
    wish: Wish | None
    flags: tuple[str, ...]
    reason: Text


@operation("rules.choose_supplier", version=1, effect=Effect.PURE)
def choose_supplier(call: Call, question: SupplierQuestion) -> SupplierChoice:
    """Choose the supplier and the lot for a net requirement.

    Source: PROCUREMENT, step 4. A person's pick goes before the ranking, also when it comes late. A blocked supplier
    is taken only when there is no other, so that the check after it names the rule. Above the largest lot and nobody
    in time are a person's to decide.
    """
    del call
    return choice_for(question)


def choice_for(question: SupplierQuestion) -> SupplierChoice:
    """Return the choice; see the operation."""
    candidates = tuple(_candidate(question, offer) for offer in question.supply.offers)
    picked = question.wish.supplier_id if question.wish else None
    pool = [each for each in candidates if picked is None or each.supplier_id == picked]
    ignored: set[str] = {"too_late", "not_approved"} if picked is not None else set()
    open_offers = [each for each in pool if not each.is_blocked]
    only_blocked = bool(pool) and not open_offers
    possible = [each for each in (open_offers or pool) if not set(each.obstacles) - ignored - {"blocked"}]
    best = min(possible, key=lambda each: _rank(each, question.policy), default=None)
    if best is None:
        too_large = any(set(each.obstacles) - ignored - {"blocked"} == {"above_maximum_lot"} for each in pool)
        return _nobody(question, candidates, "above_maximum_lot" if too_large else "nobody_in_time")
    offer = next(each for each in question.supply.offers if each.supplier_id == best.supplier_id)
    return SupplierChoice(
        outcome="chosen",
        chosen=best,
        offer=offer,
        risk_case=_risk_case(question, best, offer),
        candidates=candidates,
        wish=question.wish,
        flags=_flags(question, best, only_blocked),
        reason=_why(best, question.policy, is_picked=picked is not None),
    )


def _candidate(question: SupplierQuestion, offer: Offer) -> Candidate:
    requirement, supply, wish = question.requirement, question.supply, question.wish
    lot = replenishment.lot(
        requirement.net,
        replenishment.LotRules(
            unit_factor=supply.material.unit_factor,
            minimum=offer.minimum,
            multiple=offer.multiple,
            maximum=offer.maximum,
        ),
        asked_for=wish.quantity if wish else None,
    )
    breaks = [
        replenishment.PriceBreak(from_quantity=each.from_quantity, price=each.price) for each in offer.price_breaks
    ]
    reached = replenishment.price_break(lot.quantity, breaks)
    rate = next((each for each in supply.rates if each.currency == offer.currency), None)
    arrives_on = requirement.today + timedelta(days=offer.lead_time_days)
    order_by = requirement.need_date - timedelta(days=offer.lead_time_days + question.policy.buffer_days)
    price = reached.price if reached else Decimal(0)
    obstacles: list[tuple[Obstacle, bool]] = [
        ("blocked", offer.is_blocked),
        ("not_approved", question.policy.needs_approved_supplier and not offer.is_known),
        ("too_late", order_by < requirement.today),
        ("above_maximum_lot", bool(lot.exceptions)),
        ("no_price", reached is None),
        ("no_rate", rate is None),
    ]
    return Candidate(
        supplier_id=offer.supplier_id,
        supplier_name=offer.supplier_name,
        is_known=offer.is_known,
        is_blocked=offer.is_blocked,
        lead_time_days=offer.lead_time_days,
        arrives_on=arrives_on,
        order_by=order_by,
        quantity=lot.quantity,
        unit=supply.material.purchase_unit,
        base_quantity=lot.base_quantity,
        surplus=lot.surplus,
        price=price,
        price_from=reached.from_quantity if reached else Decimal(0),
        currency=offer.currency,
        amount=replenishment.amount(lot.quantity, price),
        rate=rate.rate if rate else Decimal(0),
        rate_date=rate.date if rate else requirement.today,
        company_amount=replenishment.amount(lot.quantity, price, rate.rate if rate else Decimal(0)),
        obstacles=tuple(name for name, holds in obstacles if holds),
    )


def _rank(candidate: Candidate, policy: SupplierPolicy) -> tuple[Decimal, Decimal, str]:
    """Order candidates: cost per base unit in company currency and lead time, then the id, so that ties are stable."""
    cost = candidate.company_amount / candidate.base_quantity if candidate.base_quantity else Decimal(0)
    days = Decimal(candidate.lead_time_days)
    first, second = (cost, days) if policy.prefers == "price" else (days, cost)
    return first, second, candidate.supplier_id


def _risk_case(question: SupplierQuestion, chosen: Candidate, offer: Offer) -> RiskCase:
    return RiskCase(
        material_id=question.requirement.material_id,
        category=question.supply.material.category,
        quantity=chosen.quantity,
        unit=chosen.unit,
        amount=chosen.amount,
        currency=chosen.currency,
        supplier=SupplierFacts(
            supplier_id=offer.supplier_id,
            late_ratio=offer.late_ratio,
            average_delay_days=offer.average_delay_days,
            rating=offer.rating,
            is_single_source=offer.is_single_source,
            is_known=offer.is_known,
            lead_time_days=offer.lead_time_days,
        ),
        need_date=question.requirement.need_date,
    )


def _flags(question: SupplierQuestion, chosen: Candidate, only_blocked: bool) -> tuple[str, ...]:
    wish = question.wish
    wished = wish.quantity if wish else None
    holds = (
        ("wished_quantity", wished is not None),
        ("wish_rounded", wished is not None and wished != chosen.quantity),
        ("below_requirement", chosen.surplus < 0),
        ("picked_supplier", wish is not None and wish.supplier_id is not None),
        ("late_delivery", "too_late" in chosen.obstacles),
        ("only_blocked_supplier", only_blocked),
    )
    return tuple(name for name, is_so in holds if is_so)


def _why(chosen: Candidate, policy: SupplierPolicy, *, is_picked: bool) -> Text:
    name = chosen.supplier_name
    if is_picked:
        return Text(en=f"{name.en} was picked by a person.", zh=f"{name.zh}由人工选定。")
    if policy.prefers == "price":
        return Text(en=f"{name.en} is the cheapest in time.", zh=f"在能按时交货的供应商中，{name.zh}价格最低。")
    return Text(en=f"{name.en} delivers first.", zh=f"{name.zh}交货最快。")


def _nobody(question: SupplierQuestion, candidates: tuple[Candidate, ...], outcome: Outcome) -> SupplierChoice:
    if outcome == "above_maximum_lot":
        reason = Text(
            en="The lot is above the largest lot of every supplier in time.",
            zh="所需批量超过所有能按时交货的供应商的最大批量。",
        )
    elif not candidates:
        reason = Text(en="No supplier offers this material.", zh="没有供应商提供该物料。")
    else:
        day = question.requirement.need_date.isoformat()
        reason = Text(en=f"No supplier can deliver by {day}.", zh=f"没有供应商能在 {day} 前交货。")
    return SupplierChoice(
        outcome=outcome,
        chosen=None,
        offer=None,
        risk_case=None,
        candidates=candidates,
        wish=question.wish,
        flags=(),
        reason=reason,
    )
