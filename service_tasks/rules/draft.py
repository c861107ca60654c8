"""Operation ``rules.draft_requisition``: the requisition as a document that approvers sign by its digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import cast

from pydantic import Field

from engine.contract import Call
from engine.contract.errors import BusinessRuleViolated
from engine.contract.operation import Effect, Values, operation
from service_tasks.ai.risk_floor import Level
from service_tasks.erp.values import Category, RequisitionDraft, Supply
from service_tasks.rules.order_check import OrderCheck
from service_tasks.rules.requirement import NetRequirement
from service_tasks.rules.risk_acceptance import AcceptedRisk
from service_tasks.rules.supplier_choice import SupplierChoice
from service_tasks.rules.words import plain
from service_tasks.whole_number import WholeNumber


class DraftQuestion(Values):
    """Everything that was decided so far. ``intent`` is the number of this draft, from 1; a new draft has a new one."""

    requirement: NetRequirement
    choice: SupplierChoice
    supply: Supply
    risk: AcceptedRisk
    check: OrderCheck
    intent: WholeNumber = Field(ge=1)


class KeyFacts(Values):
    """The facts that the draft rests on; they are read again before the write.

    Quantities of the requirement are in the base unit, ``price`` in the supplier's currency, budget in the company's.
    """

    gross_demand: Decimal
    safety_stock: Decimal
    available: Decimal
    scheduled_receipts: Decimal
    open_requisitions: Decimal
    net: Decimal
    need_date: date
    price: Decimal
    rate: Decimal
    budget_left: Decimal
    wished_quantity: Decimal | None


class Draft(Values):
    """A requisition to be approved.

    Attributes
    ----------
    workflow_id, business_key, intent
        The instance it belongs to, and its number there: an approval of another one does not count.
    requisition
        Exactly what will be written.
    digest
        SHA-256, in hex, of the canonical JSON of everything else in this document.
    """

    workflow_id: str
    business_key: str
    intent: int
    drafted_at: datetime
    category: Category
    supplier_is_known: bool
    accepted_risk: Level
    flags: tuple[str, ...]
    requisition: RequisitionDraft
    facts: KeyFacts
    digest: str


@operation("rules.draft_requisition", version=1, effect=Effect.PURE)
def draft_requisition(call: Call, question: DraftQuestion) -> Draft:
    """Draft the requisition that people approve and the ERP receives.

    Source: PROCUREMENT, step 7; the key per intent is W13.

    Raises
    ------
    BusinessRuleViolated
        When the order was not checked or did not pass.
    """
    chosen = question.choice.chosen
    if chosen is None or question.check.outcome != "ok":
        raise BusinessRuleViolated("Rule checked_before_drafted: only an order that passed every check is drafted.")
    correlation, requirement = call.correlation, question.requirement
    key = str(correlation.business_key or correlation.workflow_id)
    unsigned = Draft(
        workflow_id=str(correlation.workflow_id),
        business_key=key,
        intent=question.intent,
        drafted_at=call.now.astimezone(UTC),
        category=question.supply.material.category,
        supplier_is_known=chosen.is_known,
        accepted_risk=question.risk.level,
        flags=question.check.flags,
        requisition=RequisitionDraft(
            material_id=requirement.material_id,
            quantity=chosen.quantity,
            unit=chosen.unit,
            supplier_id=chosen.supplier_id,
            price=chosen.price,
            currency=chosen.currency,
            amount=chosen.amount,
            company_amount=chosen.company_amount,
            cost_centre=question.supply.budget.cost_centre,
            need_date=requirement.need_date,
            reference=f"{key}/v{question.intent}",
            draft_digest="-",
        ),
        facts=KeyFacts(
            gross_demand=requirement.gross_demand,
            safety_stock=requirement.safety_stock,
            available=requirement.available,
            scheduled_receipts=requirement.scheduled_receipts,
            open_requisitions=requirement.open_requisitions,
            net=requirement.net,
            need_date=requirement.need_date,
            price=chosen.price,
            rate=chosen.rate,
            budget_left=question.check.budget_left,
            wished_quantity=question.choice.wish.quantity if question.choice.wish else None,
        ),
        digest="-",
    )
    digest = digest_of(unsigned)
    signed = unsigned.requisition.model_copy(update={"draft_digest": digest})
    return unsigned.model_copy(update={"requisition": signed, "digest": digest})


def digest_of(draft: Draft) -> str:
    """Return the digest of a draft's content, without the digest fields themselves.

    Canonical JSON: keys sorted, no spaces, numbers as plain decimal strings, instants in UTC; so the same content has
    the same digest after it was stored and read again.
    """
    content = draft.model_dump(exclude={"digest": True, "requisition": {"draft_digest"}})
    text = json.dumps(_canonical(content), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: object) -> object:
    match value:
        case Decimal():
            return plain(value)
        case datetime():
            return value.astimezone(UTC).isoformat()
        case date():
            return value.isoformat()
        case Mapping():
            return {str(key): _canonical(each) for key, each in cast(Mapping[object, object], value).items()}
        case list() | tuple():
            return [_canonical(each) for each in cast(Sequence[object], value)]
        case _:
            return value
