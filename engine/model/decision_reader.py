"""Reads the DMN files of a process; what is wrong inside them is found by the decision room."""

from __future__ import annotations

from engine.decision.definitions import DecisionModel
from engine.model import rules
from engine.model.findings import Findings, Place
from engine.model.safe_xml import parse_xml


def read_decision_file(data: bytes, path: str, findings: Findings) -> DecisionModel | None:
    """Return the decisions of a file, or None with a finding."""
    root = parse_xml(data, path, findings)
    if root is None:
        return None
    if root.name != "definitions":
        findings.add(rules.NOT_DMN, Place(file=path, line=root.line), root=root.name)
        return None
    names = {each.get(attribute) for each in root.every("decision") for attribute in ("id", "name")}
    return DecisionModel(path=path, names=frozenset(names - {""}))
