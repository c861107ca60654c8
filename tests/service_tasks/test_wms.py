"""``wms.read_stock`` against the stand-in warehouse, over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from engine.contract import NotFound, OperationError, RateLimited, Temporary, Unavailable
from sandbox.faults import FaultName
from service_tasks.wms import read_stock
from service_tasks.wms.values import Lot, Stock, StockQuestion
from tests.service_tasks.systems import Systems


def _read(systems: Systems, material_id: str) -> Stock:
    return systems.run(read_stock, StockQuestion(material_id=material_id), Stock)


def test_stock_is_split_into_reserved_and_blocked(reading: Systems) -> None:
    stock = _read(reading, "MAT-006")

    assert (stock.on_hand, stock.reserved, stock.blocked, stock.unit) == (300, 110, 40, "pc")
    assert stock.lots == (
        Lot(number="L-0601", quantity=Decimal(260), is_blocked=False),
        Lot(number="L-0602", quantity=Decimal(40), is_blocked=True, blocked_reason="surface crack, inspection open"),
    )
    assert datetime(2026, 12, 1, tzinfo=UTC) <= stock.as_of < datetime(2026, 12, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("material_id", "on_hand"),
    [
        ("MAT-010", "187.4"),  # fractions stay exact
        ("MAT-033", "-15"),  # a counting error is passed on, not clamped
    ],
)
def test_figures_are_passed_on_exactly(reading: Systems, material_id: str, on_hand: str) -> None:
    assert str(_read(reading, material_id).on_hand) == on_hand


def test_all_pages_of_lots_are_read(reading: Systems) -> None:
    lots = _read(reading, "MAT-040").lots

    assert len({lot.number for lot in lots}) == 130
    assert sum(lot.quantity for lot in lots) == 2600


def test_an_unknown_material_is_not_found(reading: Systems) -> None:
    with pytest.raises(NotFound, match="MAT-999"):
        _read(reading, "MAT-999")


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
    reading.company.set_fault("read_stock", fault, 2)

    for _ in range(2):
        with pytest.raises(OperationError) as raised:
            _read(reading, "MAT-001")
        assert type(raised.value) is error
        assert read_stock.retry.on >= {error}

    assert _read(reading, "MAT-001").on_hand == 120
