"""Facts of one purchase as WMS, MES and ERP state them: reference case R01, with single values exchanged by tests."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from engine.contract import Call, Correlation
from engine.contract.ids import BusinessKey, ExecutionId, IdempotencyKey, StepKey, TenantId, TraceId, WorkflowId
from service_tasks.erp.values import Budget, Material, Name, Offer, OpenPurchase, PriceBreak, Rate, Supply
from service_tasks.mes.values import Demand, DemandLine
from service_tasks.wms.values import Stock

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)  # a Tuesday
TODAY = NOW.date()
WORKFLOW = WorkflowId("0" * 31 + "7")


def call(*, now: datetime = NOW, workflow_id: WorkflowId = WORKFLOW) -> Call:
    return Call(
        correlation=Correlation(
            tenant_id=TenantId("main"),
            workflow_id=workflow_id,
            business_key=BusinessKey("MR-1"),
            step_key=StepKey("step"),
            execution_id=ExecutionId("e" * 32),
            trace_id=TraceId("a" * 32),
        ),
        idempotency_key=IdempotencyKey("main:7:step:0:v1"),
        sent_key="0" * 32,
        attempt=1,
        now=now,
        deadline=now + timedelta(seconds=10),
        connection=None,
    )


def day(offset: int) -> date:
    return TODAY + timedelta(days=offset)


def stock(**changes: Any) -> Stock:
    values: dict[str, Any] = {
        "material_id": "MAT-001",
        "unit": "pc",
        "on_hand": Decimal(120),
        "reserved": Decimal(0),
        "blocked": Decimal(0),
        "lots": (),
        "as_of": NOW,
    }
    return Stock(**(values | changes))


def demand(required: str = "500", **changes: Any) -> Demand:
    line = DemandLine(
        work_order="WO-1001",
        product="FG-100",
        required_at=day(7),
        required=Decimal(required),
        issued=Decimal(0),
        scrap_percent=Decimal(0),
    )
    values: dict[str, Any] = {"material_id": "MAT-001", "unit": "pc", "lines": (line,), "as_of": NOW}
    return Demand(**(values | changes))


def material(**changes: Any) -> Material:
    values: dict[str, Any] = {
        "material_id": "MAT-001",
        "name": Name(en="Bearing housing", zh="轴承座"),
        "category": "raw",
        "base_unit": "pc",
        "purchase_unit": "pc",
        "unit_factor": Decimal(1),
        "safety_stock": Decimal(100),
        "horizon_days": 14,
        "cost_centre": "CC-100",
    }
    return Material(**(values | changes))


def offer(supplier_id: str = "S-101", **changes: Any) -> Offer:
    values: dict[str, Any] = {
        "supplier_id": supplier_id,
        "supplier_name": Name(en=f"Supplier {supplier_id}", zh=f"供应商{supplier_id}"),
        "is_blocked": False,
        "is_known": True,
        "currency": "EUR",
        "lead_time_days": 5,
        "minimum": Decimal(0),
        "multiple": Decimal(1),
        "maximum": None,
        "price_breaks": (
            PriceBreak(from_quantity=Decimal(50), price=Decimal("2.50")),
            PriceBreak(from_quantity=Decimal(300), price=Decimal("2.30")),
        ),
        "late_ratio": Decimal("0.02"),
        "average_delay_days": Decimal(1),
        "rating": "A",
        "is_single_source": False,
        "contract": None,
    }
    return Offer(**(values | changes))


def price(each: str) -> tuple[PriceBreak, ...]:
    return (PriceBreak(from_quantity=Decimal(0), price=Decimal(each)),)


def budget(left: str = "1000.00") -> Budget:
    return Budget(cost_centre="CC-100", currency="EUR", total=Decimal(left), committed=Decimal(0), left=Decimal(left))


def supply(*offers: Offer, **changes: Any) -> Supply:
    values: dict[str, Any] = {
        "material": material(),
        "open_purchases": (
            OpenPurchase(
                number="PO1",
                supplier_id="S-101",
                ordered=Decimal(80),
                received=Decimal(0),
                unit_factor=Decimal(1),
                due=day(4),
                is_cancelled=False,
            ),
        ),
        "open_requisitions": (),
        "offers": offers or (offer(),),
        "budget": budget(),
        "rates": (
            Rate(currency="EUR", rate=Decimal(1), date=TODAY),
            Rate(currency="USD", rate=Decimal("0.9215"), date=TODAY),
        ),
        "company_currency": "EUR",
        "as_of": NOW,
    }
    return Supply(**(values | changes))
