"""Operation ``rules.accept_risk``: the one place where a risk suggestion becomes a value that decisions may read."""

from __future__ import annotations

from typing import Literal

from engine.contract.operation import Values

Level = Literal["low", "medium", "high"]


class AcceptedRisk(Values):
    """The risk that was accepted: ``level`` is the higher of ``floor`` and ``suggested``."""

    level: Level
    floor: Level
    suggested: Level
    flags: tuple[str, ...]
