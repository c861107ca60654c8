"""The enterprise resource planning system: materials, suppliers, purchases, budgets, requisitions."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from sandbox.clock import Clock
from sandbox.data import Behaviour, CompanySeed, MaterialSeed, OfferSeed, Record
from sandbox.erp_page import erp_tables
from sandbox.http_server import Answer, Request, json_answer
from sandbox.master_data import MASTER_DATA_TABLES, BudgetChange, MasterData, OfferChange, SupplierChange
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


class RightsChange(Record):
    """What ``POST /permissions`` takes: whether the product's service may create and cancel documents."""

    may_write: bool


class CancelBody(Record):
    """What ``POST /v1/requisitions/<number>/cancel`` takes."""

    reason: str


class Erp(System):
    """The ERP. Its documents are in ``self.requisitions``, what they rest on in ``self.master_data``."""

    name = "erp"
    title = ("Purchasing", "企业资源计划")
    schema = (
        *MASTER_DATA_TABLES,
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
        self.master_data = MasterData(self.database, clock, company)
        self.requisitions = Requisitions(
            database=self.database,
            clock=clock,
            sender=self.sender,
            habits=habits,
            material=self.master_data.material,
            supplier=self.master_data.supplier,
        )

    def settle_due(self) -> float | None:
        """Confirm or refuse the requisitions that are due."""
        return self.requisitions.settle_due()

    def seed(self, materials: Sequence[MaterialSeed]) -> None:
        """Fill an empty ERP; one that has materials is left alone."""
        self.master_data.seed(materials)

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
        material = self.master_data.material(parts["material"])
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
        supplier, today = self.master_data.supplier(offer.supplier_id), self.clock.today()
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
        self.master_data.material(parts["material"])
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
        data = self.master_data
        budget = data.budget(data.cost_centre(parts["cost_centre"]))
        return json_answer({**budget, "rates": data.rates(), "company_currency": data.currency})

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
        return json_answer(self.master_data.change_budget(parts["cost_centre"], read_body(request, BudgetChange)))

    def _change_supplier(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.master_data.change_supplier(parts["supplier"], read_body(request, SupplierChange))
        return json_answer({"changed": True})

    def _change_offer(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.master_data.change_offer(parts["material"], parts["supplier"], read_body(request, OfferChange))
        return json_answer({"changed": True})

    def _change_behaviour(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.master_data.change_behaviour(parts["material"], read_body(request, Behaviour))
        return json_answer({"changed": True})

    def _change_rights(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.tokens.set_write(read_body(request, RightsChange).may_write)
        return json_answer({"changed": True})

    # --- for people -------------------------------------------------------------------------------------------------

    def documents(self) -> dict[str, object]:
        """Return requisitions and budgets."""
        requisitions = self.database.rows(f"select {SHOWN} from requisitions order by id")  # noqa: S608 - own names
        return {
            "requisitions": [dict(row) for row in requisitions],
            "budgets": [self.master_data.budget(row) for row in self.master_data.cost_centres()],
        }

    def page(self) -> str:
        """Return the ERP's page."""
        data = self.master_data
        budgets = [(row["name_en"], row["name_zh"], data.budget(row)) for row in data.cost_centres()]
        return render(self, *erp_tables(self.database, budgets))


def _open_document(row: sqlite3.Row) -> dict[str, object]:
    shown = dict(row)
    shown["is_cancelled"] = bool(row["is_cancelled"])
    return shown
