"""The shipped procurement process passes the checker, and variants of it that break a promise do not."""

from __future__ import annotations

import re

import pytest

from engine.model import Finding, check, read_definition
from engine.model.settings import ProcessSettings
from service_tasks.catalogue import build_registry
from tests.processes.shipped import files_of

FILES = files_of("procurement")
DRAWING = FILES["process.bpmn"].decode()
REGISTRY = build_registry()


def findings_of(drawing: str) -> tuple[Finding, ...]:
    return check({**FILES, "process.bpmn": drawing.encode()}, REGISTRY)


def test_the_checker_finds_nothing_at_all() -> None:
    assert [str(finding) for finding in findings_of(DRAWING)] == []


# --- statuses ----------------------------------------------------------------------------------------------------

#: PROCUREMENT, legal transitions: what the engine may do, and what an operator alone may do.
LEGAL = {
    "CREATED": ("ANALYZING", "CANCELLED"),
    "ANALYZING": ("VALIDATING", "COVERED", "FAILED", "CANCELLED"),
    "VALIDATING": ("WAITING_APPROVAL", "FAILED", "CANCELLED"),
    "WAITING_APPROVAL": ("APPROVED", "REJECTED", "CANCELLED", "ANALYZING"),
    "APPROVED": ("EXECUTING", "COVERED", "CANCELLED", "ANALYZING"),
    "EXECUTING": ("SUCCEEDED", "COMPENSATING", "FAILED", "ANALYZING"),
    "COMPENSATING": ("CANCELLED", "FAILED", "EXECUTING"),
    "FAILED": (),
    "SUCCEEDED": (),
    "REJECTED": (),
    "CANCELLED": (),
    "COVERED": (),
}


def settings() -> ProcessSettings:
    return read_definition(FILES).settings


def test_the_declared_transitions_are_those_of_the_requirement() -> None:
    declared = {status.name: status for status in settings().statuses}
    assert {name: set(status.to) for name, status in declared.items()} == {
        name: set(targets) for name, targets in LEGAL.items()
    }
    assert declared["FAILED"].operator_only == ("CANCELLED", "ANALYZING")
    assert declared["ANALYZING"].reentry == "start_version"
    assert {name for name, status in declared.items() if status.is_final} == {
        "SUCCEEDED",
        "REJECTED",
        "CANCELLED",
        "COVERED",
    }


def test_a_write_is_legal_while_executing_alone_and_a_compensation_while_compensating_alone() -> None:
    statuses = settings().statuses
    assert [status.name for status in statuses if status.allows_writes] == ["EXECUTING"]
    assert [status.name for status in statuses if status.allows_compensation] == ["COMPENSATING"]


def test_a_cancellation_ends_the_purchase_before_the_write_and_is_a_message_after_it() -> None:
    cancellation = settings().cancellation
    assert cancellation is not None
    assert cancellation.directly_in == ("CREATED", "ANALYZING", "VALIDATING", "WAITING_APPROVAL", "APPROVED")
    assert (cancellation.status, cancellation.message) == ("CANCELLED", "purchase.cancel")


@pytest.mark.parametrize("element", ["draft_requisition", "approve_by_rule", "use_approval", "create_requisition"])
def test_a_purchase_is_not_sent_back_past_its_checks(element: str) -> None:
    sent_there = FILES["process.yaml"].replace(b"reentry: start_version", f"reentry: {element}".encode())

    refused = check({**FILES, "process.yaml": sent_there}, REGISTRY)

    assert {each.rule for each in refused if each.is_error} == {"illegal-transition"}


def entering(element: str, status: str, other: str) -> str:
    """Return the drawing with one element entering another status."""
    start = DRAWING.index(f'id="{element}"')
    found = DRAWING.index(f'<vermilion:status name="{status}" />', start)
    assert found - start < 500, f"{element} does not enter {status}"
    return DRAWING[:found] + DRAWING[found:].replace(status, other, 1)


def leading(flow: str, target: str) -> str:
    """Return the drawing with one sequence flow leading elsewhere."""
    pattern = re.compile(rf'(<bpmn:sequenceFlow id="{flow}"[^>]* targetRef=")([^"]+)(")')
    found = pattern.search(DRAWING)
    assert found is not None, flow
    moved = DRAWING.replace(f"<bpmn:incoming>{flow}</bpmn:incoming>", "", 1)
    return pattern.sub(rf"\g<1>{target}\g<3>", moved, count=1)


@pytest.mark.parametrize(
    ("drawing", "element", "before", "after"),
    [
        pytest.param(
            entering("reread_facts", "APPROVED", "SUCCEEDED"),
            "reread_facts",
            "WAITING_APPROVAL",
            "SUCCEEDED",
            id="an approval taken for the purchase",
        ),
        pytest.param(
            leading("flow_is_finance_needed_merge_signed", "tell_planner"),
            "tell_planner",
            "WAITING_APPROVAL",
            "SUCCEEDED",
            id="success without a write",
        ),
        pytest.param(
            leading("flow_read_budget_merge_check", "use_approval"),
            "use_approval",
            "VALIDATING",
            "EXECUTING",
            id="a write without an approval",
        ),
        pytest.param(
            entering("approve_by_rule", "WAITING_APPROVAL", "APPROVED"),
            "approve_by_rule",
            "VALIDATING",
            "APPROVED",
            id="an approval by rule that waited for nobody",
        ),
        pytest.param(
            entering("end_covered_later", "COVERED", "REJECTED"),
            "end_covered_later",
            "APPROVED",
            "REJECTED",
            id="an approved purchase rejected",
        ),
        pytest.param(
            leading("flow_start_version_merge_facts", "who_signs"),
            "approve_purchase",
            "APPROVED",
            "WAITING_APPROVAL",
            id="changed facts approved without being checked",
        ),
        pytest.param(
            entering("decide_past_undoing", "EXECUTING", "SUCCEEDED"),
            "decide_past_undoing",
            "COMPENSATING",
            "SUCCEEDED",
            id="a failed compensation taken for success",
        ),
        pytest.param(
            leading("flow_is_corrected_tell_given_up", "end_given_up"),
            "end_given_up",
            "EXECUTING",
            "CANCELLED",
            id="an execution cancelled without a compensation",
        ),
        pytest.param(
            leading("flow_does_it_stand_merge_success", "merge_approved"),
            "reread_facts",
            "EXECUTING",
            "APPROVED",
            id="a written requisition approved again",
        ),
        pytest.param(
            entering("end_given_up", "CANCELLED", "REJECTED"),
            "end_given_up",
            "VALIDATING",
            "REJECTED",
            id="rejected by nobody",
        ),
        pytest.param(
            entering("read_facts", "ANALYZING", "FAILED"),
            "read_facts",
            "CREATED",
            "FAILED",
            id="failed before it began",
        ),
        pytest.param(
            entering("tell_planner", "SUCCEEDED", "COVERED"),
            "tell_planner",
            "EXECUTING",
            "COVERED",
            id="a written requisition called covered",
        ),
    ],
)
def test_a_path_that_takes_an_illegal_transition_is_refused(
    drawing: str, element: str, before: str, after: str
) -> None:
    findings = findings_of(drawing)
    assert [
        finding
        for finding in findings
        if finding.is_error and finding.element_id == element and f"from {before} to {after}" in finding.reason
    ], [str(each) for each in findings]


# --- suggestions, writes, keys -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "element"),
    [
        ('choice.outcome = "chosen"', 'risk_suggestion.level = "low"', "is_chosen"),
        (
            ">draft.requisition.quantity</vermilion:input>",
            ">risk_suggestion.score</vermilion:input>",
            "create_requisition",
        ),
        (">accepted_risk</vermilion:input>", ">risk_suggestion</vermilion:input>", "is_in_order"),
    ],
)
def test_a_suggestion_reaches_no_gateway_no_decision_and_no_write(before: str, after: str, element: str) -> None:
    assert before in DRAWING
    errors = [finding for finding in findings_of(DRAWING.replace(before, after, 1)) if finding.is_error]
    assert element in {finding.element_id for finding in errors}, [str(each) for each in errors]


@pytest.mark.parametrize(
    ("element", "status", "other", "write"),
    [
        ("use_approval", "EXECUTING", "COMPENSATING", "create_requisition"),
        ("cancel_requisition", "COMPENSATING", "EXECUTING", "cancel_requisition"),
    ],
)
def test_a_write_outside_its_status_is_refused(element: str, status: str, other: str, write: str) -> None:
    errors = [finding for finding in findings_of(entering(element, status, other)) if finding.is_error]
    assert {finding.element_id for finding in errors} & {element, write}


def test_the_write_has_one_key_per_version_of_the_intent() -> None:
    node = read_definition(FILES).node("create_requisition")
    assert node.operation is not None
    assert node.operation.intent is not None
    assert node.operation.intent.text == "intent"
