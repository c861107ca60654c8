"""The warehouse management system: stock, reservations, blocked lots."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from decimal import Decimal

from sandbox.data import MaterialSeed, Record
from sandbox.events import Shortage
from sandbox.http_server import Answer, Request, json_answer
from sandbox.page import Column, Table, name_cell, render
from sandbox.system import Access, Refusal, Route, System, paged, read_body


class StockChange(Record):
    """What ``POST /stock/<material>`` takes: new figures, or a receipt on top of what is there."""

    on_hand: Decimal | None = None
    reserved: Decimal | None = None
    receive: Decimal | None = None


class Wms(System):
    """The warehouse. Lots are shown as they lie; the stock's figures stand beside them."""

    name = "wms"
    title = ("Warehouse", "仓库管理系统")
    schema = (
        "create table if not exists stock (material_id text primary key, name_en text not null, name_zh text not null,"
        " unit text not null, on_hand text not null, reserved text not null, changed_at text not null)",
        "create table if not exists lots (material_id text not null, number text not null, quantity text not null,"
        " blocked_reason text, primary key (material_id, number))",
    )

    def seed(self, materials: Sequence[MaterialSeed]) -> None:
        """Fill an empty warehouse; one that has stock is left alone."""
        if self.database.row("select 1 from stock"):
            return
        with self.database.writing():
            for each in materials:
                self.database.insert(
                    "stock",
                    material_id=each.material_id,
                    name_en=each.name.en,
                    name_zh=each.name.zh,
                    unit=each.base_unit,
                    on_hand=str(each.stock.on_hand),
                    reserved=str(each.stock.reserved),
                    changed_at=self.clock.now().isoformat(),
                )
                for lot in each.all_lots():
                    self.database.insert(
                        "lots",
                        material_id=each.material_id,
                        number=lot.number,
                        quantity=str(lot.quantity),
                        blocked_reason=lot.blocked_reason,
                    )

    def routes(self) -> Sequence[Route]:
        """Return the warehouse's routes."""
        read, admin = Access.READ, Access.ADMIN
        return (
            Route(method="GET", pattern="/v1/stock/{material}", operation="read_stock", access=read, act=self._stock),
            Route(method="POST", pattern="/stock/{material}", operation="", access=admin, act=self._change),
            Route(method="POST", pattern="/report/{material}", operation="", access=admin, act=self._report),
        )

    def set_stock(self, material_id: str, change: StockChange) -> dict[str, object]:
        """Change a material's stock: what arrives becomes a lot, what is counted stands as counted.

        Raises
        ------
        Refusal
            404 for an unknown material.
        """
        with self.database.writing():
            row = self._row(material_id)
            on_hand = change.on_hand if change.on_hand is not None else Decimal(row["on_hand"])
            on_hand += change.receive or 0
            reserved = change.reserved if change.reserved is not None else Decimal(row["reserved"])
            difference = on_hand - Decimal(row["on_hand"])
            now = self.clock.now().isoformat()
            self.database.run(
                "update stock set on_hand = ?, reserved = ?, changed_at = ? where material_id = ?",
                str(on_hand),
                str(reserved),
                now,
                material_id,
            )
            if difference > 0:
                count = len(self.database.rows("select 1 from lots where material_id = ?", material_id))
                number = f"L-{material_id[4:]}-R{count + 1}"
                self.database.insert("lots", material_id=material_id, number=number, quantity=str(difference))
        return self._figures(self._row(material_id))

    def _row(self, material_id: str) -> sqlite3.Row:
        row = self.database.row("select * from stock where material_id = ?", material_id)
        if row is None:
            raise Refusal(404, "not_found", f"The warehouse does not know material {material_id}.")
        return row

    def _figures(self, row: sqlite3.Row) -> dict[str, object]:
        blocked = self.database.rows(
            "select quantity from lots where material_id = ? and blocked_reason is not null", row["material_id"]
        )
        return {
            "material_id": row["material_id"],
            "unit": row["unit"],
            "on_hand": row["on_hand"],
            "reserved": row["reserved"],
            "blocked": str(sum((Decimal(each["quantity"]) for each in blocked), Decimal(0))),
        }

    def _stock(self, request: Request, parts: Mapping[str, str]) -> Answer:
        row = self._row(parts["material"])
        lots = paged(
            self.database,
            request,
            "select number, quantity, blocked_reason from lots where material_id = ? order by number",
            parts["material"],
            show=dict,
        )
        return json_answer({**self._figures(row), "lots": lots, "as_of": self.clock.now().isoformat()})

    def _change(self, request: Request, parts: Mapping[str, str]) -> Answer:
        return json_answer(self.set_stock(parts["material"], read_body(request, StockChange)))

    def _report(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self._row(parts["material"])
        shortage = read_body(request, Shortage)
        return json_answer(self.sender.report("stock.low", parts["material"], shortage), status=202)

    def documents(self) -> dict[str, object]:
        """Return all stock."""
        return {"stock": [self._figures(row) for row in self.database.rows("select * from stock order by material_id")]}

    def page(self) -> str:
        """Return the warehouse's page."""
        stock = self.database.rows("select * from stock order by material_id")
        lots = self.database.rows("select * from lots where blocked_reason is not null order by material_id, number")
        figures = [self._figures(row) for row in stock]
        return render(
            self,
            Table(
                title=("Stock", "库存"),
                columns=(
                    Column("Material", "物料"),
                    Column("Name", "名称"),
                    Column("On hand", "在库", is_number=True),
                    Column("Reserved for others", "他用预留", is_number=True),
                    Column("Blocked", "冻结", is_number=True),
                    Column("Unit", "单位"),
                    Column("Changed", "更新时间"),
                ),
                rows=[
                    (
                        row["material_id"],
                        name_cell(row),
                        row["on_hand"],
                        row["reserved"],
                        str(figure["blocked"]),
                        row["unit"],
                        row["changed_at"][:16].replace("T", " "),
                    )
                    for row, figure in zip(stock, figures, strict=True)
                ],
                empty="No stock. Start the company on an empty folder to fill it.",
            ),
            Table(
                title=("Blocked lots", "冻结批次"),
                columns=(
                    Column("Material", "物料"),
                    Column("Lot", "批次"),
                    Column("Quantity", "数量", is_number=True),
                    Column("Reason", "原因"),
                ),
                rows=[(row["material_id"], row["number"], row["quantity"], row["blocked_reason"]) for row in lots],
                empty="No lot is blocked.",
            ),
        )
