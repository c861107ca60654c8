"""Reads the DMN files of a process; what is wrong inside them is found by the decision room."""

from __future__ import annotations

from engine.decision import DecisionModel, DecisionRefused, examine_decisions
from engine.model import rules
from engine.model.findings import Findings, Place


def read_decision_file(data: bytes, path: str, findings: Findings) -> DecisionModel | None:
    """Return the decisions of a file, or None with a finding."""
    try:
        model = examine_decisions(data, path=path)
    except DecisionRefused as refusal:
        _add(refusal, path, findings)
        return None
    for fault in model.faults:
        _add(fault, path, findings)
    return model


def _add(refusal: DecisionRefused, path: str, findings: Findings) -> None:
    place = Place(file=path, element_id=refusal.element_id)
    findings.add(rules.BAD_DECISION, place, detail=refusal.reason, remedy=refusal.remedy)
