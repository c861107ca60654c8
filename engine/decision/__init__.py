"""DMN decisions: tables and expressions in FEEL, each result with its explanation (DMN 1.5)."""

from __future__ import annotations

from engine.decision.definitions import DecisionModel, DecisionResult
from engine.decision.errors import DecisionError, DecisionFailed, DecisionRefused, UnknownDecision
from engine.decision.reader import examine_decisions, read_decisions

__all__ = [
    "DecisionError",
    "DecisionFailed",
    "DecisionModel",
    "DecisionRefused",
    "DecisionResult",
    "UnknownDecision",
    "examine_decisions",
    "read_decisions",
]
