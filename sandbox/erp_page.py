"""What the ERP's page shows: requisitions first, then events, budgets and open purchases."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sandbox.data import MaterialSeed
from sandbox.database import Database
from sandbox.page import Column, Markup, Table, both

_STATUS = {
    "accepted": "已受理",
    "confirmed": "已确认",
    "refused": "已拒绝",
    "cancelled": "已取消",
    "ordered": "已下单",
}
#: Requisitions and events shown on the page.
_SHOWN = 200


def erp_tables(database: Database, budgets: Sequence[tuple[str, str, Mapping[str, object]]]) -> list[Table]:
    """Return the tables of the ERP's page, newest documents first."""
    names = _names(database)
    return [_requisitions(database, names), _events(database), _budgets(budgets), _purchases(database, names)]


def _names(database: Database) -> dict[str, Markup]:
    materials = (MaterialSeed.model_validate_json(row["body"]) for row in database.rows("select body from materials"))
    return {each.material_id: both(each.name.en, each.name.zh) for each in materials}


def _requisitions(database: Database, names: Mapping[str, Markup]) -> Table:
    rows = database.rows("select * from requisitions order by id desc limit ?", _SHOWN)
    return Table(
        title=("Purchase requisitions", "采购申请"),
        columns=(
            Column("Number", "单号"),
            Column("Status", "状态"),
            Column("Material", "物料"),
            Column("Name", "名称"),
            Column("Supplier", "供应商"),
            Column("Quantity", "数量", is_number=True),
            Column("Amount", "金额", is_number=True),
            Column("Reference", "参考号"),
            Column("Key", "幂等键"),
            Column("Created", "创建时间"),
            Column("By", "创建者"),
            Column("Reason", "原因"),
        ),
        rows=[
            (
                row["number"],
                both(row["status"], _STATUS[row["status"]]),
                row["material_id"],
                names[row["material_id"]],
                row["supplier_id"],
                f"{row['quantity']} {row['unit']}",
                f"{row['amount']} {row['currency']}",
                row["reference"],
                row["key"] or "none kept",
                row["created_at"][:19].replace("T", " "),
                row["created_by"],
                row["reason"],
            )
            for row in rows
        ],
        empty="No requisition yet. One appears here when a purchase is approved and written.",
    )


def _events(database: Database) -> Table:
    rows = database.rows("select * from events order by rowid desc limit ?", _SHOWN)
    return Table(
        title=("Events sent", "已发事件"),
        columns=(
            Column("At", "时间"),
            Column("Type", "类型"),
            Column("Subject", "对象"),
            Column("State", "状态"),
            Column("Attempts", "尝试次数", is_number=True),
            Column("Last answer", "最近应答"),
        ),
        rows=[
            (
                json.loads(row["body"])["time"][:19].replace("T", " "),
                row["type"],
                row["subject"],
                row["state"],
                row["attempts"],
                row["last_answer"],
            )
            for row in rows
        ],
        empty="No event yet. One is sent when a requisition is confirmed or refused.",
    )


def _budgets(budgets: Sequence[tuple[str, str, Mapping[str, object]]]) -> Table:
    return Table(
        title=("Budgets", "预算"),
        columns=(
            Column("Cost centre", "成本中心"),
            Column("Name", "名称"),
            Column("Total", "总额", is_number=True),
            Column("Committed", "已占用", is_number=True),
            Column("Left", "剩余", is_number=True),
            Column("Currency", "币种"),
        ),
        rows=[
            (each["cost_centre"], both(en, zh), each["total"], each["committed"], each["left"], each["currency"])
            for en, zh, each in budgets
        ],
        empty="No cost centre.",
    )


def _purchases(database: Database, names: Mapping[str, Markup]) -> Table:
    rows = database.rows("select * from purchase_lines order by due, number")
    return Table(
        title=("Open purchases", "未清采购订单"),
        columns=(
            Column("Due", "到货日期"),
            Column("Number", "单号"),
            Column("Material", "物料"),
            Column("Name", "名称"),
            Column("Supplier", "供应商"),
            Column("Ordered", "订购", is_number=True),
            Column("Received", "已收", is_number=True),
            Column("Cancelled", "取消"),
        ),
        rows=[
            (
                row["due"],
                row["number"],
                row["material_id"],
                names[row["material_id"]],
                row["supplier_id"],
                row["ordered"],
                row["received"],
                "cancelled" if row["is_cancelled"] else "",
            )
            for row in rows
        ],
        empty="Nothing is on order.",
    )
