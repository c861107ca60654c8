"""The database: tables, migrations, units of work and every named statement, a module per noun."""

from __future__ import annotations

from engine.store.counting import Counts
from engine.store.crash_points import CrashPoints, NoCrash
from engine.store.failures import (
    CommitOutcomeUnknown,
    DuplicateRow,
    SchemaOutdated,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreUnavailable,
    TextRefused,
    TooManyRows,
    UnitClosed,
    UnitFailed,
    UnitInsideUnit,
    WrongParameters,
)
from engine.store.sessions import ReadSession, WriteSession
from engine.store.statements import Change, InsertIfAbsent, Query, Statement
from engine.store.store import Store

__all__ = [
    "Change",
    "CommitOutcomeUnknown",
    "Counts",
    "CrashPoints",
    "DuplicateRow",
    "InsertIfAbsent",
    "NoCrash",
    "Query",
    "ReadSession",
    "SchemaOutdated",
    "Statement",
    "Store",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreUnavailable",
    "TextRefused",
    "TooManyRows",
    "UnitClosed",
    "UnitFailed",
    "UnitInsideUnit",
    "WriteSession",
    "WrongParameters",
]
