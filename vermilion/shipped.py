"""The processes that ship with the product."""

from __future__ import annotations

from pathlib import Path

from engine.contract.ids import WorkflowType

PROCUREMENT = WorkflowType("procurement")

_PROCESSES = Path(__file__).resolve().parent.parent / "processes"


def shipped_process(key: str) -> Path:
    """Return the folder of a shipped process."""
    return _PROCESSES / key
