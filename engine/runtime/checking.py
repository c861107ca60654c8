"""Reads and checks the files of a process before they are deployed (P9)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract.registry import OperationRegistry
from engine.model import Definition, read_definition
from engine.model.check import check
from engine.runtime.errors import DefinitionRefused


def checked(files: Mapping[str, bytes], registry: OperationRegistry) -> Definition:
    """Return the process that these files make.

    Raises
    ------
    DefinitionRefused
        With every finding, when one of them keeps the process from being deployed.
    """
    findings = check(files, registry)
    errors = [each for each in findings if each.is_error]
    if errors:
        raise DefinitionRefused(findings, problems=" ".join(str(each) for each in errors))
    return read_definition(files)
