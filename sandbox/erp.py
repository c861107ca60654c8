"""The enterprise resource planning system: materials, suppliers, purchases, budgets, requisitions."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from sandbox.clock import Clock
from sandbox.data import Behaviour, CompanySeed, MaterialSeed, OfferSeed, Record, Supplier
from sandbox.erp_page import erp_tables
from sandbox.http_server import Answer, Request, json_answer
from sandbox.page import render
from sandbox.requisitions import (
    REQUISITIONS_TABLE,
    SHOWN,
    Habits,
    RequisitionBody,
    Requisitions,
    Settlement,
)
from sandbox.system import Access, Manner, Refusal, Route, System, paged, read_body
from sandbox.tokens import Tokens


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


class RightsChange(Record):
    """What ``POST /permissions`` takes: whether the product's service may create and cancel documents."""

    may_write: bool


class CancelBody(Record):
    """What ``POST /v1/requisitions/<number>/cancel`` takes."""

    reason: str


class Erp(System):
    """The ERP. Its documents are in ``self.requisitions``."""

    name = "erp"
    title = ("Purchasing", "企业资源计划")
    schema = (
        "create table if not exists materials (material_id text primary key, body text not null)",
        "create table if not exists suppliers (supplier_id text primary key, body text not null)",
        "create table if not exists purchase_lines (number text primary key, material_id text not null,"
        " supplier_id text not null, ordered text not null, received text not null, unit_factor text not null,"
        " due text not null, is_cancelled integer not null)",
        "create table if not exists cost_centres (cost_centre text primary key, name_en text not null,"
        " name_zh text not null, total text not null, committed text not null)",
        "create table if not exists rates (currency text primary key, rate text not null, date text not null)",
        REQUISITIONS_TABLE,
        "create index if not exists requisitions_by_material on requisitions (material_id)",
        "create index if not exists requisitions_by_reference on requisitions (reference)",
        "create index if not exists requisitions_by_cost_centre on requisitions (cost_centre)",
        "create index if not exists requisitions_due on requisitions (status, confirm_due)",
    )

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        tokens: Tokens,
        manner: Manner,
        *,
        habits: Habits,
        company: CompanySeed,
    ) -> None:
        super().__init__(folder, clock, tokens, manner)
        self._habits = habits
        self._company = company
        self.requisitions = Requisitions(
            database=self.database,
            clock=clock,
            sender=self.sender,
            habits=habits,
            material=self.material,
            supplier=self.supplier,
        )

    def settle_due(self) -> float | None:
        """Confirm or refuse the requisitions that are due."""
        return self.requisitions.settle_due()

    # --- master data ------------------------------------------------------------------------------------------------

    def seed(self, materials: Sequence[MaterialSeed]) -> None:
        """Fill an empty ERP; one that has materials is left alone."""
        if self.database.row("select 1 from materials"):
            return
        today = self.clock.today()
        with self.database.writing():
            for supplier in self._company.suppliers:
                body = supplier.model_dump_json()
                self.database.insert("suppliers", supplier_id=supplier.supplier_id, body=body)
            for centre in self._company.cost_centres:
                self.database.insert(
                    "cost_centres",
                    cost_centre=centre.cost_centre,
                    name_en=centre.name.en,
                    name_zh=centre.name.zh,
                    total=str(centre.total),
                    committed=str(centre.committed),
                )
            for currency, rate in self._company.rates.items():
                self.database.insert("rates", currency=currency, rate=str(rate), date=today.isoformat())
            for material in materials:
                self._seed_material(material)

    def _seed_material(self, material: MaterialSeed) -> None:
        today = self.clock.today()
        self.database.insert("materials", material_id=material.material_id, body=material.model_dump_json())
        for line in material.purchases:
            self.database.insert(
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
            now = self.clock.now().isoformat()
            amount = str((each.quantity * each.price).quantize(Decimal("0.01")))
            self.database.insert(
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
        row = self.database.row("select body from materials where material_id = ?", material_id)
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
        row = self.database.row("select body from suppliers where supplier_id = ?", supplier_id)
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
        with self.database.writing():
            row = self._cost_centre(cost_centre)
            total = change.total if change.total is not None else Decimal(row["total"])
            if change.left is not None:
                total = change.left + self._committed(row)
            self.database.run("update cost_centres set total = ? where cost_centre = ?", str(total), cost_centre)
        return self._budget(self._cost_centre(cost_centre))

    def change_supplier(self, supplier_id: str, change: SupplierChange) -> None:
        """Block or release a supplier."""
        changed = self.supplier(supplier_id).model_copy(update=change.model_dump())
        self.database.run("update suppliers set body = ? where supplier_id = ?", changed.model_dump_json(), supplier_id)

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
        self.database.run(
            "update materials set body = ? where material_id = ?", material.model_dump_json(), material.material_id
        )

    def _cost_centre(self, cost_centre: str) -> sqlite3.Row:
        row = self.database.row("select * from cost_centres where cost_centre = ?", cost_centre)
        if row is None:
            raise Refusal(404, "not_found", f"The ERP does not know cost centre {cost_centre}.")
        return row

    def _committed(self, centre: sqlite3.Row) -> Decimal:
        """Return what is bound: what was bound on the first day, and the requisitions made since."""
        since = self.database.rows(
            "select company_amount from requisitions where cost_centre = ?"
            " and status in ('accepted', 'confirmed', 'ordered') and created_by <> 'buyer'",
            centre["cost_centre"],
        )
        return Decimal(centre["committed"]) + sum((Decimal(each["company_amount"]) for each in since), Decimal(0))

    def _budget(self, centre: sqlite3.Row) -> dict[str, object]:
        committed, total = self._committed(centre), Decimal(centre["total"])
        return {
            "cost_centre": centre["cost_centre"],
            "currency": self._company.currency,
            "total": str(total),
            "committed": str(committed),
            "left": str(total - committed),
        }

    # --- routes -----------------------------------------------------------------------------------------------------

    def routes(self) -> Sequence[Route]:
        """Return the ERP's routes."""
        r, w, admin = Access.READ, Access.WRITE, Access.ADMIN
        one = "/v1/requisitions/{number}"
        table = (
            ("GET", "/v1/materials/{material}", "read_supply", r, self._show_material),
            ("GET", "/v1/materials/{material}/open-documents", "read_supply", r, self._open_documents),
            ("GET", "/v1/budgets/{cost_centre}", "read_supply", r, self._show_budget),
            ("GET", "/v1/identity", "preflight_requisition", r, self._identity),
            ("GET", "/v1/requisitions", "find_requisition", r, self._find_requisitions),
            ("POST", "/v1/requisitions", "create_requisition", w, self._create),
            ("GET", one, "read_requisition", r, self._read),
            ("POST", f"{one}/cancel", "cancel_requisition", w, self._cancel),
            ("GET", f"{one}/cancellation", "find_cancellation", r, self._cancellation),
            ("POST", "/confirm/{number}", "", admin, self._confirm),
            ("POST", "/order/{number}", "", admin, self._order),
            ("POST", "/index", "", admin, self._index),
            ("POST", "/budget/{cost_centre}", "", admin, self._change_budget),
            ("POST", "/suppliers/{supplier}", "", admin, self._change_supplier),
            ("POST", "/offers/{material}/{supplier}", "", admin, self._change_offer),
            ("POST", "/behaviour/{material}", "", admin, self._change_behaviour),
            ("POST", "/permissions", "", admin, self._change_rights),
        )
        return [
            Route(method=method, pattern=pattern, operation=operation, access=access, act=act)
            for method, pattern, operation, access, act in table
        ]

    def _show_material(self, request: Request, parts: Mapping[str, str]) -> Answer:
        material = self.material(parts["material"])
        return json_answer(
            {
                **material.model_dump(
                    mode="json",
                    include={
                        "material_id",
                        "name",
                        "category",
                        "base_unit",
                        "purchase_unit",
                        "unit_factor",
                        "safety_stock",
                        "horizon_days",
                        "cost_centre",
                    },
                ),
                "offers": [self._offer(each) for each in material.offers],
                "as_of": self.clock.now().isoformat(),
            }
        )

    def _offer(self, offer: OfferSeed) -> dict[str, object]:
        supplier, today = self.supplier(offer.supplier_id), self.clock.today()
        contract = offer.contract
        return {
            "supplier_id": offer.supplier_id,
            "supplier_name": supplier.name.model_dump(),
            **supplier.model_dump(
                mode="json",
                include={"is_blocked", "is_known", "currency", "late_ratio", "average_delay_days", "rating"},
            ),
            **offer.model_dump(
                mode="json", include={"lead_time_days", "minimum", "multiple", "maximum", "is_single_source"}
            ),
            "price_breaks": [{"from_quantity": str(start), "price": str(price)} for start, price in offer.price_breaks],
            "contract": contract
            and {
                "number": contract.number,
                "valid_from": today + timedelta(days=contract.from_day),
                "valid_until": today + timedelta(days=contract.until_day),
                "maximum_price": str(contract.maximum_price),
            },
        }

    def _open_documents(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.material(parts["material"])
        page = paged(
            self.database,
            request,
            "select 'purchase' as kind, number, supplier_id, ordered, received, unit_factor, due, is_cancelled,"
            " null as unit, null as key, null as reference from purchase_lines where material_id = ?"
            " union all select 'requisition', number, supplier_id, quantity, '0', unit_factor, need_date, 0, unit, key,"
            " reference from requisitions where material_id = ? and status in ('accepted', 'confirmed')"
            " order by kind, number",
            parts["material"],
            parts["material"],
            show=_open_document,
        )
        return json_answer(page)

    def _show_budget(self, request: Request, parts: Mapping[str, str]) -> Answer:
        budget = self._budget(self._cost_centre(parts["cost_centre"]))
        rates = [dict(row) for row in self.database.rows("select currency, rate, date from rates order by currency")]
        return json_answer({**budget, "rates": rates, "company_currency": self._company.currency})

    def _identity(self, request: Request, parts: Mapping[str, str]) -> Answer:
        caller = self.tokens.caller(request.headers.get("authorization")) or ""
        return json_answer(
            {
                "name": caller,
                "may_create": self.tokens.may(caller, Access.WRITE),
                "keeps_keys": self._habits.keeps_keys,
                "search": "lagging" if self._habits.search_lags else "immediate",
            }
        )

    def _find_requisitions(self, request: Request, parts: Mapping[str, str]) -> Answer:
        given = request.parameters
        if "key" in given and not self._habits.keeps_keys:
            raise Refusal(400, "bad_parameters", "This ERP keeps no keys. Search by reference and material.")
        names = [name for name in ("key", "reference", "material_id", "supplier_id") if name in given]
        # Under a key a document is found at once; the search by content may lag behind.
        conditions = [*(f"{name} = ?" for name in names), *([] if "key" in names else ["is_searchable = 1"])]
        page = paged(
            self.database,
            request,
            f"select {SHOWN} from requisitions where {' and '.join(conditions)} order by id",  # noqa: S608 - own names
            *(given[name] for name in names),
            show=dict,
        )
        return json_answer(page)

    def _create(self, request: Request, parts: Mapping[str, str]) -> Answer:
        caller = self.tokens.caller(request.headers.get("authorization")) or ""
        body = read_body(request, RequisitionBody)
        document, is_repeat = self.requisitions.create(body, request.headers.get("idempotency-key"), caller)
        self.clerk.wake()
        replayed = {"idempotent-replayed": "true"} if is_repeat else {}
        location = {"location": f"/v1/requisitions/{document['number']}", **replayed}
        return json_answer(document, status=202, headers=location)

    def _read(self, request: Request, parts: Mapping[str, str]) -> Answer:
        return json_answer(self.requisitions.show(parts["number"]))

    def _cancel(self, request: Request, parts: Mapping[str, str]) -> Answer:
        return json_answer(self.requisitions.cancel(parts["number"], read_body(request, CancelBody).reason))

    def _cancellation(self, request: Request, parts: Mapping[str, str]) -> Answer:
        return json_answer({"cancellation": self.requisitions.cancellation(parts["number"])})

    def _confirm(self, request: Request, parts: Mapping[str, str]) -> Answer:
        document = self.requisitions.settle(parts["number"], read_body(request, Settlement))
        self.clerk.wake()
        return json_answer(document)

    def _order(self, request: Request, parts: Mapping[str, str]) -> Answer:
        return json_answer(self.requisitions.order(parts["number"]))

    def _index(self, request: Request, parts: Mapping[str, str]) -> Answer:
        return json_answer({"indexed": self.requisitions.index()})

    def _change_budget(self, request: Request, parts: Mapping[str, str]) -> Answer:
        return json_answer(self.change_budget(parts["cost_centre"], read_body(request, BudgetChange)))

    def _change_supplier(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.change_supplier(parts["supplier"], read_body(request, SupplierChange))
        return json_answer({"changed": True})

    def _change_offer(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.change_offer(parts["material"], parts["supplier"], read_body(request, OfferChange))
        return json_answer({"changed": True})

    def _change_behaviour(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.change_behaviour(parts["material"], read_body(request, Behaviour))
        return json_answer({"changed": True})

    def _change_rights(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.tokens.set_write(read_body(request, RightsChange).may_write)
        return json_answer({"changed": True})

    # --- for people -------------------------------------------------------------------------------------------------

    def documents(self) -> dict[str, object]:
        """Return requisitions and budgets."""
        requisitions = self.database.rows(f"select {SHOWN} from requisitions order by id")  # noqa: S608 - own names
        centres = self.database.rows("select * from cost_centres order by cost_centre")
        return {
            "requisitions": [dict(row) for row in requisitions],
            "budgets": [self._budget(row) for row in centres],
        }

    def page(self) -> str:
        """Return the ERP's page."""
        centres = self.database.rows("select * from cost_centres order by cost_centre")
        budgets = [(row["name_en"], row["name_zh"], self._budget(row)) for row in centres]
        return render(self, *erp_tables(self.database, budgets))


def _open_document(row: sqlite3.Row) -> dict[str, object]:
    shown = dict(row)
    shown["is_cancelled"] = bool(row["is_cancelled"])
    return shown
