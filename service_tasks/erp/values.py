"""What the ERP is asked and told, and what it answers. Money and quantities are decimals with currency or unit."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from pydantic import Field

from engine.contract.operation import Values
from service_tasks.whole_number import WholeNumber

#: Material categories of the approval matrix.
Category = Literal["raw", "packaging", "maintenance", "chemicals"]

#: accepted: the ERP has it and still has to confirm. confirmed: it stands. refused: the ERP will not carry it out.
#: cancelled: undone by us. ordered: turned into a purchase order, past undoing.
RequisitionStatus = Literal["accepted", "confirmed", "refused", "cancelled", "ordered"]
#: Statuses of a requisition that stands no longer: another version may be created beside it.
VOID: frozenset[RequisitionStatus] = frozenset({"refused", "cancelled"})


class Name(Values):
    """A name in the two languages of the company."""

    en: str
    zh: str


# --- what is read -------------------------------------------------------------------------------------------------


class SupplyQuestion(Values):
    """Which material is asked about.

    Attributes
    ----------
    cost_centre
        Whose budget to answer with; None: the material's own cost centre.
    """

    material_id: str = Field(min_length=1, max_length=40)
    cost_centre: str | None = Field(default=None, max_length=40)


class Material(Values):
    """The material master.

    Attributes
    ----------
    unit_factor
        Base units in one purchase unit.
    safety_stock
        In the base unit.
    horizon_days
        How many days ahead demand counts, from today, the last day included.
    """

    material_id: str
    name: Name
    category: Category
    base_unit: str
    purchase_unit: str
    unit_factor: Decimal
    safety_stock: Decimal
    horizon_days: int
    cost_centre: str


class OpenPurchase(Values):
    """A purchase order line that the ERP does not show as complete.

    Attributes
    ----------
    ordered, received
        In the line's purchase unit; received may be more than ordered.
    unit_factor
        Base units in one unit of this line.
    """

    number: str
    supplier_id: str
    ordered: Decimal
    received: Decimal
    unit_factor: Decimal
    due: date
    is_cancelled: bool


class OpenRequisition(Values):
    """A requisition that is neither ordered nor refused nor cancelled.

    Attributes
    ----------
    key
        The key it was sent with; None when the ERP keeps none.
    """

    number: str
    quantity: Decimal
    unit: str
    unit_factor: Decimal
    key: str | None
    reference: str


class PriceBreak(Values):
    """A price that holds from a quantity on; the highest break not above the ordered quantity wins."""

    from_quantity: Decimal
    price: Decimal


class Contract(Values):
    """A frame contract with a supplier about one material.

    Attributes
    ----------
    maximum_price
        Highest agreed price per purchase unit, in the offer's currency.
    """

    number: str
    valid_from: date
    valid_until: date
    maximum_price: Decimal


class Offer(Values):
    """One supplier's conditions for one material.

    Attributes
    ----------
    is_blocked
        Purchasing must not order from this supplier.
    is_known
        Whether the supplier is on the list of approved suppliers.
    minimum, multiple, maximum
        Lot rules in purchase units; 0, 1 and None when the supplier sets none.
    price_breaks
        In ``currency`` per purchase unit, ascending.
    late_ratio
        Share of deliveries in the last year that came late, 0 to 1.
    average_delay_days
        Mean delay of the late ones.
    rating
        The buyer's mark from A (best) to D.
    contract
        None: bought without one.
    """

    supplier_id: str
    supplier_name: Name
    is_blocked: bool
    is_known: bool
    currency: str
    lead_time_days: int
    minimum: Decimal
    multiple: Decimal
    maximum: Decimal | None
    price_breaks: tuple[PriceBreak, ...]
    late_ratio: Decimal
    average_delay_days: Decimal
    rating: Literal["A", "B", "C", "D"]
    is_single_source: bool
    contract: Contract | None


class Budget(Values):
    """A cost centre's budget in company currency; ``left`` is ``total - committed`` and may be negative."""

    cost_centre: str
    currency: str
    total: Decimal
    committed: Decimal
    left: Decimal


class Rate(Values):
    """Company currency for one unit of ``currency``, as stored for ``date``."""

    currency: str
    rate: Decimal
    date: date


class Supply(Values):
    """Everything the ERP knows about buying one material.

    Attributes
    ----------
    rates
        The day's rates of all currencies the company buys in; its own is among them with rate 1.
    as_of
        The ERP's own instant of this answer, aware, UTC.
    """

    material: Material
    open_purchases: tuple[OpenPurchase, ...]
    open_requisitions: tuple[OpenRequisition, ...]
    offers: tuple[Offer, ...]
    budget: Budget
    rates: tuple[Rate, ...]
    company_currency: str
    as_of: datetime


# --- what is written ----------------------------------------------------------------------------------------------


class RequisitionDraft(Values):
    """What is to be requested; exactly what the approvers signed.

    Attributes
    ----------
    quantity, unit
        In the purchase unit.
    price, amount
        In ``currency``; ``amount`` is quantity times price, rounded half up to 0.01.
    company_amount
        The amount in company currency at the day's stored rate.
    reference
        Business key with the intent's number; the text by which a person, or a system without keys, finds it.
    draft_digest
        Digest of the stored draft that the approval is bound to.
    """

    material_id: str = Field(min_length=1, max_length=40)
    quantity: Decimal = Field(gt=0)
    unit: str = Field(min_length=1, max_length=20)
    supplier_id: str = Field(min_length=1, max_length=40)
    price: Decimal = Field(ge=0)
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    amount: Decimal = Field(ge=0)
    company_amount: Decimal = Field(ge=0)
    cost_centre: str = Field(min_length=1, max_length=40)
    need_date: date
    reference: str = Field(min_length=1, max_length=120)
    draft_digest: str = Field(min_length=1, max_length=128)


class Requisition(Values):
    """A requisition as it stands in the ERP.

    Attributes
    ----------
    key
        The key it was sent with; None when the ERP keeps none.
    reason
        Why the ERP refused it, or why it was cancelled; None otherwise.
    """

    number: str
    status: RequisitionStatus
    key: str | None
    reference: str
    material_id: str
    supplier_id: str
    quantity: Decimal
    unit: str
    amount: Decimal
    currency: str
    reason: str | None = None


class RequisitionQuestion(Values):
    """Which requisition is asked about."""

    number: str = Field(min_length=1, max_length=40)


class CancellationRequest(Values):
    """Which requisition is to be cancelled, and why."""

    number: str = Field(min_length=1, max_length=40)
    reason: str = Field(min_length=1, max_length=500)


class Cancellation(Values):
    """A requisition that is cancelled now, by this or an earlier request."""

    number: str
    status: Literal["cancelled"]
    reason: str
    cancelled_at: datetime


class PreflightQuestion(Values):
    """Which write is about to be made: the create step, its iteration and the number of the intent.

    Attributes
    ----------
    iteration
        As in the create step's idempotency key; ``0`` outside loops.
    reference
        The draft's reference; an ERP without keys is searched by it.
    """

    step_key: str = Field(min_length=1)
    iteration: str = "0"
    intent: WholeNumber = Field(ge=1)
    reference: str = Field(min_length=1, max_length=120)


class Preflight(Values):
    """Whether the write may be sent.

    Attributes
    ----------
    existing
        The document that this very intent already has in the ERP; None when there is none.
    can_verify
        That the ERP's answer could be verified if it were lost: find-by-key, or the declared search, answers.
    """

    existing: Requisition | None
    can_verify: bool
