"""The netting formulas against every reference case, and properties that hold for all inputs."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_tasks.rules import replenishment as rules

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "replenishment.json"
TODAY = date(2026, 12, 1)
HORIZON = date(2026, 12, 15)


def reference_cases() -> list[Any]:
    """Return the reference cases; one skipped parameter, with its reason, where the file is not at hand."""
    if not CASES.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"the reference cases are not at {CASES}"))]
    return [pytest.param(case, id=case["id"]) for case in json.loads(CASES.read_text(), parse_float=Decimal)["cases"]]


def number(value: object) -> Decimal:
    return Decimal(str(value))


def worked(given_input: dict[str, Any]) -> dict[str, object]:
    """Put a case's input through the rules and name the results as the cases do."""
    stock = rules.StockLevel(
        on_hand=number(given_input["on_hand"]),
        reserved=number(given_input.get("reserved_other", 0)),
        blocked=number(given_input.get("quality_blocked", 0)),
        safety_stock=number(given_input.get("safety_stock", 0)),
    )
    netting = rules.net_requirement(
        today=date.fromisoformat(given_input["today"]),
        horizon_end=date.fromisoformat(given_input["horizon_end"]),
        stock=stock,
        needs=[
            rules.Need(needed_on=date.fromisoformat(line["date"]), required=number(line["qty"]))
            for line in given_input.get("demand", [])
        ],
        receipts=[
            rules.Receipt(
                number=line["id"],
                due=date.fromisoformat(line["due"]),
                ordered=number(line["ordered"]),
                received=number(line.get("received", 0)),
                unit_factor=number(line.get("factor", 1)),
                is_cancelled=line.get("cancelled", False),
            )
            for line in given_input.get("open_receipts", [])
        ],
        past_due_policy=rules.PastDuePolicy(given_input.get("past_due_policy", "exclude_and_flag")),
    )
    maximum = given_input.get("max_qty")
    lot = rules.lot(
        netting.net,
        rules.LotRules(
            unit_factor=number(given_input.get("uom_factor", 1)),
            minimum=number(given_input.get("moq", 0)),
            multiple=number(given_input.get("multiple", 1)),
            maximum=None if maximum is None else number(maximum),
        ),
    )
    breaks = [
        rules.PriceBreak(from_quantity=number(each["from"]), price=number(each["price"]))
        for each in given_input["price_breaks"]
    ]
    reached = rules.price_break(lot.quantity, breaks)
    price = reached.price if reached else Decimal(0)
    company_amount = rules.amount(lot.quantity, price, number(given_input.get("fx_to_company", 1)))
    left = given_input.get("budget_left")
    return {
        "available": netting.available,
        "scheduled_receipts": netting.scheduled_receipts,
        "net_base": netting.net,
        "order_qty": lot.quantity,
        "order_base": lot.base_quantity,
        "surplus_base": lot.surplus,
        "amount": company_amount,
        "amount_supplier_currency": rules.amount(lot.quantity, price),
        "past_due": list(netting.past_due),
        "exceptions": [
            *netting.exceptions,
            *lot.exceptions,
            # The budget is the budget check's own rule; the cases name it beside those of the netting.
            *(["OVER_BUDGET"] if left is not None and company_amount > number(left) else []),
        ],
    }


@pytest.mark.parametrize("case", reference_cases())
def test_a_reference_case_comes_out_as_worked_by_hand(case: dict[str, Any]) -> None:
    result = worked(case["input"])

    expected: dict[str, object] = {
        name: value if isinstance(value, list) else number(value) for name, value in case["expected"].items()
    }
    assert {name: result[name] for name in expected} == expected


def test_all_reference_cases_are_read() -> None:
    if not CASES.exists():
        pytest.skip(f"the reference cases are not at {CASES}")
    assert len(reference_cases()) == 10


def net(
    *,
    on_hand: str = "0",
    safety: str = "0",
    needs: list[rules.Need] | None = None,
    receipts: list[rules.Receipt] | None = None,
    requisitions: str = "0",
    policy: rules.PastDuePolicy = rules.PastDuePolicy.EXCLUDE_AND_FLAG,
) -> rules.Netting:
    return rules.net_requirement(
        today=TODAY,
        horizon_end=HORIZON,
        stock=rules.StockLevel(on_hand=Decimal(on_hand), safety_stock=Decimal(safety)),
        needs=needs or [],
        receipts=receipts or [],
        open_requisitions=Decimal(requisitions),
        past_due_policy=policy,
    )


def need(days: int, required: str, *, issued: str = "0", scrap: str = "0") -> rules.Need:
    return rules.Need(
        needed_on=TODAY + timedelta(days), required=Decimal(required), issued=Decimal(issued), scrap=Decimal(scrap)
    )


def receipt(days: int, ordered: str) -> rules.Receipt:
    return rules.Receipt(number=f"PO{days}", due=TODAY + timedelta(days), ordered=Decimal(ordered))


@pytest.mark.parametrize(
    ("netting", "expected"),
    [
        pytest.param(net(on_hand="100", safety="100"), "0", id="exactly at safety stock is covered"),
        pytest.param(net(safety="100", receipts=[receipt(14, "60")]), "40", id="a receipt on the last day counts"),
        pytest.param(net(safety="100", receipts=[receipt(15, "60")]), "100", id="one day later it does not"),
        pytest.param(net(safety="100", receipts=[receipt(0, "60")]), "40", id="a receipt due today counts"),
        pytest.param(net(needs=[need(14, "60")]), "60", id="a need on the last day counts"),
        pytest.param(net(needs=[need(15, "60")]), "0", id="a need after the horizon does not"),
        pytest.param(net(needs=[need(-3, "60")]), "60", id="an overdue need is still a need"),
        # (200 - 50) x 1.04 = 156
        pytest.param(
            net(needs=[need(3, "200", issued="50", scrap="0.04")]), "156.00", id="scrap on what is not issued"
        ),
        pytest.param(net(needs=[need(3, "50", issued="70")]), "0", id="over-issued needs nothing"),
        pytest.param(net(on_hand="-30", safety="20"), "50", id="negative stock is a real shortage"),
        pytest.param(net(safety="100", requisitions="75"), "25", id="open requisitions count"),
        # with include_and_flag case R11 gives 400: 500 + 100 - 120 - 80
        pytest.param(
            net(
                on_hand="120",
                safety="100",
                needs=[need(7, "500")],
                receipts=[receipt(-11, "80")],
                policy=rules.PastDuePolicy.INCLUDE_AND_FLAG,
            ),
            "400",
            id="past due included by policy",
        ),
    ],
)
def test_the_net_requirement_at_the_edges(netting: rules.Netting, expected: str) -> None:
    assert netting.net == Decimal(expected)


@pytest.mark.parametrize(
    ("netting", "short_on", "exceptions"),
    [
        (net(on_hand="-1"), None, (rules.Exceptional.NEGATIVE_STOCK,)),
        (
            net(on_hand="120", safety="100", needs=[need(7, "500")], receipts=[receipt(4, "80")]),
            TODAY + timedelta(7),
            (),
        ),
        (net(on_hand="95", safety="100"), None, ()),
        # 100 on hand, 150 needed on day 3, 80 arrive on day 5: covered over the horizon, short on day 3
        (
            net(on_hand="100", needs=[need(3, "150")], receipts=[receipt(5, "80")]),
            TODAY + timedelta(3),
            (rules.Exceptional.RECEIPT_TOO_LATE,),
        ),
        (net(on_hand="100", needs=[need(5, "150")], receipts=[receipt(5, "80")]), None, ()),
    ],
)
def test_the_first_short_day_and_what_the_planner_must_know(
    netting: rules.Netting, short_on: date | None, exceptions: tuple[rules.Exceptional, ...]
) -> None:
    assert (netting.short_on, netting.exceptions) == (short_on, exceptions)


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [("49", None), ("50", "2.50"), ("299", "2.50"), ("300", "2.30"), ("9999", "2.30")],
)
def test_the_highest_reached_break_gives_the_price(quantity: str, expected: str | None) -> None:
    breaks = [
        rules.PriceBreak(from_quantity=Decimal(300), price=Decimal("2.30")),
        rules.PriceBreak(from_quantity=Decimal(50), price=Decimal("2.50")),
    ]
    reached = rules.price_break(Decimal(quantity), breaks)
    assert (None if reached is None else str(reached.price)) == expected


def test_a_lot_above_the_maximum_is_an_exception_and_keeps_its_quantity() -> None:
    lot = rules.lot(Decimal(130), rules.LotRules(maximum=Decimal(100)))
    assert (lot.quantity, lot.exceptions) == (Decimal(130), (rules.Exceptional.ABOVE_MAXIMUM_LOT,))


def test_an_asked_quantity_obeys_the_lot_rules_and_may_fall_short() -> None:
    lot = rules.lot(Decimal(400), rules.LotRules(multiple=Decimal(40)), asked_for=Decimal(130))
    assert (lot.quantity, lot.surplus) == (Decimal(160), Decimal(-240))


@pytest.mark.parametrize(
    ("quantity", "price", "rate", "expected"),
    [
        ("333", "3.337", "0.9215", "1023.99"),  # 1023.9901515
        ("1", "0.005", "1", "0.01"),  # half up
        ("1", "0.0049", "1", "0.00"),
        ("3", "0.335", "1", "1.01"),  # 1.005, not 3 x 0.34
    ],
)
def test_an_amount_is_rounded_half_up_once(quantity: str, price: str, rate: str, expected: str) -> None:
    assert str(rules.amount(Decimal(quantity), Decimal(price), Decimal(rate))) == expected


quantities = st.decimals(min_value=0, max_value=100_000, places=3)
factors = st.sampled_from([Decimal("1"), Decimal("12.5"), Decimal("25"), Decimal("0.333"), Decimal("7")])


@given(net=quantities, minimum=quantities, multiple=factors, factor=factors)
def test_a_lot_satisfies_minimum_and_multiple_and_is_the_smallest(
    net: Decimal, minimum: Decimal, multiple: Decimal, factor: Decimal
) -> None:
    limits = rules.LotRules(unit_factor=factor, minimum=minimum, multiple=multiple)
    lot = rules.lot(net, limits)

    if net == 0:
        assert lot.quantity == 0
        return
    assert lot.quantity >= minimum
    assert lot.base_quantity >= net
    assert lot.quantity % multiple == 0
    one_pack_less = lot.quantity - multiple
    assert one_pack_less < minimum or one_pack_less * factor < net


@given(
    on_hand=st.decimals(min_value=-1000, max_value=100_000, places=3),
    safety=quantities,
    required=st.lists(quantities, max_size=5),
    ordered=st.lists(quantities, max_size=5),
)
def test_netting_never_goes_negative_and_ordering_it_covers_exactly(
    on_hand: Decimal, safety: Decimal, required: list[Decimal], ordered: list[Decimal]
) -> None:
    needs = [need(position, str(each)) for position, each in enumerate(required)]
    receipts = [receipt(position, str(each)) for position, each in enumerate(ordered)]
    first = net(on_hand=str(on_hand), safety=str(safety), needs=needs, receipts=receipts)

    again = net(on_hand=str(on_hand), safety=str(safety), needs=needs, receipts=receipts, requisitions=str(first.net))
    assert first.net >= 0
    assert again.net == 0
    assert first.net == 0 or first.net == sum(required) + safety - on_hand - sum(ordered)
