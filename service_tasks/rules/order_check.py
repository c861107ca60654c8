"""Operation ``rules.check_order``: a chosen order against the facts, before anybody is asked to approve it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from engine.contract import Call
from engine.contract.operation import Effect, Values, operation
from service_tasks.erp.values import Offer, Supply
from service_tasks.rules import replenishment
from service_tasks.rules.requirement import NetRequirement
from service_tasks.rules.risk_acceptance import AcceptedRisk
from service_tasks.rules.supplier_choice import Candidate, SupplierChoice
from service_tasks.rules.words import Text, plain

#: passed: as it should be. flagged: unusual, so a person looks at it. broken: it must not be bought like this.
#: short: the budget does not suffice.
Verdict = Literal["passed", "flagged", "broken", "short"]


class Limits(Values):
    """What the company allows for one requisition; ``amount`` in company currency, None for no limit."""

    amount: Decimal | None = Field(default=None, gt=0)


class OrderQuestion(Values):
    """The order, and the facts it is checked against; ``supply`` may be read later than the choice was made."""

    requirement: NetRequirement
    choice: SupplierChoice
    supply: Supply
    risk: AcceptedRisk
    limits: Limits = Limits()


class Finding(Values):
    """One rule and how the order stands with it."""

    rule: str
    verdict: Verdict
    words: Text


class OrderCheck(Values):
    """The result of all rules.

    Attributes
    ----------
    outcome
        broken before budget_short before ok. ``broken`` names its first rule in ``broken_rule``.
    flags
        Everything that a person has to see: with one, no rule approves alone.
    budget_left, budget_after, budget_missing
        In company currency, before and after this order; ``budget_missing`` is 0 when it suffices.
    affordable_quantity
        Largest lot, in purchase units, that the budget still allows; 0 when none.
    """

    outcome: Literal["ok", "budget_short", "broken"]
    broken_rule: str | None
    reason: Text
    findings: tuple[Finding, ...]
    flags: tuple[str, ...]
    company_currency: str
    budget_left: Decimal
    budget_after: Decimal
    budget_missing: Decimal
    affordable_quantity: Decimal


@operation("rules.check_order", version=1, effect=Effect.PURE)
def check_order(call: Call, question: OrderQuestion) -> OrderCheck:
    """Check quantity, price, supplier, budget, limits and contract of an order against the facts.

    Source: PROCUREMENT, step 6.
    """
    del call
    chosen = question.choice.chosen
    offer = next((each for each in question.supply.offers if chosen and each.supplier_id == chosen.supplier_id), None)
    if chosen is None or offer is None:
        findings: tuple[Finding, ...] = (_finding("offer_exists", "broken", *_NO_OFFER),)
        return _result(question, None, findings)
    return _result(question, chosen, _findings(question, chosen, offer))


_NO_OFFER = ("The chosen supplier no longer offers this material.", "选定的供应商已不再提供该物料。")


def _findings(question: OrderQuestion, chosen: Candidate, offer: Offer) -> tuple[Finding, ...]:
    return (
        *_supplier(chosen, offer),
        *_quantity(question, chosen, offer),
        *_price(question, chosen, offer),
        *_contract(chosen, offer, question.requirement.today),
        *_limits(question, chosen),
        *_budget(question, chosen),
    )


def _supplier(chosen: Candidate, offer: Offer) -> tuple[Finding, ...]:
    name = chosen.supplier_name
    return (
        _finding(
            "supplier_not_blocked",
            "broken" if offer.is_blocked else "passed",
            f"{name.en} is {'blocked' if offer.is_blocked else 'not blocked'} for purchasing.",
            f"{name.zh}{'已被采购冻结' if offer.is_blocked else '未被采购冻结'}。",
        ),
        _finding(
            "supplier_approved",
            "passed" if offer.is_known else "flagged",
            f"{name.en} is {'' if offer.is_known else 'not '}on the approved list.",
            f"{name.zh}{'在' if offer.is_known else '不在'}合格供应商名单上。",
        ),
    )


def _quantity(question: OrderQuestion, chosen: Candidate, offer: Offer) -> tuple[Finding, ...]:
    too_little = chosen.quantity <= 0 or chosen.quantity < offer.minimum or chosen.quantity % offer.multiple != 0
    too_much = offer.maximum is not None and chosen.quantity > offer.maximum
    computed = replenishment.lot(
        question.requirement.net,
        replenishment.LotRules(
            unit_factor=question.supply.material.unit_factor, minimum=offer.minimum, multiple=offer.multiple
        ),
    )
    differs = chosen.quantity != computed.quantity
    quantity, wanted = plain(chosen.quantity), plain(computed.quantity)
    return (
        _finding(
            "lot_rules_hold",
            "broken" if too_little or too_much else "passed",
            f"{quantity} {chosen.unit} against minimum {plain(offer.minimum)}, multiple {plain(offer.multiple)}, "
            f"maximum {plain(offer.maximum) if offer.maximum is not None else 'none'}.",
            f"{quantity} {chosen.unit}：最小批量 {plain(offer.minimum)}，批量倍数 {plain(offer.multiple)}，"
            f"最大批量 {plain(offer.maximum) if offer.maximum is not None else '无'}。",
        ),
        _finding(
            "quantity_as_computed",
            "flagged" if differs else "passed",
            f"{quantity} {chosen.unit} ordered, {wanted} computed.",
            f"订购 {quantity} {chosen.unit}，计算值为 {wanted}。",
        ),
    )


def _price(question: OrderQuestion, chosen: Candidate, offer: Offer) -> tuple[Finding, ...]:
    breaks = [
        replenishment.PriceBreak(from_quantity=each.from_quantity, price=each.price) for each in offer.price_breaks
    ]
    reached = replenishment.price_break(chosen.quantity, breaks)
    rate = next((each.rate for each in question.supply.rates if each.currency == chosen.currency), None)
    holds = (
        reached is not None
        and rate is not None
        and chosen.price == reached.price
        and chosen.currency == offer.currency
        and chosen.amount == replenishment.amount(chosen.quantity, chosen.price)
        and chosen.company_amount == replenishment.amount(chosen.quantity, chosen.price, rate)
    )
    stated = plain(reached.price) if reached else "-"
    return (
        _finding(
            "price_and_amount_as_offered",
            "passed" if holds else "broken",
            f"{chosen.price} {chosen.currency} per {chosen.unit}; the ERP states {stated} for this quantity.",
            f"单价 {chosen.price} {chosen.currency}/{chosen.unit}；ERP 对该数量的报价为 {stated}。",
        ),
    )


def _contract(chosen: Candidate, offer: Offer, today: date) -> tuple[Finding, ...]:
    contract = offer.contract
    if contract is None:
        return ()
    is_valid = contract.valid_from <= today <= contract.valid_until
    is_dearer = is_valid and chosen.price > contract.maximum_price
    ceiling = plain(contract.maximum_price)
    return (
        _finding(
            "contract_valid",
            "passed" if is_valid else "flagged",
            f"Contract {contract.number} holds from {contract.valid_from} until {contract.valid_until}.",
            f"合同 {contract.number} 有效期为 {contract.valid_from} 至 {contract.valid_until}。",
        ),
        _finding(
            "contract_price",
            "broken" if is_dearer else "passed",
            f"{chosen.price} {chosen.currency} against at most {ceiling} in contract {contract.number}.",
            f"单价 {chosen.price} {chosen.currency}，合同 {contract.number} 上限为 {ceiling}。",
        ),
    )


def _limits(question: OrderQuestion, chosen: Candidate) -> tuple[Finding, ...]:
    limit = question.limits.amount
    if limit is None:
        return ()
    currency = question.supply.company_currency
    return (
        _finding(
            "requisition_limit",
            "broken" if chosen.company_amount > limit else "passed",
            f"{chosen.company_amount} {currency} against a limit of {plain(limit)} for one requisition.",
            f"金额 {chosen.company_amount} {currency}，单张申请限额为 {plain(limit)}。",
        ),
    )


def _budget(question: OrderQuestion, chosen: Candidate) -> tuple[Finding, ...]:
    budget = question.supply.budget
    is_short = chosen.company_amount > budget.left
    return (
        _finding(
            "budget_suffices",
            "short" if is_short else "passed",
            f"{chosen.company_amount} {budget.currency} against {budget.left} left in {budget.cost_centre}.",
            f"金额 {chosen.company_amount} {budget.currency}，{budget.cost_centre} 预算余额 {budget.left}。",
        ),
    )


def _finding(rule: str, verdict: Verdict, en: str, zh: str) -> Finding:
    return Finding(rule=rule, verdict=verdict, words=Text(en=en, zh=zh))


def _result(question: OrderQuestion, chosen: Candidate | None, findings: tuple[Finding, ...]) -> OrderCheck:
    worst = next((each for verdict in ("broken", "short") for each in findings if each.verdict == verdict), None)
    flagged = [each.rule for each in findings if each.verdict == "flagged"]
    flags = dict.fromkeys([*question.choice.flags, *question.risk.flags, *question.requirement.exceptions, *flagged])
    left = question.supply.budget.left
    amount = chosen.company_amount if chosen else Decimal(0)
    if worst is None:
        reason = Text(en="Every rule holds.", zh="所有规则均满足。")
    else:
        reason = Text(en=f"Rule {worst.rule}: {worst.words.en}", zh=f"规则 {worst.rule}：{worst.words.zh}")
    return OrderCheck(
        outcome="ok" if worst is None else "broken" if worst.verdict == "broken" else "budget_short",
        broken_rule=worst.rule if worst and worst.verdict == "broken" else None,
        reason=reason,
        findings=findings,
        flags=tuple(flags),
        company_currency=question.supply.company_currency,
        budget_left=left,
        budget_after=left - amount,
        budget_missing=max(Decimal(0), amount - left),
        affordable_quantity=_affordable(question, chosen),
    )


def _affordable(question: OrderQuestion, chosen: Candidate | None) -> Decimal:
    offer = question.choice.offer
    unit_cost = chosen.price * chosen.rate if chosen else Decimal(0)
    if chosen is None or offer is None or unit_cost <= 0:
        return Decimal(0)
    packs = (question.supply.budget.left / (unit_cost * offer.multiple)).to_integral_value(rounding="ROUND_FLOOR")
    quantity = min(packs * offer.multiple, chosen.quantity)
    return quantity if quantity >= max(offer.minimum, offer.multiple) else Decimal(0)
