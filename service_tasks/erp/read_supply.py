"""Operation ``erp.read_supply``: a material's master data, open documents, offers, budget and the day's rates."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from engine.contract import Call
from engine.contract.operation import Effect, Values, operation
from service_tasks.erp.values import (
    Budget,
    Category,
    Contract,
    Material,
    Name,
    Offer,
    OpenPurchase,
    OpenRequisition,
    PriceBreak,
    Rate,
    Supply,
    SupplyQuestion,
)
from service_tasks.http import SystemClient, path
from service_tasks.pages import read_all


class _Name(Name, extra="ignore"):
    pass


class _PriceBreak(PriceBreak, extra="ignore"):
    pass


class _Contract(Contract, extra="ignore"):
    pass


class _Offer(Values, extra="ignore"):
    supplier_id: str
    supplier_name: _Name
    is_blocked: bool
    is_known: bool
    currency: str
    lead_time_days: int
    minimum: Decimal
    multiple: Decimal
    maximum: Decimal | None
    price_breaks: tuple[_PriceBreak, ...]
    late_ratio: Decimal
    average_delay_days: Decimal
    rating: Literal["A", "B", "C", "D"]
    is_single_source: bool
    contract: _Contract | None


class _Material(Values, extra="ignore"):
    material_id: str
    name: _Name
    category: Category
    base_unit: str
    purchase_unit: str
    unit_factor: Decimal
    safety_stock: Decimal
    horizon_days: int
    cost_centre: str
    offers: tuple[_Offer, ...]
    as_of: datetime


class _OpenDocument(Values, extra="ignore"):
    kind: Literal["purchase", "requisition"]
    number: str
    supplier_id: str
    ordered: Decimal
    received: Decimal
    unit: str | None
    unit_factor: Decimal
    due: date
    is_cancelled: bool
    key: str | None
    reference: str | None


class _OpenDocuments(Values, extra="ignore"):
    items: tuple[_OpenDocument, ...]
    next: str | None


class _Rate(Rate, extra="ignore"):
    pass


class _Finance(Values, extra="ignore"):
    cost_centre: str
    currency: str
    total: Decimal
    committed: Decimal
    left: Decimal
    rates: tuple[_Rate, ...]
    company_currency: str


@operation("erp.read_supply", version=1, effect=Effect.READ, system="erp")
def read_supply(call: Call, question: SupplyQuestion) -> Supply:
    """Read everything the ERP knows about buying a material, and the budget of the cost centre that pays.

    The instant of the answer is that of the first of its requests: nothing in it is older.
    """
    client = SystemClient(call)
    address = path("v1", "materials", question.material_id)
    master = client.get(address, _Material)
    open_documents = f"{address}/open-documents"
    _, documents = read_all(lambda params: client.get(open_documents, _OpenDocuments, params=params), lambda page: page)
    finance = client.get(path("v1", "budgets", question.cost_centre or master.cost_centre), _Finance)
    return Supply(
        material=Material(**master.model_dump(exclude={"offers", "as_of"})),
        open_purchases=tuple(_purchase(each) for each in documents if each.kind == "purchase"),
        open_requisitions=tuple(_requisition(each, master) for each in documents if each.kind == "requisition"),
        offers=tuple(_offer(each) for each in master.offers),
        budget=Budget(**finance.model_dump(exclude={"rates", "company_currency"})),
        rates=tuple(Rate(**each.model_dump()) for each in finance.rates),
        company_currency=finance.company_currency,
        as_of=master.as_of,
    )


def _purchase(line: _OpenDocument) -> OpenPurchase:
    return OpenPurchase(
        number=line.number,
        supplier_id=line.supplier_id,
        ordered=line.ordered,
        received=line.received,
        unit_factor=line.unit_factor,
        due=line.due,
        is_cancelled=line.is_cancelled,
    )


def _requisition(document: _OpenDocument, master: _Material) -> OpenRequisition:
    return OpenRequisition(
        number=document.number,
        quantity=document.ordered,
        unit=document.unit or master.purchase_unit,
        unit_factor=document.unit_factor,
        key=document.key,
        reference=document.reference or "",
    )


def _offer(offer: _Offer) -> Offer:
    return Offer(
        supplier_id=offer.supplier_id,
        supplier_name=Name(**offer.supplier_name.model_dump()),
        is_blocked=offer.is_blocked,
        is_known=offer.is_known,
        currency=offer.currency,
        lead_time_days=offer.lead_time_days,
        minimum=offer.minimum,
        multiple=offer.multiple,
        maximum=offer.maximum,
        price_breaks=tuple(PriceBreak(**each.model_dump()) for each in offer.price_breaks),
        late_ratio=offer.late_ratio,
        average_delay_days=offer.average_delay_days,
        rating=offer.rating,
        is_single_source=offer.is_single_source,
        contract=None if offer.contract is None else Contract(**offer.contract.model_dump()),
    )
