"""Incidents and their repair; what was received is never lost (P15)."""

from __future__ import annotations

import pytest

from engine.contract.ids import WorkflowId
from engine.runtime import errors
from engine.runtime.commands import ExecutionState, Failed, Parked, RepairRequest
from tests.runtime.company import Company, force_status

LOOK_THERE = Parked(error_code="outcome_unknown", message="look there", is_unknown=True)


def repair(
    company: Company,
    workflow_id: str,
    *,
    incident_id: str | None = None,
    resolution: str | None = None,
    document: str | None = None,
    status: str | None = None,
) -> ExecutionState:
    """Repair an instance."""
    request = RepairRequest(
        workflow_id=WorkflowId(workflow_id),
        incident_id=incident_id,
        resolution=resolution,
        document=document,
        status=status,
        reason="as agreed",
    )
    return company.runtime.repair(company.operator, request).execution_state


def test_a_message_whose_advance_fails_is_kept_and_applied_again(everywhere: Company) -> None:
    answer = everywhere.to_write()
    everywhere.record(everywhere.work(), everywhere.done(number="PO-5"))
    force_status(everywhere, answer.workflow_id, "COMPENSATING")

    everywhere.receive("c1", "order.confirmed", number="PO-5")

    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert (view.business_status, view.execution_state) == ("COMPENSATING", "incident")
    assert [(each.code, each.can_be_applied_again) for each in view.incidents] == [("illegal_transition", True)]
    with pytest.raises(errors.CannotRepair, match="fails again"):
        repair(everywhere, answer.workflow_id)

    force_status(everywhere, answer.workflow_id, "EXECUTING")
    assert repair(everywhere, answer.workflow_id) is ExecutionState.FINISHED
    assert everywhere.status(answer.workflow_id) == ("SUCCEEDED", "finished")


def test_a_decision_whose_advance_fails_is_kept_with_its_approval(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    task_id = everywhere.task_of(answer.workflow_id)
    request = everywhere.decision(task_id, approved=True)
    everywhere.forget_operation("test.create@1")

    decided = everywhere.runtime.decide(everywhere.manager, request)

    assert decided.instance.execution_state is ExecutionState.INCIDENT
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert [each.approval_id for each in view.decisions] == [decided.approval_id]
    assert [each.kind for each in view.waits] == ["timer"]


def test_a_result_whose_advance_fails_is_kept_and_applied_again(everywhere: Company) -> None:
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    claimed = everywhere.work()
    force_status(everywhere, answer.workflow_id, "EXECUTING")

    assert not everywhere.record(claimed, everywhere.done(value="6")).is_late

    assert everywhere.status(answer.workflow_id) == ("EXECUTING", "incident")
    assert everywhere.claim() is None
    force_status(everywhere, answer.workflow_id, "ANALYZING")
    repair(everywhere, answer.workflow_id)
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert (view.business_status, view.execution_state) == ("WAITING_APPROVAL", "waiting")
    assert view.variables["stock"] == {"value": 6}


def test_a_parked_job_is_retried(everywhere: Company) -> None:
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    everywhere.record(everywhere.work(), Failed(error_code="not_found", message="no such material"))

    with pytest.raises(errors.CannotRepair, match="may not follow"):
        repair(everywhere, answer.workflow_id, status="SUCCEEDED")
    repair(everywhere, answer.workflow_id, status="ANALYZING")
    assert repair(everywhere, answer.workflow_id) is ExecutionState.WAITING
    everywhere.record(everywhere.work(), everywhere.done(value="6"))

    assert everywhere.status(answer.workflow_id) == ("WAITING_APPROVAL", "waiting")


def test_an_operator_ends_a_failed_instance(everywhere: Company) -> None:
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    everywhere.record(everywhere.work(), Failed(error_code="not_found", message="no such material"))

    assert repair(everywhere, answer.workflow_id, status="CANCELLED") is ExecutionState.FINISHED

    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert view.business_status == "CANCELLED"
    assert view.waits == ()
    assert [each.closed_at is not None for each in view.incidents] == [True]


def test_no_status_is_changed_by_hand_while_a_document_is_not_settled(company: Company) -> None:
    answer = company.to_write()
    company.record(company.work(), LOOK_THERE)
    force_status(company, answer.workflow_id, "FAILED")

    with pytest.raises(errors.CannotRepair, match=r"settle first: test\.create@1"):
        repair(company, answer.workflow_id, status="CANCELLED")

    force_status(company, answer.workflow_id, "EXECUTING")
    repair(company, answer.workflow_id, resolution="absent")
    force_status(company, answer.workflow_id, "FAILED")
    assert repair(company, answer.workflow_id, status="CANCELLED") is ExecutionState.FINISHED


def test_an_unknown_outcome_that_was_found_is_the_result(everywhere: Company) -> None:
    answer = everywhere.to_write()
    everywhere.record(everywhere.work(), LOOK_THERE)

    with pytest.raises(errors.CannotRepair, match="does not fit"):
        repair(everywhere, answer.workflow_id, resolution="found", document="{}")
    state = repair(everywhere, answer.workflow_id, resolution="found", document='{"number": "PO-5"}')

    assert state is ExecutionState.WAITING
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert [each.state for each in view.documents] == ["done"]
    assert view.variables["order"] == {"number": "PO-5"}
    assert everywhere.claim() is None


def test_an_unknown_outcome_that_is_absent_is_sent_again_with_the_same_key(everywhere: Company) -> None:
    answer = everywhere.to_write()
    first = everywhere.work()
    everywhere.record(first, LOOK_THERE)

    repair(everywhere, answer.workflow_id, resolution="absent")

    again = everywhere.work()
    assert (again.must_look_up, again.idempotency_key) == (False, first.idempotency_key)
    assert again.attempt > first.attempt


def test_an_unknown_outcome_that_is_only_retried_is_looked_up(company: Company) -> None:
    answer = company.to_write()
    company.record(company.work(), LOOK_THERE)

    repair(company, answer.workflow_id)

    assert company.work().must_look_up


def test_a_repair_needs_a_reason_and_the_right_incident(company: Company) -> None:
    answer = company.to_write()

    with pytest.raises(errors.CannotRepair, match="0 open incidents"):
        repair(company, answer.workflow_id)
    with pytest.raises(errors.CannotRepair, match="say why"):
        company.runtime.repair(company.operator, RepairRequest(workflow_id=answer.workflow_id, reason=" "))
    with pytest.raises(errors.CannotRepair, match="is not open"):
        repair(company, answer.workflow_id, incident_id="0" * 32)
