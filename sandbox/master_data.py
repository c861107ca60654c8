"""The ERP's master data: materials with their offers, suppliers, purchases, budgets, rates."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from sandbox.clock import Clock
from sandbox.data import Behaviour, CompanySeed, MaterialSeed, Record, Supplier
from sandbox.database import Database
from sandbox.system import Refusal

MASTER_DATA_TABLES = (
    "create table if not exists materials (material_id text primary key, body text not null)",
    "create table if not exists suppliers (supplier_id text primary key, body text not null)",
    "create table if not exists purchase_lines (number text primary key, material_id text not null,"
    " supplier_id text not null, ordered text not null, received text not null, unit_factor text not null,"
    " due text not null, is_cancelled integer not null)",
    "create table if not exists cost_centres (cost_centre text primary key, name_en text not null,"
    " name_zh text not null, total text not null, committed text not null)",
    "create table if not exists rates (currency text primary key, rate text not null, date text not null)",
)


class BudgetChange(Record):
    """What ``POST /budget/<cost centre>`` takes: the new total, or what shall be left after all commitments."""

    total: Decimal | None = None
    left: Decimal | None = None


class SupplierChange(Record):
    """What ``POST /suppliers/<supplier>`` takes."""

    is_blocked: bool


class OfferChange(Record):
    """What ``POST /offers/<material>/<supplier>`` takes: all price breaks anew."""

    price_breaks: tuple[tuple[Decimal, Decimal], ...]


class MasterData:
    """What the ERP knows before any requisition is made. Methods raise ``Refusal`` for what it does not know."""

    def __init__(self, database: Database, clock: Clock, company: CompanySeed) -> None:
        self._database = database
        self._clock = clock
        self._company = company

    def seed(self, materials: Sequence[MaterialSeed]) -> None:
        """Fill an empty ERP; one that has materials is left alone."""
        if self._database.row("select 1 from materials"):
            return
        today = self._clock.today()
        with self._database.writing():
            for supplier in self._company.suppliers:
                body = supplier.model_dump_json()
                self._database.insert("suppliers", supplier_id=supplier.supplier_id, body=body)
            for centre in self._company.cost_centres:
                self._database.insert(
                    "cost_centres",
                    cost_centre=centre.cost_centre,
                    name_en=centre.name.en,
                    name_zh=centre.name.zh,
                    total=str(centre.total),
                    committed=str(centre.committed),
                )
            for currency, rate in self._company.rates.items():
                self._database.insert("rates", currency=currency, rate=str(rate), date=today.isoformat())
            for material in materials:
                self._seed_material(material)

    def _seed_material(self, material: MaterialSeed) -> None:
        today = self._clock.today()
        self._database.insert("materials", material_id=material.material_id, body=material.model_dump_json())
        for line in material.purchases:
            self._database.insert(
                "purchase_lines",
                number=line.number,
                material_id=material.material_id,
                supplier_id=line.supplier_id,
                ordered=str(line.ordered),
                received=str(line.received),
                unit_factor=str(line.unit_factor),
                due=(today + timedelta(days=line.day)).isoformat(),
                is_cancelled=line.is_cancelled,
            )
        for each in material.requisitions:
            now = self._clock.now().isoformat()
            amount = str((each.quantity * each.price).quantize(Decimal("0.01")))
            self._database.insert(
                "requisitions",
                number=each.number,
                fingerprint="",
                material_id=material.material_id,
                supplier_id=each.supplier_id,
                quantity=str(each.quantity),
                unit=material.purchase_unit,
                unit_factor=str(material.unit_factor),
                price=str(each.price),
                amount=amount,
                currency=self._company.currency,
                company_amount=amount,
                cost_centre=material.cost_centre,
                need_date=(today + timedelta(days=each.day)).isoformat(),
                reference="by hand",
                draft_digest="",
                status="confirmed",
                created_at=now,
                created_by="buyer",
                changed_at=now,
                is_searchable=True,
            )

    def material(self, material_id: str) -> MaterialSeed:
        """Return a material.

        Raises
        ------
        Refusal
            404 when there is none.
        """
        row = self._database.row("select body from materials where material_id = ?", material_id)
        if row is None:
            raise Refusal(404, "not_found", f"The ERP does not know material {material_id}.")
        return MaterialSeed.model_validate_json(row["body"])

    def supplier(self, supplier_id: str) -> Supplier:
        """Return a supplier.

        Raises
        ------
        Refusal
            404 when there is none.
        """
        row = self._database.row("select body from suppliers where supplier_id = ?", supplier_id)
        if row is None:
            raise Refusal(404, "not_found", f"The ERP does not know supplier {supplier_id}.")
        return Supplier.model_validate_json(row["body"])

    def change_budget(self, cost_centre: str, change: BudgetChange) -> dict[str, object]:
        """Change a cost centre's budget and return it.

        Raises
        ------
        Refusal
            404 for an unknown cost centre.
        """
        with self._database.writing():
            row = self.cost_centre(cost_centre)
            total = change.total if change.total is not None else Decimal(row["total"])
            if change.left is not None:
                total = change.left + self._committed(row)
            self._database.run("update cost_centres set total = ? where cost_centre = ?", str(total), cost_centre)
        return self.budget(self.cost_centre(cost_centre))

    def change_supplier(self, supplier_id: str, change: SupplierChange) -> None:
        """Block or release a supplier."""
        changed = self.supplier(supplier_id).model_copy(update=change.model_dump())
        self._database.run(
            "update suppliers set body = ? where supplier_id = ?", changed.model_dump_json(), supplier_id
        )

    def change_offer(self, material_id: str, supplier_id: str, change: OfferChange) -> None:
        """Give an offer new prices."""
        material = self.material(material_id)
        offers = tuple(
            each.model_copy(update={"price_breaks": change.price_breaks}) if each.supplier_id == supplier_id else each
            for each in material.offers
        )
        self._store(material.model_copy(update={"offers": offers}))

    def change_behaviour(self, material_id: str, behaviour: Behaviour) -> None:
        """Change how the ERP treats requisitions of a material."""
        self._store(self.material(material_id).model_copy(update={"behaviour": behaviour}))

    def _store(self, material: MaterialSeed) -> None:
        self._database.run(
            "update materials set body = ? where material_id = ?", material.model_dump_json(), material.material_id
        )

    def cost_centre(self, cost_centre: str) -> sqlite3.Row:
        """Return a cost centre's row.

        Raises
        ------
        Refusal
            404 when there is none.
        """
        row = self._database.row("select * from cost_centres where cost_centre = ?", cost_centre)
        if row is None:
            raise Refusal(404, "not_found", f"The ERP does not know cost centre {cost_centre}.")
        return row

    def _committed(self, centre: sqlite3.Row) -> Decimal:
        """Return what is bound: what was bound on the first day, and the requisitions made since."""
        since = self._database.rows(
            "select company_amount from requisitions where cost_centre = ?"
            " and status in ('accepted', 'confirmed', 'ordered') and created_by <> 'buyer'",
            centre["cost_centre"],
        )
        return Decimal(centre["committed"]) + sum((Decimal(each["company_amount"]) for each in since), Decimal(0))

    def budget(self, centre: sqlite3.Row) -> dict[str, object]:
        """Return what a cost centre has, has bound and has left, in company currency."""
        committed, total = self._committed(centre), Decimal(centre["total"])
        return {
            "cost_centre": centre["cost_centre"],
            "currency": self._company.currency,
            "total": str(total),
            "committed": str(committed),
            "left": str(total - committed),
        }

    def cost_centres(self) -> list[sqlite3.Row]:
        """Return all cost centres' rows."""
        return self._database.rows("select * from cost_centres order by cost_centre")

    def rates(self) -> list[dict[str, str]]:
        """Return the day's rates: company currency for one unit of each currency."""
        rows = self._database.rows("select currency, rate, date from rates order by currency")
        return [dict(row) for row in rows]

    @property
    def currency(self) -> str:
        """The company's currency."""
        return self._company.currency
