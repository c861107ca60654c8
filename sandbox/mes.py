"""The manufacturing execution system: work orders and the components they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal

from sandbox.data import MaterialSeed, Record
from sandbox.events import Shortage
from sandbox.http_server import Answer, Request, json_answer
from sandbox.page import Column, Table, name_cell, render
from sandbox.system import Access, Refusal, Route, System, paged, read_body


class DemandChange(Record):
    """What ``POST /demand/<work order>/<material>`` takes."""

    required: Decimal | None = None
    issued: Decimal | None = None
    required_at: date | None = None


class Mes(System):
    """Production: each work order needs components on a day."""

    name = "mes"
    title = ("Production", "生产执行系统")
    schema = (
        "create table if not exists materials (material_id text primary key, name_en text not null,"
        " name_zh text not null, unit text not null)",
        "create table if not exists components (work_order text not null, material_id text not null,"
        " product text not null, required_at text not null, required text not null, issued text not null,"
        " scrap_percent text not null, primary key (work_order, material_id))",
        "create index if not exists components_by_material on components (material_id, required_at)",
    )

    def seed(self, materials: Sequence[MaterialSeed]) -> None:
        """Plan the first work orders; a plan that exists is left alone."""
        if self.database.row("select 1 from materials"):
            return
        with self.database.writing():
            for each in materials:
                self.database.insert(
                    "materials",
                    material_id=each.material_id,
                    name_en=each.name.en,
                    name_zh=each.name.zh,
                    unit=each.base_unit,
                )
                for need in each.all_demand():
                    self.database.insert(
                        "components",
                        work_order=need.work_order,
                        material_id=each.material_id,
                        product=need.product,
                        required_at=(self.clock.today() + timedelta(days=need.day)).isoformat(),
                        required=str(need.required),
                        issued=str(need.issued),
                        scrap_percent=str(need.scrap_percent),
                    )

    def routes(self) -> Sequence[Route]:
        """Return production's routes."""
        read, admin = Access.READ, Access.ADMIN
        change = "/demand/{work_order}/{material}"
        return (
            Route(
                method="GET", pattern="/v1/demand/{material}", operation="read_demand", access=read, act=self._demand
            ),
            Route(method="POST", pattern=change, operation="", access=admin, act=self._change),
            Route(method="POST", pattern="/report/{material}", operation="", access=admin, act=self._report),
        )

    def _demand(self, request: Request, parts: Mapping[str, str]) -> Answer:
        material = self._unit(parts["material"])
        days = request.parameters.get("horizon_days", "36500")
        if not days.isdigit() or int(days) > 36500:
            raise Refusal(400, "bad_parameters", f"horizon_days is a whole number of days, not {days!r}.")
        until = self.clock.today() + timedelta(days=int(days))
        lines = paged(
            self.database,
            request,
            "select work_order, product, required_at, required, issued, scrap_percent from components"
            " where material_id = ? and required_at <= ? order by required_at, work_order",
            parts["material"],
            until.isoformat(),
            show=dict,
        )
        return json_answer(
            {
                "material_id": parts["material"],
                "unit": material,
                "lines": lines,
                "as_of": self.clock.now().isoformat(),
            }
        )

    def _unit(self, material_id: str) -> str:
        row = self.database.row("select unit from materials where material_id = ?", material_id)
        if row is None:
            raise Refusal(404, "not_found", f"Production does not know material {material_id}.")
        return row["unit"]

    def change_demand(self, work_order: str, material_id: str, change: DemandChange) -> None:
        """Change what a work order needs; what is None stays.

        Raises
        ------
        Refusal
            404 when the work order does not need this material.
        """
        new = {name: None if value is None else str(value) for name, value in change.model_dump().items()}
        changed = self.database.run(
            "update components set required = coalesce(?, required), issued = coalesce(?, issued),"
            " required_at = coalesce(?, required_at) where work_order = ? and material_id = ?",
            new["required"],
            new["issued"],
            new["required_at"],
            work_order,
            material_id,
        )
        if not changed:
            raise Refusal(404, "not_found", f"Work order {work_order} does not need {material_id}.")

    def _change(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self.change_demand(parts["work_order"], parts["material"], read_body(request, DemandChange))
        return json_answer({"changed": True})

    def _report(self, request: Request, parts: Mapping[str, str]) -> Answer:
        self._unit(parts["material"])
        shortage = read_body(request, Shortage)
        return json_answer(self.sender.report("material.shortage", parts["material"], shortage), status=202)

    def documents(self) -> dict[str, object]:
        """Return all components of all work orders."""
        rows = self.database.rows("select * from components order by required_at, work_order, material_id")
        return {"components": [dict(row) for row in rows]}

    def page(self) -> str:
        """Return production's page."""
        rows = self.database.rows(
            "select * from components join materials using (material_id) order by required_at, work_order, material_id"
        )
        return render(
            self,
            Table(
                title=("Components of work orders", "工单用料"),
                columns=(
                    Column("Needed on", "需求日期"),
                    Column("Work order", "工单"),
                    Column("Product", "产品"),
                    Column("Material", "物料"),
                    Column("Name", "名称"),
                    Column("Required", "需求", is_number=True),
                    Column("Issued", "已发料", is_number=True),
                    Column("Scrap %", "损耗率", is_number=True),
                    Column("Unit", "单位"),
                ),
                rows=[
                    (
                        row["required_at"],
                        row["work_order"],
                        row["product"],
                        row["material_id"],
                        name_cell(row),
                        row["required"],
                        row["issued"],
                        row["scrap_percent"],
                        row["unit"],
                    )
                    for row in rows
                ],
                empty="Nothing is planned.",
            ),
        )
