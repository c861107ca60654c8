"""What can go wrong with the store, in words for the person who reads it. Driver errors are wrapped once, here."""

from __future__ import annotations


class StoreError(Exception):
    """The database refused or failed. The cause is in the log."""

    def __init__(self, detail: str = "") -> None:
        reason = " ".join((type(self).__doc__ or "").split())
        super().__init__(f"{reason} ({detail})" if detail else reason)
        self.detail = detail


class StoreBusy(StoreError):
    """Somebody else is writing the same rows just now. Nothing was changed; do it again."""


class StoreUnavailable(StoreError):
    """The database cannot be reached. Nothing was changed; check that it runs and that its address is right."""


class CommitOutcomeUnknown(StoreUnavailable):
    """The connection broke while committing. Read back by owner and attempt, or by event id, before doing it again."""


class StoreFull(StoreError):
    """The database has no room left. Nothing was changed; make room, then do it again."""


class SchemaOutdated(StoreError):
    """The database's tables are missing or not those of this version. Run `vermilion serve` of
    this version: it brings them up to date."""


class DuplicateRow(StoreError):
    """There is already a row with this key."""


class UnitInsideUnit(StoreError):
    """This thread already has a unit of work open. Close it first: units are never nested."""


class UnitClosed(StoreError):
    """This unit of work is closed, or was never opened. Use it inside its with block."""


class UnitFailed(StoreError):
    """A statement of this unit of work failed before, so nothing of the unit was kept."""


class TextRefused(StoreError):
    """A text cannot be stored as it is. Nothing was changed; correct it."""


class WrongParameters(StoreError):
    """A statement was given other parameters than it names."""


class TooManyRows(StoreError):
    """A statement that gives one row at most gave several."""
