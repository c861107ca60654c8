"""``vermilion check``: everything that is wrong with a process, at once."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from engine.contract.registry import OperationRegistry
from engine.model import Finding, check, check_drawing
from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import REFUSED, Mistake, print_json, say
from vermilion.installation import read_folder
from vermilion.own_operations import registry_of


@click.command("check")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON document.")
@with_shared
def check_command(shared: Shared, path: Path, as_json: bool) -> None:
    """Check a process folder, or a single BPMN file, without deploying it.

    Exit code 0: it would deploy. 1: it would be refused.
    """
    findings = _findings(path, registry_of(shared.settings()))
    errors = sum(each.is_error for each in findings)
    if as_json:
        print_json({"path": str(path), "errors": errors, "findings": [asdict(each) for each in findings]})
    else:
        for each in findings:
            _say_finding(each)
        warnings = len(findings) - errors
        say(f"{path}: {errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}.")
    if errors:
        sys.exit(REFUSED)


def _findings(path: Path, registry: OperationRegistry) -> tuple[Finding, ...]:
    if path.is_dir():
        return check(read_folder(path), registry)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {error.strerror}.") from error
    return check_drawing({path.name: content}, registry)


def _say_finding(finding: Finding) -> None:
    place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
    element = " ".join(
        part for part in (finding.element_id, f'"{finding.element_name}"' if finding.element_name else "") if part
    )
    say(f"{finding.severity.upper()}  {place}  {element}  [{finding.rule}]")
    say(f"    {finding.reason}")
    say(f"    {finding.remedy}")
