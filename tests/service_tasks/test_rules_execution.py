"""The rules around the write: the checks before it that need no system, and the comparison after it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from engine.contract import idempotency_key, sent_key
from engine.contract.ids import TenantId, WorkflowId
from service_tasks.erp.values import OpenRequisition, Requisition
from service_tasks.rules.comparison import (
    Authority,
    Comparison,
    ComparisonQuestion,
    Signature,
    bound_to,
    compare_before_write,
)
from service_tasks.rules.draft import Draft, DraftQuestion, draft_requisition
from service_tasks.rules.order_check import OrderCheck, OrderQuestion, check_order
from service_tasks.rules.requirement import FactsOfMaterial, requirement_of
from service_tasks.rules.risk_acceptance import AcceptedRisk
from service_tasks.rules.supplier_choice import SupplierQuestion, Wish, choice_for
from service_tasks.rules.verification import Verification, VerificationQuestion, verify_requisition
from service_tasks.rules.working_days import after_working_days
from tests.service_tasks import purchase_facts as given

LOW = AcceptedRisk(level="low", floor="low", suggested="low", flags=())
MANAGER = Authority(approval="purchasing_manager", limit=Decimal(50000))
BOTH = Authority(approval="purchasing_manager_and_finance", limit=Decimal(50000))


def drafted(*, intent: int = 1, wish: Wish | None = None, workflow_id: WorkflowId = given.WORKFLOW) -> Draft:
    facts = given.supply()
    requirement = requirement_of(FactsOfMaterial(stock=given.stock(), demand=given.demand(), supply=facts))
    choice = choice_for(SupplierQuestion(requirement=requirement, supply=facts, wish=wish))
    check = check_order.function(
        given.call(), OrderQuestion(requirement=requirement, choice=choice, supply=facts, risk=LOW)
    )
    assert isinstance(check, OrderCheck)
    draft = draft_requisition.function(
        given.call(workflow_id=workflow_id),
        DraftQuestion(requirement=requirement, choice=choice, supply=facts, risk=LOW, check=check, intent=intent),
    )
    assert isinstance(draft, Draft)
    return draft


def signed(draft: Draft, role: str = "purchasing_manager", by: str = "li", **changes: Any) -> Signature:
    values: dict[str, Any] = {
        "role": role,
        "by": by,
        "approval_id": f"approval-{role}",
        "decided_at": given.NOW,
        "bound_digest": bound_to(draft.digest),
    }
    return Signature(**(values | changes))


def compared(*, now: datetime = given.NOW, **changes: Any) -> Comparison:
    draft = changes.get("draft") or drafted()
    values: dict[str, Any] = {
        "draft": draft,
        "intent": draft.intent,
        "authority": MANAGER,
        "signatures": (signed(draft),),
        "stock": given.stock(),
        "demand": given.demand(),
        "supply": given.supply(),
    }
    result = compare_before_write.function(given.call(now=now), ComparisonQuestion(**(values | changes)))
    assert isinstance(result, Comparison)
    return result


def stands(comparison: Comparison) -> tuple[str, int | None]:
    return comparison.outcome, comparison.failed_check


def test_unchanged_facts_and_a_valid_approval_go_on() -> None:
    comparison = compared()
    assert stands(comparison) == ("proceed", None)
    assert comparison.differences == ()


# Each case breaks one thing alone: without its check the write would be made.
FIRST = drafted()
OTHER_INSTANCE = drafted(workflow_id=WorkflowId("f" * 32))
SECOND = drafted(intent=2)
DOCTORED = FIRST.model_copy(
    update={"requisition": FIRST.requisition.model_copy(update={"supplier_id": "S-101", "cost_centre": "CC-999"})}
)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"draft": OTHER_INSTANCE, "signatures": (signed(OTHER_INSTANCE),)}, id="another instance's draft"),
        pytest.param({"draft": SECOND, "signatures": (signed(FIRST),)}, id="signed an earlier draft"),
        pytest.param({"draft": FIRST, "intent": 2}, id="an earlier draft than the present one"),
        pytest.param({"draft": DOCTORED, "signatures": (signed(DOCTORED),)}, id="content changed under its digest"),
        pytest.param({"signatures": ()}, id="nobody signed"),
    ],
)
def test_check_1_an_approval_of_something_else_does_not_count(changes: dict[str, Any]) -> None:
    assert stands(compared(**changes)) == ("recompute", 1)


@pytest.mark.parametrize(
    ("now", "consumed", "expected"),
    [
        # granted on Tuesday 09:00, valid for two working days: until Thursday 09:00
        (given.NOW + timedelta(hours=47, minutes=59), (), ("proceed", None)),
        (given.NOW + timedelta(hours=48), (), ("recompute", 2)),
        (given.NOW, ("approval-purchasing_manager",), ("recompute", 2)),
        (given.NOW, ("approval-of-something-else",), ("proceed", None)),
    ],
)
def test_check_2_an_approval_counts_once_and_two_working_days(
    now: datetime, consumed: tuple[str, ...], expected: tuple[str, int | None]
) -> None:
    assert stands(compared(now=now, consumed=consumed)) == expected


def test_check_2_counts_from_the_last_signature_needed() -> None:
    draft = drafted()
    late = signed(draft, "finance", "zhou", decided_at=given.NOW + timedelta(days=1))
    both = (signed(draft), late)
    now = given.NOW + timedelta(hours=60)
    assert stands(compared(draft=draft, authority=BOTH, signatures=both, now=now)) == ("proceed", None)


BOUGHT = given.offer(price_breaks=given.price("2.30"))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # 420 against 400 is exactly five of a hundred
        pytest.param({"demand": given.demand("520")}, ("proceed", None), id="quantity within tolerance"),
        pytest.param({"demand": given.demand("521")}, ("recompute", 3), id="more needed"),
        pytest.param({"stock": given.stock(on_hand=Decimal(141))}, ("recompute", 3), id="topped up"),
        pytest.param({"stock": given.stock(reserved=Decimal(30))}, ("recompute", 3), id="reserved for others"),
        pytest.param({"supply": given.supply(open_purchases=())}, ("recompute", 3), id="an open purchase is gone"),
        pytest.param(
            {"supply": given.supply(given.offer(price_breaks=given.price("2.34")))},
            ("proceed", None),
            id="price within",
        ),
        pytest.param(
            {"supply": given.supply(given.offer(price_breaks=given.price("2.35")))}, ("recompute", 3), id="price up"
        ),
        pytest.param({"supply": given.supply(given.offer(is_blocked=True))}, ("recompute", 3), id="supplier blocked"),
        pytest.param({"supply": given.supply(given.offer("S-9"))}, ("recompute", 3), id="offer gone"),
        pytest.param({"supply": given.supply(budget=given.budget("920.00"))}, ("proceed", None), id="budget lower"),
        pytest.param({"supply": given.supply(budget=given.budget("919.99"))}, ("recompute", 3), id="budget short"),
        pytest.param({"stock": given.stock(on_hand=Decimal(520))}, ("covered", None), id="nothing short any more"),
    ],
)
def test_check_3_facts_may_move_within_their_tolerance(
    changes: dict[str, Any], expected: tuple[str, int | None]
) -> None:
    assert stands(compared(**changes)) == expected


def test_check_3_says_in_words_what_moved_also_within_tolerance() -> None:
    comparison = compared(demand=given.demand("510"), supply=given.supply(budget=given.budget("950.00")))
    told = {difference.fact: (difference.before, difference.after) for difference in comparison.differences}
    assert told == {
        "net_requirement": ("400", "410"),
        "order_quantity": ("400", "410"),
        "budget_left": ("1000", "950"),
    }
    assert comparison.differences[0].words.en == "Net requirement: 400, now 410."


def test_check_3_a_wished_lot_does_not_follow_the_need_but_the_need_is_compared() -> None:
    draft = drafted(wish=Wish(quantity=Decimal(410)))
    same = compared(draft=draft)
    moved = compared(draft=draft, demand=given.demand("600"))
    assert (stands(same), stands(moved)) == (("proceed", None), ("recompute", 3))


def test_check_3_rate_changes_reach_the_amount() -> None:
    facts = given.supply()
    rates = tuple(each.model_copy(update={"rate": Decimal("1.03")}) for each in facts.rates)
    comparison = compared(supply=facts.model_copy(update={"rates": rates}))
    assert stands(comparison) == ("recompute", 3)
    assert comparison.company_amount == Decimal("947.60")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"authority": BOTH}, id="a needed signature is missing"),
        # 400 x 2.32 = 928: within the tolerance of price and amount, beyond what the signer may approve
        pytest.param(
            {
                "authority": Authority(approval="purchasing_manager", limit=Decimal(925)),
                "supply": given.supply(given.offer(price_breaks=given.price("2.32"))),
            },
            id="dearer than the authority",
        ),
        pytest.param(
            {
                "authority": BOTH,
                "signatures": (signed(FIRST), signed(FIRST, "finance", "li")),
                "draft": FIRST,
            },
            id="one person signed twice",
        ),
        pytest.param({"requesters": ("li",)}, id="the requester signed"),
        pytest.param(
            {"signatures": (signed(FIRST, "rule", "approval_matrix"),), "draft": FIRST}, id="a rule signed for a person"
        ),
    ],
)
def test_check_4_the_quantity_is_within_the_authority_of_who_approved(changes: dict[str, Any]) -> None:
    assert stands(compared(**changes)) == ("recompute", 4)


def test_a_rule_signs_by_the_digest_of_the_draft_itself() -> None:
    signature = signed(FIRST, "rule", "approval_matrix", bound_digest=None, draft_digest=FIRST.digest)
    authority = Authority(approval="by_rule", limit=Decimal(2000))
    assert stands(compared(draft=FIRST, authority=authority, signatures=(signature,))) == ("proceed", None)


def test_a_draft_that_the_erp_has_already_goes_on_to_be_found_whatever_else_moved() -> None:
    own: dict[str, Any] = {
        "number": "PR-1",
        "quantity": Decimal(400),
        "unit": "pc",
        "unit_factor": Decimal(1),
        "key": None,
        "reference": "MR-1/v1",
    }
    facts = given.supply(budget=given.budget("80.00"), open_requisitions=(OpenRequisition(**own),))
    assert stands(compared(supply=facts, demand=given.demand("900"))) == ("proceed", None)


@pytest.mark.parametrize(
    ("start", "count", "end"),
    [
        ("2026-12-01T09:00", 2, "2026-12-03T09:00"),
        ("2026-12-04T16:00", 1, "2026-12-07T16:00"),  # Friday to Monday
        ("2026-12-05T10:00", 2, "2026-12-08T10:00"),  # Saturday to Tuesday
    ],
)
def test_working_days_leave_out_weekends(start: str, count: int, end: str) -> None:
    moment = datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert after_working_days(moment, count) == datetime.fromisoformat(end).replace(tzinfo=UTC)


# --- after the write ---------------------------------------------------------------------------------------------

KEY = sent_key(idempotency_key(TenantId("main"), given.WORKFLOW, "create_requisition", "0", 1))


def found(**changes: Any) -> Requisition:
    values: dict[str, Any] = {
        "number": "PR-1",
        "status": "confirmed",
        "key": KEY,
        "reference": "MR-1/v1",
        "material_id": "MAT-001",
        "supplier_id": "S-101",
        "quantity": Decimal(400),
        "unit": "pc",
        "amount": Decimal("920.00"),
        "currency": "EUR",
    }
    return Requisition(**(values | changes))


def verified(**changes: Any) -> Verification:
    question = VerificationQuestion(
        sent=FIRST.requisition, document=found(**changes), step_key="create_requisition", intent=1, reads=2
    )
    result = verify_requisition.function(given.call(), question)
    assert isinstance(result, Verification)
    return result


@pytest.mark.parametrize(
    ("changes", "outcome", "fields"),
    [
        ({}, "verified", ()),
        ({"status": "ordered"}, "verified", ()),
        ({"key": None}, "verified", ()),
        ({"quantity": Decimal("400.000")}, "verified", ()),
        ({"status": "accepted"}, "pending", ()),
        ({"status": "refused", "reason": "no"}, "refused", ()),
        ({"status": "cancelled"}, "differs", ("status",)),
        ({"quantity": Decimal(401)}, "differs", ("quantity",)),
        ({"material_id": "MAT-002"}, "differs", ("material_id",)),
        ({"amount": Decimal("920.01")}, "differs", ("amount",)),
        ({"currency": "USD"}, "differs", ("currency",)),
        ({"unit": "box"}, "differs", ("unit",)),
        ({"supplier_id": "S-102"}, "differs", ("supplier_id",)),
        ({"key": "0" * 32}, "differs", ("key",)),
        ({"status": "accepted", "quantity": Decimal(1)}, "differs", ("quantity",)),
    ],
)
def test_the_document_is_compared_field_by_field(
    changes: dict[str, Any], outcome: str, fields: tuple[str, ...]
) -> None:
    verification = verified(**changes)
    assert verification.outcome == outcome
    assert tuple(mismatch.field for mismatch in verification.mismatches) == fields
    assert verification.reads == 3
    assert verification.reason.zh
