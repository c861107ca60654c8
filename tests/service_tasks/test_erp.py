"""The ERP's operations against the stand-in ERP, over HTTP: facts, one document whatever fails, and its undoing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from engine.contract import (
    BadParameters,
    BusinessRuleViolated,
    Found,
    Lookup,
    NotFound,
    NotPermitted,
    OperationError,
    OperationRegistry,
    OutcomeUnknown,
    RateLimited,
    RepeatRecognition,
    Temporary,
    Unavailable,
    Unreadable,
)
from sandbox import Company, Settlement
from sandbox.data import Behaviour
from sandbox.faults import FaultName
from service_tasks import erp, mes, wms
from service_tasks.erp import (
    cancel_requisition,
    create_requisition,
    find_cancellation,
    find_requisition,
    preflight_requisition,
    read_requisition,
    read_supply,
)
from service_tasks.erp.values import (
    Budget,
    Cancellation,
    CancellationRequest,
    Contract,
    OpenPurchase,
    Preflight,
    PreflightQuestion,
    PriceBreak,
    Rate,
    Requisition,
    RequisitionDraft,
    RequisitionQuestion,
    Supply,
    SupplyQuestion,
)
from tests.service_tasks.systems import DRAFT, Systems, later

FAULTS: list[FaultName] = ["delay", "rate_limited", "unavailable", "wrong_json", "cut_before", "cut_after"]


def _supply(systems: Systems, material_id: str, cost_centre: str | None = None) -> Supply:
    question = SupplyQuestion(material_id=material_id, cost_centre=cost_centre)
    return systems.run(read_supply, question, Supply)


def _create(systems: Systems, draft: RequisitionDraft = DRAFT, *, intent: int = 1) -> Requisition:
    return systems.run(create_requisition, draft, Requisition, intent=intent)


def _read(systems: Systems, number: str) -> Requisition:
    return systems.run(read_requisition, RequisitionQuestion(number=number), Requisition)


def _find(systems: Systems, *, intent: int = 1) -> Found[Requisition]:
    lookup = Lookup(sent_key=systems.call("erp", intent=intent).sent_key, arguments=DRAFT.model_dump_json())
    return systems.run(find_requisition, lookup, Found[Requisition], intent=intent)


def _preflight(systems: Systems, *, intent: int = 1, reference: str = DRAFT.reference) -> Preflight:
    question = PreflightQuestion(step_key="Create", intent=intent, reference=reference)
    return systems.run(preflight_requisition, question, Preflight)


def _cancel(systems: Systems, number: str) -> Cancellation:
    return systems.run(cancel_requisition, CancellationRequest(number=number, reason="no longer short"), Cancellation)


@pytest.fixture
def keyless(tmp_path: Path) -> Iterator[Systems]:
    """An ERP without keys, whose search the connection declares complete."""
    with Company(tmp_path / "keyless", keys_on=False, confirmation="late", today=date(2026, 12, 1)) as company:
        systems = Systems(company, recognition=RepeatRecognition.SEARCH_ONLY, search_is_complete=True)
        yield systems
        systems.close()


def test_the_operations_fit_together() -> None:
    registry = OperationRegistry([*erp.OPERATIONS, *wms.OPERATIONS, *mes.OPERATIONS])

    assert {each.name for each in registry} == {
        "erp.read_supply",
        "erp.create_requisition",
        "erp.find_requisition",
        "erp.read_requisition",
        "erp.cancel_requisition",
        "erp.find_cancellation",
        "erp.preflight_requisition",
        "wms.read_stock",
        "mes.read_demand",
    }


# --- facts ---------------------------------------------------------------------------------------------------------


def test_everything_about_buying_a_material_is_read_at_once(reading: Systems) -> None:
    supply = _supply(reading, "MAT-001")

    material = supply.material
    assert (material.name.en, material.name.zh) == ("Bearing housing 6204", "6204 轴承座")
    assert (material.category, material.safety_stock, material.horizon_days) == ("raw", 100, 14)
    assert supply.open_purchases == (
        OpenPurchase(
            number="PO-4001",
            supplier_id="S-101",
            ordered=Decimal(80),
            received=Decimal(0),
            unit_factor=Decimal(1),
            due=later(4),
            is_cancelled=False,
        ),
    )
    assert [offer.supplier_id for offer in supply.offers] == ["S-101", "S-102"]
    assert supply.offers[0].price_breaks == (
        PriceBreak(from_quantity=Decimal(50), price=Decimal("2.50")),
        PriceBreak(from_quantity=Decimal(300), price=Decimal("2.30")),
    )
    assert supply.budget == Budget(
        cost_centre="CC-100",
        currency="EUR",
        total=Decimal("400000.00"),
        committed=Decimal("152340.00"),
        left=Decimal("247660.00"),
    )
    assert Rate(currency="USD", rate=Decimal("0.9215"), date=later(0)) in supply.rates
    assert supply.company_currency == "EUR"


def test_lot_rules_and_units_are_read(reading: Systems) -> None:
    supply = _supply(reading, "MAT-010")

    offer = supply.offers[0]
    assert (supply.material.base_unit, supply.material.purchase_unit, supply.material.unit_factor) == (
        "kg",
        "bag",
        Decimal("12.5"),
    )
    assert (offer.minimum, offer.multiple, offer.maximum) == (0, 4, 40)


def test_partly_received_and_cancelled_purchases_are_told_apart(reading: Systems) -> None:
    lines = _supply(reading, "MAT-007").open_purchases

    assert [(line.ordered, line.received, line.is_cancelled) for line in lines] == [
        (80, 30, False),
        (60, 75, False),
        (90, 0, True),
    ]


def test_open_requisitions_are_read_and_keep_their_key(systems: Systems) -> None:
    made = _create(systems)

    by_hand = _supply(systems, "MAT-036").open_requisitions
    ours = _supply(systems, "MAT-001").open_requisitions

    assert [(each.number, each.quantity, each.key) for each in by_hand] == [("PR-9001", 250, None)]
    assert [(each.number, each.quantity, each.key) for each in ours] == [(made.number, 400, made.key)]


@pytest.mark.parametrize(
    ("material_id", "supplier_id", "is_blocked", "is_known", "currency"),
    [
        ("MAT-014", "S-106", True, True, "EUR"),
        ("MAT-018", "S-107", False, False, "EUR"),
        ("MAT-021", "S-109", False, True, "CNY"),
    ],
)
def test_what_is_known_about_a_supplier_is_read(
    reading: Systems, material_id: str, supplier_id: str, is_blocked: bool, is_known: bool, currency: str
) -> None:
    offer = _supply(reading, material_id).offers[0]

    assert (offer.supplier_id, offer.is_blocked, offer.is_known, offer.currency) == (
        supplier_id,
        is_blocked,
        is_known,
        currency,
    )


def test_a_contract_is_read(reading: Systems) -> None:
    assert _supply(reading, "MAT-038").offers[0].contract == Contract(
        number="FC-338", valid_from=later(-200), valid_until=later(165), maximum_price=Decimal("11.90")
    )


def test_another_cost_centre_may_pay(reading: Systems) -> None:
    assert _supply(reading, "MAT-001", "CC-140").budget.left == Decimal("1000.00")


@pytest.mark.parametrize(("material_id", "cost_centre"), [("MAT-999", None), ("MAT-001", "CC-999")])
def test_what_the_erp_does_not_know_is_not_found(reading: Systems, material_id: str, cost_centre: str | None) -> None:
    with pytest.raises(NotFound):
        _supply(reading, material_id, cost_centre)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("cut_before", Temporary),
        ("cut_after", Temporary),
        ("wrong_json", Temporary),
        ("unavailable", Unavailable),
        ("rate_limited", RateLimited),
    ],
)
def test_a_fault_while_reading_is_retryable_and_passes(
    reading: Systems, fault: FaultName, error: type[OperationError]
) -> None:
    reading.company.set_fault("read_supply", fault, 2)

    for _ in range(2):
        with pytest.raises(OperationError) as raised:
            _supply(reading, "MAT-001")
        assert type(raised.value) is error
        assert read_supply.retry.on >= {error}

    assert _supply(reading, "MAT-001").offers


# --- one document whatever fails -----------------------------------------------------------------------------------


def test_a_requisition_is_accepted_with_its_key(systems: Systems) -> None:
    made = _create(systems)

    assert made.status == "accepted"
    assert made.key == systems.call("erp").sent_key
    assert (made.material_id, made.quantity, made.amount, made.currency) == ("MAT-001", 400, Decimal("920.00"), "EUR")
    assert _read(systems, made.number) == made


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("delay", OutcomeUnknown),  # the answer comes after the call's time is over
        ("cut_before", OutcomeUnknown),  # nobody can tell it from the next
        ("cut_after", OutcomeUnknown),
        ("wrong_json", Unreadable),
        ("unavailable", Unavailable),  # the ERP says of itself that nothing was done
        ("rate_limited", RateLimited),
    ],
)
def test_a_fault_while_writing_says_whether_the_outcome_is_known(
    systems: Systems, fault: FaultName, error: type[OperationError]
) -> None:
    hasty = Systems(systems.company, seconds=0.3)
    systems.company.set_fault("create_requisition", fault, seconds=1)

    with pytest.raises(OperationError) as raised:
        _create(hasty)

    hasty.close()
    assert type(raised.value) is error


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_twice_leaves_exactly_one_document(systems: Systems, fault: FaultName) -> None:
    systems.company.set_fault("create_requisition", fault, 2, seconds=0.01)

    made = systems.write(create_requisition, find_requisition, DRAFT, Requisition)

    assert made is not None
    assert systems.documents() == [made.number]
    assert systems.company.fired("create_requisition") >= 1


@pytest.mark.parametrize("fault", FAULTS)
def test_without_keys_every_fault_twice_leaves_exactly_one_document(keyless: Systems, fault: FaultName) -> None:
    keyless.company.set_fault("create_requisition", fault, 2, seconds=0.01)

    made = keyless.write(create_requisition, find_requisition, DRAFT, Requisition)

    assert made is not None
    assert made.key is None
    assert keyless.documents() == [made.number]


@pytest.mark.parametrize("fault", FAULTS)
def test_without_keys_and_with_a_lagging_search_a_doubt_is_a_persons(tmp_path: Path, fault: FaultName) -> None:
    with Company(tmp_path / "lagging", keys_on=False, search_lags=True, confirmation="late") as company:
        systems = Systems(company, recognition=RepeatRecognition.SEARCH_ONLY)
        company.set_fault("create_requisition", fault, 2, seconds=0.01)

        made = systems.write(create_requisition, find_requisition, DRAFT, Requisition)

        is_in_doubt = fault in ("wrong_json", "cut_before", "cut_after")
        assert (made is None) == is_in_doubt
        assert len(systems.documents()) <= 1
        systems.close()


def test_a_key_finds_its_document_also_while_the_search_lags(tmp_path: Path) -> None:
    with Company(tmp_path, search_lags=True) as company:
        systems = Systems(company)
        made = _create(systems)

        found = _find(systems).document

        systems.close()
    assert found is not None
    assert found.number == made.number


def test_a_repeat_under_the_same_key_answers_with_the_same_document(systems: Systems) -> None:
    assert _create(systems).number == _create(systems).number


def test_a_new_intent_is_a_new_document(systems: Systems) -> None:
    first, second = _create(systems), _create(systems, DRAFT.model_copy(update={"reference": "x v2"}), intent=2)

    assert first.number != second.number


def test_a_key_that_stands_for_something_else_is_not_taken_for_success(systems: Systems) -> None:
    _create(systems)

    with pytest.raises(BadParameters, match="already stands for"):
        _create(systems, DRAFT.model_copy(update={"quantity": Decimal(500), "amount": Decimal("1150.00")}))


def test_the_erp_refuses_for_sure(systems: Systems) -> None:
    systems.company.erp.master_data.change_behaviour("MAT-001", Behaviour(answer="refuse_now"))

    with pytest.raises(BusinessRuleViolated, match="locked for purchasing"):
        _create(systems)

    assert _find(systems).document is None
    assert systems.documents() == []


@pytest.mark.parametrize("keys_on", [True, False])
def test_a_document_that_the_erp_changed_is_found_all_the_same(
    systems: Systems, keyless: Systems, keys_on: bool
) -> None:
    chosen = systems if keys_on else keyless
    chosen.company.erp.master_data.change_behaviour("MAT-001", Behaviour(answer="change_quantity"))
    made = _create(chosen)
    chosen.company.erp.requisitions.settle(made.number, Settlement())

    found = _find(chosen).document

    assert found is not None
    assert (found.number, found.status, found.quantity, found.amount) == (
        made.number,
        "confirmed",
        360,
        Decimal("828.00"),
    )


def test_without_keys_the_document_that_still_stands_is_found(keyless: Systems) -> None:
    cancelled, standing = _create(keyless), _create(keyless)
    _cancel(keyless, cancelled.number)

    found = _find(keyless).document

    assert found is not None
    assert found.number == standing.number


@pytest.mark.parametrize(
    ("recognition", "is_complete", "is_certain"),
    [
        (RepeatRecognition.NATIVE_KEY, False, True),
        (RepeatRecognition.UNIQUE_FIELD, False, True),
        (RepeatRecognition.SEARCH_ONLY, True, True),
        (RepeatRecognition.SEARCH_ONLY, False, False),
    ],
)
def test_not_found_proves_absence_only_where_the_connection_says_so(
    systems: Systems, recognition: RepeatRecognition, is_complete: bool, is_certain: bool
) -> None:
    declared = Systems(systems.company, recognition=recognition, search_is_complete=is_complete)

    found = _find(declared)

    declared.close()
    assert (found.document, found.is_certain) == (None, is_certain)


def test_a_refusal_that_comes_later_is_read(systems: Systems) -> None:
    systems.company.erp.master_data.change_behaviour("MAT-001", Behaviour(answer="refuse_later"))
    made = _create(systems)
    systems.company.erp.requisitions.settle(made.number, Settlement())

    later_on = _read(systems, made.number)

    assert (later_on.status, bool(later_on.reason)) == ("refused", True)


def test_an_unknown_requisition_is_not_found(systems: Systems) -> None:
    with pytest.raises(NotFound):
        _read(systems, "PR-1/../PR-9001")


# --- undoing -------------------------------------------------------------------------------------------------------


def _find_cancellation(systems: Systems, number: str) -> Found[Cancellation]:
    request = CancellationRequest(number=number, reason="no longer short")
    lookup = Lookup(sent_key="unused", arguments=request.model_dump_json())
    return systems.run(find_cancellation, lookup, Found[Cancellation])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_requisition_is_cancelled_once_whatever_fails(systems: Systems, fault: FaultName) -> None:
    number = _create(systems).number
    systems.company.set_fault("cancel_requisition", fault, 2, seconds=0.01)
    request = CancellationRequest(number=number, reason="no longer short")

    cancelled = systems.write(cancel_requisition, find_cancellation, request, Cancellation)

    assert cancelled is not None
    assert (cancelled.number, cancelled.reason) == (number, "no longer short")
    assert _read(systems, number).status == "cancelled"


def test_cancelling_twice_changes_nothing(systems: Systems) -> None:
    number = _create(systems).number

    assert _cancel(systems, number) == _cancel(systems, number)


def test_an_ordered_requisition_is_past_undoing(systems: Systems) -> None:
    number = _create(systems).number
    systems.company.erp.requisitions.order(number)

    with pytest.raises(BusinessRuleViolated, match="past undoing"):
        _cancel(systems, number)

    assert _find_cancellation(systems, number) == Found[Cancellation](document=None, is_certain=True)


# --- before the write ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys_on", [True, False])
def test_a_document_of_this_intent_is_found_before_the_write(systems: Systems, keyless: Systems, keys_on: bool) -> None:
    chosen = systems if keys_on else keyless

    before = _preflight(chosen)
    made = _create(chosen)
    after = _preflight(chosen)
    other = _preflight(chosen, intent=2, reference="MR-2026-0001 v2")

    assert before == Preflight(existing=None, can_verify=True)
    assert after == Preflight(existing=made, can_verify=True)
    assert other.existing is None


def test_an_erp_that_keeps_no_keys_cannot_be_verified_by_key(keyless: Systems) -> None:
    believing = Systems(keyless.company, recognition=RepeatRecognition.NATIVE_KEY)

    with pytest.raises(BusinessRuleViolated, match="search_only"):
        _preflight(believing)

    believing.close()


def test_a_lagging_search_cannot_be_declared_complete(tmp_path: Path) -> None:
    with Company(tmp_path, keys_on=False, search_lags=True) as company:
        declared = Systems(company, recognition=RepeatRecognition.SEARCH_ONLY, search_is_complete=True)
        honest = Systems(company, recognition=RepeatRecognition.SEARCH_ONLY)

        with pytest.raises(BusinessRuleViolated, match="answer_can_be_verified"):
            _preflight(declared)
        assert _preflight(honest).can_verify is True

        declared.close()
        honest.close()


def test_a_right_that_was_taken_away_is_noticed_before_the_write(systems: Systems) -> None:
    systems.company.erp.tokens.set_write(False)

    with pytest.raises(NotPermitted, match="create no requisitions"):
        _preflight(systems)
    with pytest.raises(NotPermitted):
        _create(systems)
