"""The rules between a shortage and a checked order: requirement, supplier and lot, check, draft."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from engine.contract import BusinessRuleViolated
from service_tasks.erp.values import Contract, OpenRequisition
from service_tasks.rules.draft import Draft, DraftQuestion, digest_of, draft_requisition
from service_tasks.rules.order_check import Limits, OrderCheck, OrderQuestion, check_order
from service_tasks.rules.requirement import FactsOfMaterial, NetRequirement, net_requirement, requirement_of
from service_tasks.rules.risk_acceptance import AcceptedRisk
from service_tasks.rules.supplier_choice import SupplierChoice, SupplierPolicy, SupplierQuestion, Wish, choose_supplier
from tests.service_tasks import purchase_facts as given

LOW = AcceptedRisk(level="low", floor="low", suggested="low", flags=())


def required(**facts: Any) -> NetRequirement:
    values: dict[str, Any] = {"stock": given.stock(), "demand": given.demand(), "supply": given.supply()} | facts
    result = net_requirement.function(given.call(), FactsOfMaterial(**values))
    assert isinstance(result, NetRequirement)
    return result


def chosen(*offers: Any, wish: Wish | None = None, policy: SupplierPolicy | None = None) -> SupplierChoice:
    result = choose_supplier.function(
        given.call(),
        SupplierQuestion(
            requirement=required(),
            supply=given.supply(*offers),
            policy=policy or SupplierPolicy(),
            wish=wish,
        ),
    )
    assert isinstance(result, SupplierChoice)
    return result


def checked(
    *offers: Any,
    wish: Wish | None = None,
    limits: Limits | None = None,
    choice: SupplierChoice | None = None,
    **supply: Any,
) -> OrderCheck:
    result = check_order.function(
        given.call(),
        OrderQuestion(
            requirement=required(),
            choice=choice or chosen(*offers, wish=wish),
            supply=given.supply(*offers, **supply),
            risk=LOW,
            limits=limits or Limits(),
        ),
    )
    assert isinstance(result, OrderCheck)
    return result


def drafted(intent: int = 1) -> Draft:
    result = draft_requisition.function(
        given.call(),
        DraftQuestion(
            requirement=required(), choice=chosen(), supply=given.supply(), risk=LOW, check=checked(), intent=intent
        ),
    )
    assert isinstance(result, Draft)
    return result


# --- requirement -------------------------------------------------------------------------------------------------


def test_the_requirement_shows_its_formula_filled_in() -> None:
    requirement = required()

    assert requirement.formula == "500 + 100 - 120 - 80 - 0 = 400"
    assert (requirement.net, requirement.is_short, requirement.need_date) == (Decimal(400), True, given.day(7))
    assert [(term.work_order, term.open) for term in requirement.demand] == [("WO-1001", Decimal(500))]
    assert [(term.number, term.counts) for term in requirement.receipts] == [("PO1", True)]


def test_more_than_enough_is_written_as_nothing_short() -> None:
    requirement = required(stock=given.stock(on_hand=Decimal(700)))
    assert (requirement.formula, requirement.is_short) == ("500 + 100 - 700 - 80 - 0 = -180 -> 0", False)


def test_negative_stock_stands_in_brackets() -> None:
    assert required(stock=given.stock(on_hand=Decimal(-15))).formula == "500 + 100 - (-15) - 80 - 0 = 535"


def test_open_requisitions_count_but_not_the_purchases_own() -> None:
    requisitions = tuple(
        OpenRequisition(
            number=number, quantity=Decimal(4), unit="box25", unit_factor=Decimal(25), key=None, reference=reference
        )
        for number, reference in (("PR-1", "MR-9/v1"), ("PR-2", "MR-1/v2"))
    )
    facts = given.supply(open_requisitions=requisitions)
    assert required(supply=facts).net == Decimal(200)
    assert required(supply=facts, own_reference="MR-1/v2").net == Decimal(300)


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        ({"stock": given.stock(unit="kg")}, "same_unit"),
        ({"demand": given.demand(unit="kg")}, "same_unit"),
        ({"stock": given.stock(material_id="MAT-002")}, "same_material"),
    ],
)
def test_answers_that_do_not_belong_together_are_not_netted(facts: dict[str, Any], rule: str) -> None:
    with pytest.raises(BusinessRuleViolated, match=rule):
        required(**facts)


def test_a_material_without_planned_demand_has_no_demand_unit() -> None:
    assert required(demand=given.demand(unit=None, lines=())).net == Decimal(0)


# --- supplier and lot --------------------------------------------------------------------------------------------

CHEAP = given.offer("S-1", price_breaks=given.price("2.00"))
DEAR = given.offer("S-2", price_breaks=given.price("3.00"))
LATE = given.offer("S-3", price_breaks=given.price("1.00"), lead_time_days=8)
BLOCKED = given.offer("S-4", price_breaks=given.price("1.00"), is_blocked=True)
UNKNOWN = given.offer("S-5", price_breaks=given.price("1.00"), is_known=False)
DOLLAR = given.offer("S-6", price_breaks=given.price("2.10"), currency="USD")  # 2.10 x 0.9215 = 1.935
SMALL = given.offer("S-7", maximum=Decimal(300))
FAST = given.offer("S-8", price_breaks=given.price("9.00"), lead_time_days=1)


@pytest.mark.parametrize(
    ("offers", "supplier"),
    [
        pytest.param((DEAR, CHEAP), "S-1", id="the cheapest"),
        pytest.param((DEAR, LATE), "S-2", id="a cheaper one that comes too late is left out"),
        pytest.param((DEAR, BLOCKED), "S-2", id="a blocked one is left out"),
        pytest.param((CHEAP, DOLLAR), "S-6", id="compared in company currency"),
        pytest.param((DEAR, UNKNOWN), "S-5", id="one that is not approved yet may be taken"),
        pytest.param((DEAR, SMALL), "S-2", id="one with too small a largest lot is left out"),
        pytest.param((BLOCKED,), "S-4", id="only blocked: taken, so that the check names the rule"),
    ],
)
def test_the_supplier_is_chosen_by_price_among_those_in_time(offers: tuple[Any, ...], supplier: str) -> None:
    choice = chosen(*offers)
    assert choice.outcome == "chosen"
    assert choice.chosen is not None
    assert choice.chosen.supplier_id == supplier


@pytest.mark.parametrize(
    ("policy", "offers", "supplier"),
    [
        (SupplierPolicy(prefers="lead_time"), (CHEAP, FAST), "S-8"),
        (SupplierPolicy(needs_approved_supplier=True), (DEAR, UNKNOWN), "S-2"),
        # needed on day 7: 5 days of delivery and 3 of buffer are one too many, 1 and 3 are not
        (SupplierPolicy(buffer_days=3), (CHEAP, FAST), "S-8"),
        (SupplierPolicy(buffer_days=2), (CHEAP, FAST), "S-1"),
    ],
)
def test_the_policy_decides_what_ranks_first(policy: SupplierPolicy, offers: tuple[Any, ...], supplier: str) -> None:
    choice = chosen(*offers, policy=policy)
    assert choice.chosen is not None
    assert choice.chosen.supplier_id == supplier


def test_the_order_of_the_offers_does_not_matter() -> None:
    twin = given.offer("S-0", price_breaks=given.price("2.00"))
    picks = {choice.chosen.supplier_id for choice in (chosen(CHEAP, twin), chosen(twin, CHEAP)) if choice.chosen}
    assert picks == {"S-0"}


@pytest.mark.parametrize(
    ("offers", "outcome"),
    [
        ((), "nobody_in_time"),
        ((LATE,), "nobody_in_time"),
        ((SMALL,), "above_maximum_lot"),
        ((SMALL, LATE), "above_maximum_lot"),
        ((given.offer("S-9", currency="CHF"),), "nobody_in_time"),
        ((given.offer("S-9", maximum=Decimal(9), lead_time_days=30),), "nobody_in_time"),
    ],
)
def test_a_person_has_to_choose_when_nobody_is_possible(offers: tuple[Any, ...], outcome: str) -> None:
    question = SupplierQuestion(requirement=required(), supply=given.supply().model_copy(update={"offers": offers}))
    choice = choose_supplier.function(given.call(), question)
    assert isinstance(choice, SupplierChoice)
    assert (choice.outcome, choice.chosen) == (outcome, None)
    assert choice.reason.en
    assert choice.reason.zh


@pytest.mark.parametrize(
    ("offers", "wish", "quantity", "flags"),
    [
        ((CHEAP,), Wish(quantity=Decimal(410)), "410", ("wished_quantity",)),
        ((CHEAP,), Wish(quantity=Decimal(300)), "300", ("wished_quantity", "below_requirement")),
        (
            (given.offer("S-9", multiple=Decimal(40)),),
            Wish(quantity=Decimal(410)),
            "440",
            ("wished_quantity", "wish_rounded"),
        ),
        ((CHEAP, DEAR), Wish(supplier_id="S-2"), "400", ("picked_supplier",)),
        ((CHEAP, LATE), Wish(supplier_id="S-3"), "400", ("picked_supplier", "late_delivery")),
        (
            (SMALL,),
            Wish(supplier_id="S-7", quantity=Decimal(300)),
            "300",
            ("wished_quantity", "below_requirement", "picked_supplier"),
        ),
        ((BLOCKED, CHEAP), Wish(supplier_id="S-4"), "400", ("picked_supplier", "only_blocked_supplier")),
    ],
)
def test_a_persons_wish_goes_before_the_ranking_and_is_flagged(
    offers: tuple[Any, ...], wish: Wish, quantity: str, flags: tuple[str, ...]
) -> None:
    choice = chosen(*offers, wish=wish)
    assert choice.chosen is not None
    assert (choice.chosen.quantity, choice.flags) == (Decimal(quantity), flags)


def test_a_picked_lot_above_the_largest_is_asked_for_again() -> None:
    assert chosen(SMALL, wish=Wish(supplier_id="S-7", quantity=Decimal(301))).outcome == "above_maximum_lot"


# --- check -------------------------------------------------------------------------------------------------------


def contract(*, until: int = 30, maximum: str = "2.30") -> Contract:
    return Contract(
        number="FC-1", valid_from=given.day(-30), valid_until=given.day(until), maximum_price=Decimal(maximum)
    )


def test_an_order_within_all_rules_is_ok_and_shows_the_budget_before_and_after() -> None:
    check = checked()
    assert (check.outcome, check.flags, check.broken_rule) == ("ok", (), None)
    assert (check.budget_left, check.budget_after) == (Decimal("1000.00"), Decimal("80.00"))


@pytest.mark.parametrize(
    ("check", "rule"),
    [
        pytest.param(checked(BLOCKED), "supplier_not_blocked", id="supplier"),
        pytest.param(
            checked(choice=chosen(), offers=(given.offer(price_breaks=given.price("2.40")),)),
            "price_and_amount_as_offered",
            id="price",
        ),
        pytest.param(
            checked(choice=chosen(), offers=(given.offer(minimum=Decimal(500)),)), "lot_rules_hold", id="quantity"
        ),
        pytest.param(checked(given.offer(contract=contract(maximum="2.29"))), "contract_price", id="contract"),
        pytest.param(checked(limits=Limits(amount=Decimal(919))), "requisition_limit", id="limit"),
        pytest.param(checked(choice=chosen(), offers=(DEAR,)), "offer_exists", id="offer gone"),
        pytest.param(
            checked(budget=given.budget("1.00"), choice=chosen(BLOCKED), offers=(BLOCKED,)),
            "supplier_not_blocked",
            id="a broken rule goes before a short budget",
        ),
    ],
)
def test_a_broken_rule_is_named(check: OrderCheck, rule: str) -> None:
    assert (check.outcome, check.broken_rule) == ("broken", rule)
    assert rule in check.reason.en
    assert rule in check.reason.zh


@pytest.mark.parametrize(
    ("check", "flags"),
    [
        (checked(UNKNOWN), ("supplier_approved",)),
        (checked(given.offer(contract=contract(until=-1, maximum="1.00"))), ("contract_valid",)),
        (checked(wish=Wish(quantity=Decimal(410))), ("wished_quantity", "quantity_as_computed")),
    ],
)
def test_a_deviation_is_flagged_and_goes_on(check: OrderCheck, flags: tuple[str, ...]) -> None:
    assert (check.outcome, check.flags) == ("ok", flags)


def test_flags_of_facts_and_risk_are_kept() -> None:
    overdue = given.supply().open_purchases[0].model_copy(update={"due": given.day(-1)})
    facts = given.supply(open_purchases=(overdue,), budget=given.budget("9999"))
    requirement = required(supply=facts)
    choice = choose_supplier.function(given.call(), SupplierQuestion(requirement=requirement, supply=facts))
    assert isinstance(choice, SupplierChoice)
    risk = AcceptedRisk(level="medium", floor="medium", suggested="low", flags=("suggestion_below_floor",))
    check = check_order.function(
        given.call(), OrderQuestion(requirement=requirement, choice=choice, supply=facts, risk=risk)
    )
    assert isinstance(check, OrderCheck)
    assert check.flags == ("suggestion_below_floor", "PAST_DUE_RECEIPT")


def test_a_short_budget_says_how_much_is_missing_and_what_it_would_still_buy() -> None:
    check = checked(given.offer(multiple=Decimal(50)), budget=given.budget("800.00"))
    assert (check.outcome, check.budget_missing) == ("budget_short", Decimal("120.00"))
    assert check.affordable_quantity == Decimal(300)  # 800 / (2.30 x 50) = 6.96 packs of 50


def test_exactly_what_is_left_suffices() -> None:
    assert checked(budget=given.budget("920.00")).outcome == "ok"


# --- draft -------------------------------------------------------------------------------------------------------


def test_the_draft_is_what_will_be_written_under_a_digest_of_its_content() -> None:
    draft = drafted()
    requisition = draft.requisition
    assert (requisition.quantity, requisition.amount, requisition.reference) == (400, Decimal("920.00"), "MR-1/v1")
    assert requisition.draft_digest == draft.digest == digest_of(draft)


def test_every_value_of_the_draft_is_under_its_digest() -> None:
    draft = drafted()
    for changed in (
        draft.model_copy(update={"intent": 2}),
        draft.model_copy(update={"workflow_id": "x"}),
        draft.model_copy(update={"requisition": draft.requisition.model_copy(update={"quantity": Decimal(401)})}),
        draft.model_copy(update={"requisition": draft.requisition.model_copy(update={"supplier_id": "S-9"})}),
    ):
        assert digest_of(changed) != draft.digest


def test_the_digest_survives_storing_and_reading() -> None:
    draft = drafted()
    again = Draft.model_validate_json(draft.model_dump_json())
    longer = again.model_copy(
        update={"requisition": again.requisition.model_copy(update={"quantity": Decimal("4.00E+2")})}
    )
    assert digest_of(again) == digest_of(longer) == draft.digest


def test_each_intent_has_its_own_digest_and_reference() -> None:
    assert drafted(2).digest != drafted(1).digest
    assert drafted(2).requisition.reference == "MR-1/v2"


def test_an_order_that_did_not_pass_is_not_drafted() -> None:
    with pytest.raises(BusinessRuleViolated, match="checked_before_drafted"):
        draft_requisition.function(
            given.call(),
            DraftQuestion(
                requirement=requirement_of(
                    FactsOfMaterial(stock=given.stock(), demand=given.demand(), supply=given.supply())
                ),
                choice=chosen(BLOCKED),
                supply=given.supply(BLOCKED),
                risk=LOW,
                check=checked(BLOCKED),
                intent=1,
            ),
        )
