"""A system's documents as a page for people, in ink: near-black on paper, solid edges, source and age."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

from sandbox.clock import Clock
from sandbox.database import Database

#: Calls shown on a page.
_CALLS = 50

_STYLE = """
:root{--paper:#FBFAF7;--card:#FFFFFF;--ink:#1D1B19;--muted:#5D5852;--hairline:#DDD8CF;--edge:#8A8377;--focus:#1F5FBF;
color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--paper:#171614;--card:#211F1D;--ink:#EFECE6;--muted:#B4ADA2;--hairline:#3A3733;
--edge:#837C71;--focus:#7FB0F5}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",
"Noto Sans SC","PingFang SC","Microsoft YaHei",sans-serif}
header{border-bottom:1px solid var(--edge);background:var(--card);padding:12px 24px;display:flex;flex-wrap:wrap;
gap:4px 24px;align-items:baseline}
header h1{font-size:1.25rem;margin:0}header nav{display:flex;gap:16px}header .age{margin-left:auto}
main{max-width:96rem;margin:0 auto;padding:24px}
section{background:var(--card);border:1px solid var(--edge);border-radius:6px;margin:0 0 24px;overflow:hidden}
h2{font-size:1rem;margin:0;padding:12px 16px;border-bottom:1px solid var(--hairline)}
.zh,.age,.count,.note{color:var(--muted);font-weight:400;font-size:.875rem}
.scroll{overflow-x:auto}.scroll:focus-visible,a:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.875rem}
th,td{text-align:left;vertical-align:top;padding:8px 12px;border-bottom:1px solid var(--hairline)}
th{white-space:nowrap;font-weight:600}th .zh{display:block}tr:last-child td{border-bottom:0}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td{overflow-wrap:break-word;min-width:4.5rem}td.name{min-width:9rem}td:first-child{white-space:nowrap}
td .zh{display:block}a{color:inherit}
p.empty{padding:16px;margin:0;color:var(--muted)}
"""


class Shown(Protocol):
    """A system that has a page. ``neighbours`` are the addresses of the company's other systems by name."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> tuple[str, str]: ...

    @property
    def neighbours(self) -> Mapping[str, str]: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def database(self) -> Database: ...


@dataclass(frozen=True)
class Column:
    """A column with its heading in both languages."""

    en: str
    zh: str
    is_number: bool = False


@dataclass(frozen=True)
class Markup:
    """Text that is HTML already."""

    html: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """A titled table; ``empty`` says what would stand there."""

    title: tuple[str, str]
    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]
    empty: str


def name_cell(row: sqlite3.Row) -> Markup:
    """Return a name with its Chinese beside it, from the columns ``name_en`` and ``name_zh``."""
    return both(row["name_en"], row["name_zh"])


def both(en: str, zh: str) -> Markup:
    """Return a text in both languages."""
    return Markup(f'{escape(en)} <span class="zh" lang="zh-Hans">{escape(zh)}</span>')


def render(system: Shown, *tables: Table) -> str:
    """Return the page with a system's tables and its last calls."""
    calls = system.database.rows("select * from calls order by id desc limit ?", _CALLS)
    log = Table(
        title=("Last calls", "最近调用"),
        columns=(
            Column("At", "时间"),
            Column("Operation", "操作"),
            Column("Status", "状态", is_number=True),
            Column("Caller", "调用方"),
            Column("Key", "幂等键"),
            Column("Fault", "故障"),
            Column("Correlation", "关联标识"),
            Column("ms", "毫秒", is_number=True),
        ),
        rows=[
            (
                call["at"][11:23],
                call["operation"],
                "no answer" if call["status"] is None else call["status"],
                call["caller"],
                call["key"],
                call["fault"],
                call["correlation"],
                call["milliseconds"],
            )
            for call in calls
        ],
        empty="Nobody has called yet.",
    )
    en, zh = system.title
    links = " ".join(f'<a href="{escape(url)}">{escape(name.upper())}</a>' for name, url in system.neighbours.items())
    now = system.clock.now().strftime("%Y-%m-%d %H:%M:%S")
    sections = "".join(_section(table) for table in (*tables, log))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{system.name.upper()}: {escape(en)}</title><style>{_STYLE}</style></head>
<body><header><h1>{system.name.upper()} {both(en, zh).html}</h1>
<nav aria-label="Other systems of the company">{links}</nav>
<span class="age">A stand-in company, nobody in it is real. {now} UTC</span></header>
<main>{sections}</main></body></html>
"""


def _section(table: Table) -> str:
    en, zh = table.title
    heading = f"<h2>{both(en, zh).html}"
    if not table.rows:
        return f'<section>{heading}</h2><p class="empty">{escape(table.empty)}</p></section>'
    head = "".join(
        f'<th scope="col"{_number(column)}>{both(column.en, column.zh).html}</th>' for column in table.columns
    )
    body = "".join(
        "<tr>" + "".join(_cell(column, cell) for column, cell in zip(table.columns, row, strict=True)) + "</tr>"
        for row in table.rows
    )
    return (
        f'<section>{heading} <span class="count">{len(table.rows)}</span></h2>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(en)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _cell(column: Column, cell: object) -> str:
    if isinstance(cell, Markup):
        return f'<td class="name">{cell.html}</td>'
    return f"<td{_number(column)}>{'' if cell is None else escape(str(cell))}</td>"


def _number(column: Column) -> str:
    return ' class="number"' if column.is_number else ""
