"""What the ERP does with purchase requisitions: accept, confirm, refuse, change, order, cancel."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Literal

from pydantic import Field

from sandbox.clock import Clock
from sandbox.data import Confirmation, MaterialSeed, Record, Supplier
from sandbox.database import Database
from sandbox.events import EventSender
from sandbox.system import Refusal, business_rule

REQUISITIONS_TABLE = (
    "create table if not exists requisitions (id integer primary key, number text not null unique, key text unique,"
    " fingerprint text not null, material_id text not null, supplier_id text not null, quantity text not null,"
    " unit text not null, unit_factor text not null, price text not null, amount text not null, currency text not null,"
    " company_amount text not null, cost_centre text not null, need_date text not null, reference text not null,"
    " draft_digest text not null, status text not null, reason text, created_at text not null,"
    " created_by text not null, changed_at text not null, cancelled_at text, is_searchable integer not null,"
    " confirm_due real)"
)
#: Statuses in which a requisition still stands for something to come.
OPEN = ("accepted", "confirmed")
#: Statuses in which a requisition takes part of a budget.
COMMITTED = (*OPEN, "ordered")

#: The columns of a requisition that programs see.
SHOWN = (
    "number, status, key, reference, material_id, supplier_id, quantity, unit, price, amount, currency,"
    " company_amount, cost_centre, need_date, draft_digest, reason, created_at, created_by, changed_at, cancelled_at"
)


class RequisitionBody(Record):
    """What ``POST /v1/requisitions`` takes."""

    material_id: str
    quantity: Decimal = Field(gt=0)
    unit: str
    supplier_id: str
    price: Decimal = Field(ge=0)
    currency: str
    amount: Decimal = Field(ge=0)
    company_amount: Decimal = Field(ge=0)
    cost_centre: str
    need_date: date
    reference: str = Field(min_length=1, max_length=200)
    draft_digest: str


class Settlement(Record):
    """What ``POST /confirm/<number>`` takes; without an outcome the ERP decides by the material."""

    outcome: Literal["confirmed", "refused"] | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Habits:
    """How this company's ERP works.

    Attributes
    ----------
    keeps_keys
        False plays an ERP without idempotency keys: it ignores and forgets them.
    confirmation
        When it confirms, unless the material says otherwise.
    confirm_after, late_after
        Seconds until an "at once" and a "late" confirmation; ``late_after`` None: only when told.
    search_lags
        New documents cannot be searched before ``POST /index``.
    """

    keeps_keys: bool = True
    confirmation: Confirmation = "at_once"
    confirm_after: float = 0.0
    late_after: float | None = None
    search_lags: bool = False


class Requisitions:
    """The ERP's requisitions. Methods raise ``Refusal``; each is one transaction."""

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        sender: EventSender,
        habits: Habits,
        material: Callable[[str], MaterialSeed],
        supplier: Callable[[str], Supplier],
    ) -> None:
        self._database = database
        self._clock = clock
        self._sender = sender
        self._habits = habits
        self._material = material
        self._supplier = supplier

    def create(self, body: RequisitionBody, key: str | None, caller: str) -> tuple[dict[str, object], bool]:
        """Accept a requisition; with a known key return the document that it already has, and True.

        Raises
        ------
        Refusal
            400 without a key, 422 for a key with another content or by a business rule.
        """
        if self._habits.keeps_keys and not key:
            raise Refusal(400, "bad_parameters", "Send an Idempotency-Key with every requisition.")
        kept_key = key if self._habits.keeps_keys else None
        fingerprint = hashlib.sha256(body.model_dump_json().encode()).hexdigest()
        with self._database.writing():
            earlier = self._database.row("select * from requisitions where key = ?", kept_key) if kept_key else None
            if earlier is not None:
                if earlier["fingerprint"] != fingerprint:
                    raise Refusal(
                        422, "key_reused", f"Key {key} already stands for {earlier['number']}, which differs."
                    )
                return self.show(earlier["number"]), True
            material = self._check(body)
            number = self._insert(body, material, kept_key, fingerprint, caller)
        return self.show(number), False

    def _check(self, body: RequisitionBody) -> MaterialSeed:
        """Return the material when the ERP's own rules allow the requisition."""
        try:
            material, supplier = self._material(body.material_id), self._supplier(body.supplier_id)
        except Refusal as unknown:
            raise business_rule("master_data", unknown.message) from unknown
        if self._database.row("select 1 from cost_centres where cost_centre = ?", body.cost_centre) is None:
            raise business_rule("master_data", f"The ERP does not know cost centre {body.cost_centre}.")
        if material.behaviour.answer == "refuse_now":
            raise business_rule("material_locked", f"{body.material_id} is locked for purchasing.")
        if supplier.is_blocked:
            raise business_rule("supplier_blocked", f"Supplier {body.supplier_id} is blocked.")
        if body.unit != material.purchase_unit:
            raise business_rule(
                "unit", f"{body.material_id} is bought in {material.purchase_unit}, not in {body.unit}."
            )
        if body.currency != supplier.currency:
            raise business_rule("currency", f"{body.supplier_id} sells in {supplier.currency}, not in {body.currency}.")
        expected = _money(body.quantity * body.price)
        if body.amount != expected:
            raise business_rule("amount", f"{body.quantity} times {body.price} is {expected}, not {body.amount}.")
        return material

    def _insert(
        self, body: RequisitionBody, material: MaterialSeed, key: str | None, fingerprint: str, caller: str
    ) -> str:
        count = self._database.row("select coalesce(max(id), 0) as top from requisitions")
        number = f"PR-{10_001 + (count['top'] if count else 0)}"
        now = self._clock.now().isoformat()
        pause = {"at_once": self._habits.confirm_after, "late": self._habits.late_after, "never": None}[
            material.behaviour.confirmation or self._habits.confirmation
        ]
        draft = {name: str(value) for name, value in body.model_dump().items()}
        self._database.insert(
            "requisitions",
            **draft,
            number=number,
            key=key,
            fingerprint=fingerprint,
            unit_factor=str(material.unit_factor),
            status="accepted",
            created_at=now,
            created_by=caller,
            changed_at=now,
            is_searchable=not self._habits.search_lags,
            confirm_due=None if pause is None else time.time() + pause,
        )
        return number

    def show(self, number: str) -> dict[str, object]:
        """Return a requisition as it stands.

        Raises
        ------
        Refusal
            404 when there is none.
        """
        return dict(self._row(number, SHOWN))

    def _row(self, number: str, columns: str = "*") -> sqlite3.Row:
        row = self._database.row(f"select {columns} from requisitions where number = ?", number)  # noqa: S608 - own names
        if row is None:
            raise Refusal(404, "not_found", f"The ERP has no requisition {number}.")
        return row

    # --- later -----------------------------------------------------------------------------------------------------

    def settle_due(self) -> float | None:
        """Confirm or refuse what is due; return when the next one is (seconds since the epoch), or None."""
        due = "select number from requisitions where status = 'accepted' and confirm_due <= ?"
        for each in self._database.rows(due, time.time()):
            try:
                self.settle(each["number"], Settlement())
            except Refusal:
                continue  # cancelled meanwhile
        following = self._database.row("select min(confirm_due) as due from requisitions where status = 'accepted'")
        return following["due"] if following else None

    def settle(self, number: str, settlement: Settlement) -> dict[str, object]:
        """Confirm or refuse an accepted requisition now, and tell it by an event.

        Raises
        ------
        Refusal
            404 for an unknown number, 409 when it is no longer waiting.
        """
        with self._database.writing():
            row = self._row(number)
            if row["status"] != "accepted":
                raise business_rule("already_settled", f"{number} is {row['status']}, not waiting.", status=409)
            behaviour = self._material(row["material_id"]).behaviour
            is_refused = settlement.outcome == "refused" or (
                settlement.outcome is None and behaviour.answer == "refuse_later"
            )
            if is_refused:
                reason = settlement.reason or "The buyer cannot place this material at the moment."
                self._change(number, status="refused", reason=reason)
            elif behaviour.answer == "change_quantity":
                quantity = _changed(Decimal(row["quantity"]))
                amount = _money(quantity * Decimal(row["price"]))
                self._change(number, status="confirmed", quantity=str(quantity), amount=str(amount))
            else:
                self._change(number, status="confirmed")
            if not is_refused and behaviour.is_ordered_at_once:
                self._change(number, status="ordered")
            document = self.show(number)
            self._sender.post(f"erp.requisition.{'refused' if is_refused else 'confirmed'}", number, document)
        return document

    def order(self, number: str) -> dict[str, object]:
        """Turn a requisition into a purchase order: from now on it is past undoing.

        Raises
        ------
        Refusal
            404 for an unknown number, 409 when it was refused or cancelled.
        """
        with self._database.writing():
            row = self._row(number)
            if row["status"] not in COMMITTED:
                raise business_rule("not_open", f"{number} is {row['status']} and cannot be ordered.", status=409)
            self._change(number, status="ordered")
        return self.show(number)

    def cancel(self, number: str, reason: str) -> dict[str, object]:
        """Cancel a requisition; cancelling it again changes nothing.

        Raises
        ------
        Refusal
            404 for an unknown number, 409 by the rule ``past_undoing`` once it is ordered.
        """
        with self._database.writing():
            row = self._row(number)
            if row["status"] == "ordered":
                raise business_rule("past_undoing", f"{number} is ordered already and past undoing.", status=409)
            if row["status"] != "cancelled":
                now = self._clock.now().isoformat()
                self._change(number, status="cancelled", reason=reason, cancelled_at=now)
        return self.cancellation(number) or {}

    def cancellation(self, number: str) -> dict[str, object] | None:
        """Return a requisition's cancellation, None when it is not cancelled.

        Raises
        ------
        Refusal
            404 for an unknown number.
        """
        row = self._row(number)
        if row["status"] != "cancelled":
            return None
        return {name: row[name] for name in ("number", "status", "reason", "cancelled_at")}

    def index(self) -> int:
        """Make all documents searchable; return how many were not."""
        return self._database.run("update requisitions set is_searchable = 1 where is_searchable = 0")

    def _change(self, number: str, **columns: str) -> None:
        """Set columns of a requisition; their names come from this module."""
        columns["changed_at"] = self._clock.now().isoformat()
        assignments = ", ".join(f"{name} = ?" for name in columns)
        self._database.run(
            f"update requisitions set {assignments} where number = ?",  # noqa: S608 - names come from this module
            *columns.values(),
            number,
        )


def _money(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def _changed(quantity: Decimal) -> Decimal:
    """Return a tenth less, at least one less; of a single one, two."""
    less = max(Decimal(1), (quantity / 10).to_integral_value(ROUND_DOWN))
    return quantity - less if quantity > less else quantity + 1
