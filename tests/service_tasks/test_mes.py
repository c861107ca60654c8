"""``mes.read_demand`` against the stand-in production system, over HTTP."""

from __future__ import annotations

from decimal import Decimal

import pytest

from engine.contract import NotFound, OperationError, RateLimited, Temporary, Unavailable
from sandbox.faults import FaultName
from service_tasks.mes import read_demand
from service_tasks.mes.values import Demand, DemandLine, DemandQuestion
from tests.service_tasks.systems import Systems, later


def _read(systems: Systems, material_id: str, horizon_days: int | None = None) -> Demand:
    question = DemandQuestion(material_id=material_id, horizon_days=horizon_days)
    return systems.run(read_demand, question, Demand)


def test_demand_is_read_by_work_order(reading: Systems) -> None:
    demand = _read(reading, "MAT-035")

    assert demand.unit == "m"
    assert demand.lines == (
        DemandLine(
            work_order="WO-1014",
            product="FG-220",
            required_at=later(6),
            required=Decimal(250),
            issued=Decimal(75),
            scrap_percent=Decimal(10),
        ),
        DemandLine(
            work_order="WO-1015",
            product="FG-220",
            required_at=later(9),
            required=Decimal(40),
            issued=Decimal(45),
            scrap_percent=Decimal(0),
        ),
    )


@pytest.mark.parametrize(
    ("horizon_days", "work_orders"),
    [
        (None, ["WO-1012", "WO-1013"]),
        (15, ["WO-1012", "WO-1013"]),
        (14, ["WO-1012"]),  # the last day of the horizon counts, one day later does not
        (13, []),
    ],
)
def test_a_horizon_leaves_out_what_is_needed_later(
    reading: Systems, horizon_days: int | None, work_orders: list[str]
) -> None:
    assert [line.work_order for line in _read(reading, "MAT-032", horizon_days).lines] == work_orders


def test_a_drawn_number_of_days_may_be_a_decimal() -> None:
    assert DemandQuestion.model_validate_json('{"material_id": "MAT-032", "horizon_days": "14"}').horizon_days == 14


def test_all_pages_of_demand_are_read(reading: Systems) -> None:
    lines = _read(reading, "MAT-040").lines

    assert len({line.work_order for line in lines}) == 130


def test_nothing_planned_is_no_demand(reading: Systems) -> None:
    assert _read(reading, "MAT-003").lines == ()


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
    reading.company.set_fault("read_demand", fault, 2)

    for _ in range(2):
        with pytest.raises(OperationError) as raised:
            _read(reading, "MAT-001")
        assert type(raised.value) is error
        assert read_demand.retry.on >= {error}

    assert len(_read(reading, "MAT-001").lines) == 1
