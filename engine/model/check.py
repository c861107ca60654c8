"""The checker: what ``vermilion check``, the editor and every deployment say about a process."""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract.registry import OperationRegistry
from engine.model import rules
from engine.model.bpmn_allowed import REFUSED
from engine.model.check_bindings import BindingCheck
from engine.model.check_expressions import ExpressionCheck
from engine.model.check_flow import FlowCheck
from engine.model.check_statuses import StatusCheck
from engine.model.definition import Definition
from engine.model.findings import Finding, Findings
from engine.model.provenance import check_provenance
from engine.model.reader import Reading, read_drawing, read_leniently

#: What these rules refuse is missing in the graph, and its neighbours would be blamed for that.
_LEAVES_GAPS = frozenset(
    rule.code
    for rule in (
        *(each for name, each in REFUSED.items() if not name.endswith("EventDefinition")),
        rules.EVENT_SUB_PROCESS,
        rules.COMPENSATION,
        rules.UNKNOWN_ELEMENT,
        rules.MISSING_ID,
        rules.DUPLICATE_ID,
        rules.FLOW_END,
        rules.BOUNDARY_ON_THIS,
        rules.LINK_WITHOUT_PARTNER,
        rules.LINK_FLOW,
    )
)


def check(process: Mapping[str, bytes] | Definition, catalogue: OperationRegistry | None) -> tuple[Finding, ...]:
    """Return everything that is wrong with a process folder, errors first.

    Takes the files by their path inside the process folder, or a definition, whose files are read again. Without a
    catalogue, operations and what depends on them - writes and suggestions - are not checked. A process without error
    is fit to be deployed.
    """
    files = process.files if isinstance(process, Definition) else process
    return _checked(read_leniently(files), catalogue)


def check_drawing(files: Mapping[str, bytes], catalogue: OperationRegistry | None = None) -> tuple[Finding, ...]:
    """Return everything that is wrong with BPMN files that have no ``process.yaml``, errors first."""
    return _checked(read_drawing(files), catalogue)


def _checked(reading: Reading, catalogue: OperationRegistry | None) -> tuple[Finding, ...]:
    definition, findings, places = reading.definition, reading.findings, reading.places
    if definition is None:
        return findings.sorted()
    was_read = not findings.has_errors
    is_whole = not any(finding.is_error and finding.rule in _LEAVES_GAPS for finding in findings)
    ExpressionCheck(definition=definition, places=places, findings=findings).check()
    BindingCheck(
        definition=definition,
        places=places,
        findings=findings,
        catalogue=catalogue,
        has_settings=reading.has_settings,
    ).check()
    if is_whole:
        flow = Findings()
        FlowCheck(definition=definition, places=places, findings=flow).check()
        findings.extend(flow)
        if was_read and not flow.has_errors:
            StatusCheck(definition=definition, places=places, findings=findings, catalogue=catalogue).check()
            if catalogue is not None:
                check_provenance(definition, catalogue, places, findings)
    return findings.sorted()
