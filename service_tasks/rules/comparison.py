"""Operation ``rules.compare_before_write``: checks 1 to 4 of the seven that stand before a write.

Source: PROCUREMENT, step 9. Checks 5 to 7 (permission, document already there, answer can be verified) need the ERP and
belong to ``erp.preflight_requisition``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

from pydantic import Field

from engine.contract import Call
from engine.contract.operation import Effect, Values, operation
from service_tasks.erp.values import Offer, Supply
from service_tasks.mes.values import Demand
from service_tasks.rules import replenishment
from service_tasks.rules.draft import Draft, digest_of
from service_tasks.rules.requirement import FactsOfMaterial, NetRequirement, requirement_of
from service_tasks.rules.words import Text, plain
from service_tasks.rules.working_days import after_working_days
from service_tasks.whole_number import WholeNumber
from service_tasks.wms.values import Stock

Approval = Literal[
    "by_rule",
    "purchasing_manager",
    "purchasing_manager_and_finance",
    "purchasing_manager_then_finance",
]

#: Whose signatures an approval of this kind needs.
SIGNERS: dict[Approval, frozenset[str]] = {
    "by_rule": frozenset({"rule"}),
    "purchasing_manager": frozenset({"purchasing_manager"}),
    "purchasing_manager_and_finance": frozenset({"purchasing_manager", "finance"}),
    "purchasing_manager_then_finance": frozenset({"purchasing_manager", "finance"}),
}


class Authority(Values):
    """The row of the approval matrix that applied; ``limit`` in company currency, None where it has none."""

    approval: Approval
    limit: Decimal | None


class Signature(Values):
    """One approval of a draft.

    Attributes
    ----------
    role
        ``rule``, ``purchasing_manager`` or ``finance``.
    by
        The person's id, or the rule's name.
    approval_id
        The recorded decision; for a rule the draft's digest.
    draft_digest
        For a rule: digest of the draft that it approved.
    bound_digest
        For a person: what the decision was bound to, as the task recorded it; see ``bound_to``.
    """

    role: str
    by: str
    approval_id: str
    decided_at: datetime
    draft_digest: str | None = None
    bound_digest: str | None = None


class Tolerances(Values):
    """How far a fact may have moved, as a fraction of what was approved: 0.05 is five of a hundred."""

    quantity: Decimal = Field(default=Decimal("0.05"), ge=0, le=1)
    price: Decimal = Field(default=Decimal("0.02"), ge=0, le=1)
    amount: Decimal = Field(default=Decimal("0.02"), ge=0, le=1)


class ComparisonQuestion(Values):
    """The approved draft, its signatures, and the facts as they are now.

    Attributes
    ----------
    intent
        The number of the present draft of this instance.
    consumed
        Approval ids that were already used for a write.
    requesters
        People who asked for this purchase or chose its supplier or quantity: they may not have signed.
    valid_for_days
        Working days for which an approval holds, from the last signature on.
    """

    draft: Draft
    intent: WholeNumber = Field(ge=1)
    authority: Authority
    signatures: tuple[Signature, ...]
    consumed: tuple[str, ...] = ()
    requesters: tuple[str, ...] = ()
    stock: Stock
    demand: Demand
    supply: Supply
    tolerances: Tolerances = Tolerances()
    valid_for_days: WholeNumber = Field(default=2, ge=1, le=60)


class Difference(Values):
    """One fact that moved; ``is_beyond``: further than its tolerance."""

    fact: str
    before: str
    after: str
    is_beyond: bool
    words: Text


class Comparison(Values):
    """What to do, and why.

    Attributes
    ----------
    outcome
        proceed: the write may be made, or was made already and will be found by its key. covered: nothing is short
        any more. recompute: back to the facts as a new intent; the approval is void.
    failed_check
        1 belongs to this instance and intent, 2 valid and not consumed, 3 facts within tolerance, 4 within the
        authority of who approved; None when none failed.
    differences
        Every fact that moved, also within tolerance.
    company_amount
        What the draft costs at the present price and rate.
    """

    outcome: Literal["proceed", "recompute", "covered"]
    failed_check: int | None
    reason: Text
    differences: tuple[Difference, ...]
    requirement: NetRequirement
    company_amount: Decimal
    valid_until: datetime


def bound_to(draft_digest: str) -> str:
    """Return the digest that a decision carries whose task was bound to a draft's digest: SHA-256 of its JSON text."""
    return hashlib.sha256(json.dumps(draft_digest).encode()).hexdigest()


@operation("rules.compare_before_write", version=1, effect=Effect.PURE)
def compare_before_write(call: Call, question: ComparisonQuestion) -> Comparison:
    """Compare an approved draft with the facts as they are now, and its approval with the draft."""
    draft = question.draft
    requirement = requirement_of(
        FactsOfMaterial(
            stock=question.stock,
            demand=question.demand,
            supply=question.supply,
            own_reference=draft.requisition.reference,
        )
    )
    offer = next((each for each in question.supply.offers if each.supplier_id == draft.requisition.supplier_id), None)
    amount_now = _amount_now(question, offer)
    differences = tuple(_differences(question, requirement, offer, amount_now))
    valid_until = _valid_until(question)
    is_written = any(each.reference == draft.requisition.reference for each in question.supply.open_requisitions)
    failures = (
        (1, _foreign(question, str(call.correlation.workflow_id))),
        (2, _expired(question, call.now, valid_until)),
        (3, _moved(differences)),
        (4, _beyond_authority(question, amount_now)),
    )
    failed = next(((number, reason) for number, reason in failures if reason is not None), None)
    outcome: Literal["proceed", "recompute", "covered"]
    if is_written:
        outcome, reason = "proceed", Text(en="The ERP has this very draft already.", zh="ERP 中已存在本草稿的申请。")
        failed = None
    elif not requirement.is_short:
        outcome = "covered"
        reason = Text(en="Nothing is short any more.", zh="已不再缺料。")
        failed = None
    elif failed is None:
        outcome, reason = "proceed", Text(en="Approval and facts hold.", zh="审批有效，业务事实未超出容差。")
    else:
        outcome, reason = "recompute", failed[1] or Text(en="", zh="")
    return Comparison(
        outcome=outcome,
        failed_check=failed[0] if failed else None,
        reason=reason,
        differences=differences,
        requirement=requirement,
        company_amount=amount_now,
        valid_until=valid_until,
    )


def _foreign(question: ComparisonQuestion, workflow_id: str) -> Text | None:
    """Check 1: draft and signatures are of this instance, this intent and this very content."""
    draft = question.draft
    is_own = draft.workflow_id == workflow_id and draft.intent == question.intent and draft.digest == digest_of(draft)
    signed = all(
        each.draft_digest == draft.digest or each.bound_digest == bound_to(draft.digest) for each in question.signatures
    )
    if is_own and signed and question.signatures:
        return None
    return Text(
        en="The approval does not belong to this draft of this purchase.",
        zh="该审批不属于本流程实例的当前草稿。",
    )


def _valid_until(question: ComparisonQuestion) -> datetime:
    last = max((each.decided_at for each in question.signatures), default=question.draft.drafted_at)
    return after_working_days(last.astimezone(UTC), question.valid_for_days)


def _expired(question: ComparisonQuestion, now: datetime, valid_until: datetime) -> Text | None:
    """Check 2: not used before, and not older than its working days."""
    used = {each.approval_id for each in question.signatures} & set(question.consumed)
    if used:
        return Text(en="The approval was already used for a write.", zh="该审批已被用于一次写入。")
    if now >= valid_until:
        moment = valid_until.isoformat(timespec="minutes")
        return Text(en=f"The approval was valid until {moment}.", zh=f"该审批有效期至 {moment}。")
    return None


def _moved(differences: tuple[Difference, ...]) -> Text | None:
    """Check 3: no key fact moved beyond its tolerance."""
    beyond = [each.words for each in differences if each.is_beyond]
    if not beyond:
        return None
    return Text(en=" ".join(each.en for each in beyond), zh="".join(each.zh for each in beyond))


def _beyond_authority(question: ComparisonQuestion, amount_now: Decimal) -> Text | None:
    """Check 4: the right roles signed, different people and none of the requesters, for no more than they may."""
    signatures, limit = question.signatures, question.authority.limit
    people = [each.by for each in signatures if each.role != "rule"]
    if not SIGNERS[question.authority.approval] <= {each.role for each in signatures}:
        return Text(en="A signature that the approval matrix asks for is missing.", zh="缺少审批矩阵要求的签署。")
    if len(set(people)) < len(people) or set(people) & set(question.requesters):
        return Text(en="A requester signed, or one person signed twice.", zh="申请人参与了签署，或同一人签署了两次。")
    if limit is not None and amount_now > limit:
        currency = question.supply.company_currency
        return Text(
            en=f"It costs {amount_now} {currency} now; who approved may approve up to {plain(limit)}.",
            zh=f"现需 {amount_now} {currency}，超出审批人的权限 {plain(limit)}。",
        )
    return None


def _amount_now(question: ComparisonQuestion, offer: Offer | None) -> Decimal:
    requisition = question.draft.requisition
    price = _price_now(requisition.quantity, offer)
    rate = next((each.rate for each in question.supply.rates if each.currency == requisition.currency), None)
    if price is None or rate is None:
        return requisition.company_amount
    return replenishment.amount(requisition.quantity, price, rate)


def _price_now(quantity: Decimal, offer: Offer | None) -> Decimal | None:
    breaks = offer.price_breaks if offer else ()
    reached = replenishment.price_break(
        quantity, [replenishment.PriceBreak(from_quantity=each.from_quantity, price=each.price) for each in breaks]
    )
    return reached.price if reached else None


def _differences(
    question: ComparisonQuestion, requirement: NetRequirement, offer: Offer | None, amount_now: Decimal
) -> Iterator[Difference]:
    draft, tolerances = question.draft, question.tolerances
    if offer is None:
        yield _lost("offer", "Supplier", "供应商", draft.requisition.supplier_id, "-")
        return
    if offer.is_blocked:
        yield _lost("supplier_blocked", "Supplier blocked", "供应商冻结", "no", "yes")
    yield from _quantities(question, requirement, offer)
    price = _price_now(draft.requisition.quantity, offer)
    if price is None:
        yield _lost("price", "Price", "单价", plain(draft.facts.price), "-")
    elif price != draft.facts.price:
        yield _number("price", "Price", "单价", draft.facts.price, price, tolerances.price)
    if amount_now != draft.requisition.company_amount:
        before = draft.requisition.company_amount
        yield _number("company_amount", "Amount", "金额", before, amount_now, tolerances.amount)
    left = question.supply.budget.left
    if left != draft.facts.budget_left:
        yield _difference(
            "budget_left", "Budget left", "预算余额", plain(draft.facts.budget_left), plain(left), amount_now > left
        )


def _quantities(question: ComparisonQuestion, requirement: NetRequirement, offer: Offer) -> Iterator[Difference]:
    """Compare the lot that today's need asks for; for a wished lot, which does not follow the need, the need itself."""
    facts, tolerance = question.draft.facts, question.tolerances.quantity
    wished = facts.wished_quantity is not None
    if requirement.net != facts.net:
        limit = tolerance if wished else None
        yield _number("net_requirement", "Net requirement", "净需求", facts.net, requirement.net, limit)
    if wished:
        return
    lot = replenishment.lot(
        requirement.net,
        replenishment.LotRules(
            unit_factor=question.supply.material.unit_factor,
            minimum=offer.minimum,
            multiple=offer.multiple,
            maximum=offer.maximum,
        ),
    )
    approved = question.draft.requisition.quantity
    if lot.quantity != approved:
        yield _number("order_quantity", "Order quantity", "订购数量", approved, lot.quantity, tolerance)


def _number(fact: str, en: str, zh: str, before: Decimal, after: Decimal, tolerance: Decimal | None) -> Difference:
    """Return a difference; ``tolerance`` None never counts as beyond."""
    is_beyond = tolerance is not None and abs(after - before) > tolerance * abs(before)
    return _difference(fact, en, zh, plain(before), plain(after), is_beyond)


def _lost(fact: str, en: str, zh: str, before: str, after: str) -> Difference:
    return _difference(fact, en, zh, before, after, True)


def _difference(fact: str, en: str, zh: str, before: str, after: str, is_beyond: bool) -> Difference:
    words = Text(en=f"{en}: {before}, now {after}.", zh=f"{zh}：原为 {before}，现为 {after}。")
    return Difference(fact=fact, before=before, after=after, is_beyond=is_beyond, words=words)
