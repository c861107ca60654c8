"""How fast and how often at once a system may be called, over all workers (W12).

The rate is one instant per system, the earliest next call, moved on by each call (the generic cell rate algorithm:
a token bucket without a token count). Calls at the same time are counted as living leases while the row is held.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, case, select, update

from engine.store.clock import now_for_row
from engine.store.columns import Duration
from engine.store.statements import Change, InsertIfAbsent, Query, same
from engine.store.tables import system_limit

_NOW = now_for_row()

INSERT_IF_ABSENT = InsertIfAbsent(
    "system_limit.insert_if_absent", "A system has a limit from now on. Columns: system, free_at.", system_limit
)
HOLD = Change(
    "system_limit.hold",
    "Let nobody else take from a system's limits until this unit of work ends. Parameter: system.",
    update(system_limit).where(*same(system_limit, "system")).values({system_limit.c.free_at: system_limit.c.free_at}),
)
TAKE = Change(
    "system_limit.take",
    "Take the right to call a system now; 0 rows: too soon, see FREE_AT. Parameters: system, interval (between calls),"
    " burst (how far ahead of it calls may run).",
    update(system_limit)
    .where(*same(system_limit, "system"), system_limit.c.free_at <= _NOW + bindparam("burst", type_=Duration))
    .values(
        {
            system_limit.c.free_at: case((system_limit.c.free_at < _NOW, _NOW), else_=system_limit.c.free_at)
            + bindparam("interval", type_=Duration)
        }
    ),
)
PAUSE = Change(
    "system_limit.pause",
    "Nobody calls a system for a while, because it asked so. Parameters: system, pause.",
    update(system_limit)
    .where(*same(system_limit, "system"), system_limit.c.free_at < _NOW + bindparam("pause", type_=Duration))
    .values({system_limit.c.free_at: _NOW + bindparam("pause", type_=Duration)}),
)
FREE_AT = Query(
    "system_limit.free_at",
    "When a system may be called again at its steady rate. Parameter: system.",
    select(system_limit.c.free_at).where(*same(system_limit, "system")),
    datetime,
    tells_time=True,
)
