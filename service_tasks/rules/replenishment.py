"""How much of a material has to be bought: netting, lot sizing and price, on decimals and without any input or output.

Source of every rule: the formulas of the reference cases (``cases/replenishment.json``), which follow the usual order
of textbook MRP netting: net requirement first, then the lot rule, then rounding up, then the rounded quantity's price.

::

    available          = on_hand - reserved - blocked                           (may be negative: a real shortage)
    scheduled_receipts = sum of max(0, ordered - received) x unit_factor        (open, due from today to the horizon)
    gross_demand       = sum of max(0, required - issued) x (1 + scrap)         (needed up to the horizon)
    net                = max(0, gross_demand + safety_stock - available - scheduled_receipts - open_requisitions)
    order              = ceil_to(max(net / unit_factor, minimum), multiple)     (in purchase units)
    price              = price of the highest break not above the order
    amount             = half_up(order x price x rate, 0.01)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from fractions import Fraction

CENT = Decimal("0.01")
ZERO = Decimal(0)
ONE = Decimal(1)


class Exceptional(StrEnum):
    """What a planner must be told beside the figures."""

    #: A purchase was due before today and has not arrived; it is not counted until it gets a new date.
    PAST_DUE_RECEIPT = "PAST_DUE_RECEIPT"
    #: The stock is below nothing: a real shortage, and a sign of a counting error.
    NEGATIVE_STOCK = "NEGATIVE_STOCK"
    #: Enough comes within the horizon, but too late for a need before it.
    RECEIPT_TOO_LATE = "RECEIPT_TOO_LATE"
    #: The rounded order is above the supplier's largest lot. It is never cut silently.
    ABOVE_MAXIMUM_LOT = "ABOVE_MAXIMUM_LOT"
    #: The supplier names no price for so small a quantity.
    NO_PRICE = "NO_PRICE"


class PastDuePolicy(StrEnum):
    """What a purchase that is overdue counts for. It is flagged in both cases."""

    EXCLUDE_AND_FLAG = "exclude_and_flag"
    INCLUDE_AND_FLAG = "include_and_flag"


@dataclass(frozen=True, kw_only=True)
class StockLevel:
    """Quantities in the base unit; ``reserved`` must not be part of the demand too."""

    on_hand: Decimal
    reserved: Decimal = ZERO
    blocked: Decimal = ZERO
    safety_stock: Decimal = ZERO


@dataclass(frozen=True, kw_only=True)
class Need:
    """One demand in the base unit; ``scrap`` is a fraction: 0.05 for five of a hundred lost."""

    needed_on: date
    required: Decimal
    issued: Decimal = ZERO
    scrap: Decimal = ZERO

    @property
    def open(self) -> Decimal:
        """``max(0, required - issued) x (1 + scrap)``."""
        return max(ZERO, self.required - self.issued) * (ONE + self.scrap)


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """One purchase line; ``ordered`` and ``received`` in its own unit of ``unit_factor`` base units."""

    number: str
    due: date
    ordered: Decimal
    received: Decimal = ZERO
    unit_factor: Decimal = ONE
    is_cancelled: bool = False

    @property
    def open(self) -> Decimal:
        """``max(0, ordered - received) x unit_factor``; a cancelled line has nothing open."""
        return ZERO if self.is_cancelled else max(ZERO, self.ordered - self.received) * self.unit_factor


@dataclass(frozen=True, kw_only=True)
class Netting:
    """The net requirement with every term of its formula, in the base unit.

    Attributes
    ----------
    past_due
        Numbers of the purchase lines that are overdue and still open.
    short_on
        First day on which stock and receipts no longer meet the needs; None when safety stock alone is missing.
    """

    gross_demand: Decimal
    safety_stock: Decimal
    available: Decimal
    scheduled_receipts: Decimal
    open_requisitions: Decimal
    net: Decimal
    past_due: tuple[str, ...]
    short_on: date | None
    exceptions: tuple[Exceptional, ...]


def available(stock: StockLevel) -> Decimal:
    """Return ``on_hand - reserved - blocked``; it may be negative and is not clamped."""
    return stock.on_hand - stock.reserved - stock.blocked


def net_requirement(
    *,
    today: date,
    horizon_end: date,
    stock: StockLevel,
    needs: Sequence[Need],
    receipts: Sequence[Receipt],
    open_requisitions: Decimal = ZERO,
    past_due_policy: PastDuePolicy = PastDuePolicy.EXCLUDE_AND_FLAG,
) -> Netting:
    """Return what is missing up to ``horizon_end``, that day included, with all terms of the formula.

    Exactly at safety stock counts as covered. A need before today is still a need; a receipt on the last day counts,
    one day later it does not.
    """
    relevant = [need for need in needs if need.needed_on <= horizon_end]
    overdue = [receipt for receipt in receipts if receipt.due < today and receipt.open > ZERO]
    expected = [receipt for receipt in receipts if today <= receipt.due <= horizon_end]
    if past_due_policy is PastDuePolicy.INCLUDE_AND_FLAG:
        expected = [*overdue, *expected]
    free = available(stock)
    gross = sum((need.open for need in relevant), ZERO)
    scheduled = sum((receipt.open for receipt in expected), ZERO)
    net = max(ZERO, gross + stock.safety_stock - free - scheduled - open_requisitions)
    short_on = _first_short_day(free + open_requisitions, relevant, expected)
    exceptions = [
        (Exceptional.PAST_DUE_RECEIPT, bool(overdue)),
        (Exceptional.NEGATIVE_STOCK, stock.on_hand < ZERO),
        (Exceptional.RECEIPT_TOO_LATE, net == ZERO and short_on is not None),
    ]
    return Netting(
        gross_demand=gross,
        safety_stock=stock.safety_stock,
        available=free,
        scheduled_receipts=scheduled,
        open_requisitions=open_requisitions,
        net=net,
        past_due=tuple(receipt.number for receipt in overdue),
        short_on=short_on,
        exceptions=tuple(name for name, holds in exceptions if holds),
    )


def _first_short_day(opening: Decimal, needs: Sequence[Need], receipts: Sequence[Receipt]) -> date | None:
    """Return the first day on which the projected stock is negative; what arrives on a day serves that day's needs."""
    for day in sorted({need.needed_on for need in needs}):
        arrived = sum((receipt.open for receipt in receipts if receipt.due <= day), ZERO)
        used = sum((need.open for need in needs if need.needed_on <= day), ZERO)
        if opening + arrived - used < ZERO:
            return day
    return None


@dataclass(frozen=True, kw_only=True)
class PriceBreak:
    """A price per purchase unit that holds from a quantity on."""

    from_quantity: Decimal
    price: Decimal


@dataclass(frozen=True, kw_only=True)
class LotRules:
    """A supplier's lot rules in purchase units; ``unit_factor`` is base units in one purchase unit."""

    unit_factor: Decimal = ONE
    minimum: Decimal = ZERO
    multiple: Decimal = ONE
    maximum: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class Lot:
    """What to order, in purchase units, and what that means in the base unit.

    ``surplus`` is what the lot brings beyond the net requirement; negative when the lot was asked to be smaller.
    """

    quantity: Decimal
    base_quantity: Decimal
    surplus: Decimal
    exceptions: tuple[Exceptional, ...]


def ceil_to(quantity: Fraction, multiple: Decimal) -> Decimal:
    """Return the smallest multiple of ``multiple`` that is not below ``quantity``; exact, without rounding errors."""
    packs = -(-quantity // Fraction(multiple))
    return Decimal(packs) * multiple


def lot(net: Decimal, rules: LotRules, *, asked_for: Decimal | None = None) -> Lot:
    """Return the lot for a net requirement in the base unit, or for the purchase quantity that a person asked for.

    Minimum first, then up to the multiple, so that the result satisfies both. Nothing net and nothing asked for is no
    lot. Above the maximum is an exception, never a cut.
    """
    if net <= ZERO and asked_for is None:
        return Lot(quantity=ZERO, base_quantity=ZERO, surplus=ZERO, exceptions=())
    wanted = Fraction(net) / Fraction(rules.unit_factor) if asked_for is None else Fraction(asked_for)
    quantity = ceil_to(max(wanted, Fraction(rules.minimum)), rules.multiple)
    too_large = rules.maximum is not None and quantity > rules.maximum
    base_quantity = quantity * rules.unit_factor
    return Lot(
        quantity=quantity,
        base_quantity=base_quantity,
        surplus=base_quantity - net,
        exceptions=(Exceptional.ABOVE_MAXIMUM_LOT,) if too_large else (),
    )


def price_break(quantity: Decimal, breaks: Sequence[PriceBreak]) -> PriceBreak | None:
    """Return the highest break not above the (rounded) order quantity; None when there is no price for so little."""
    reached = [each for each in breaks if each.from_quantity <= quantity]
    return max(reached, key=lambda each: each.from_quantity, default=None)


def amount(quantity: Decimal, price: Decimal, rate: Decimal = ONE) -> Decimal:
    """Return ``quantity x price x rate`` rounded half up to 0.01; rounded once, at the end."""
    return (quantity * price * rate).quantize(CENT, rounding=ROUND_HALF_UP)
