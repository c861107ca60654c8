"""Reads and checks what was drawn: BPMN, DMN, forms, ``process.yaml`` - into one typed, normalised definition."""

from __future__ import annotations

from engine.model.calendar import add_time, add_working_time
from engine.model.check import check, check_drawing
from engine.model.definition import Definition
from engine.model.findings import DefinitionRefused, Finding, Severity
from engine.model.forms import Form, validate_values
from engine.model.pins import apply_pins, pin, pinned_references
from engine.model.reader import digest, is_part, read_definition, read_process, read_processes
from engine.model.statuses import is_legal, may_write

__all__ = [
    "Definition",
    "DefinitionRefused",
    "Finding",
    "Form",
    "Severity",
    "add_time",
    "add_working_time",
    "apply_pins",
    "check",
    "check_drawing",
    "digest",
    "is_legal",
    "is_part",
    "may_write",
    "pin",
    "pinned_references",
    "read_definition",
    "read_process",
    "read_processes",
    "validate_values",
]
