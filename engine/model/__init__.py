"""Reads and checks what was drawn: BPMN, DMN, forms, ``process.yaml`` - into one typed, normalised definition."""

from __future__ import annotations

from engine.model.definition import Definition
from engine.model.findings import DefinitionRefused, Finding, Severity
from engine.model.reader import digest, read_definition, read_process, read_processes

__all__ = [
    "Definition",
    "DefinitionRefused",
    "Finding",
    "Severity",
    "digest",
    "read_definition",
    "read_process",
    "read_processes",
]
