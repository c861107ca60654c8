"""Jobs: claims, outcomes, late results, unknown outcomes, statuses that forbid a write."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.contract.ids import JobId
from engine.identity.permissions import PermissionDenied
from engine.interpreter import Interpreter, Limits
from engine.runtime.commands import (
    Deferred,
    ExecutionState,
    Failed,
    JobKind,
    ModelCallRecord,
    Parked,
    Retried,
    Succeeded,
)
from engine.runtime.limits import LOST_LIMIT
from engine.store import Store
from engine.store.attempts import OF_JOB
from engine.store.model_calls import OF_INSTANCE
from tests.interpreter.playing import PlainScripts
from tests.runtime.company import LEASE, TENANT, Company, force_status
from tests.runtime.files import HUMAN


def outcomes(company: Company, workflow_id: str, job_id: str) -> list[tuple[str, str | None]]:
    """Return purpose and outcome of a job's attempts."""
    with company.store.reading() as session:
        rows = session.all(OF_JOB, {"tenant_id": TENANT, "workflow_id": workflow_id, "job_id": job_id, "limit": 50})
    return [(row.purpose, row.outcome) for row in rows]


def test_a_claimed_job_carries_its_ids_and_arguments(company: Company) -> None:
    answer = company.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]

    claimed = company.work()

    assert claimed.kind is JobKind.OPERATION
    assert claimed.operation == "test.add@1"
    assert claimed.arguments == '{"value":"5"}'
    assert claimed.correlation.workflow_id == answer.workflow_id
    assert claimed.correlation.business_key == "R1"
    assert claimed.correlation.event_id == "e1"
    assert claimed.idempotency_key == f"main:{answer.workflow_id}:read:0:v1"
    assert (claimed.attempt, claimed.must_look_up) == (1, False)


def test_an_approval_travels_on_to_the_write(company: Company) -> None:
    company.to_write()

    claimed = company.work()

    assert claimed.operation == "test.create@1"
    assert claimed.correlation.approval_id is not None


def test_working_needs_the_permission(company: Company) -> None:
    with pytest.raises(PermissionDenied):
        company.runtime.claim(company.manager, "w1", JobId("0" * 32), LEASE)


def test_a_write_has_its_intent_in_the_rows_before_it_is_sent(everywhere: Company) -> None:
    answer = everywhere.to_write()

    claimed = everywhere.work()

    assert outcomes(everywhere, answer.workflow_id, claimed.job_id) == [("call", None)]
    (document,) = everywhere.runtime.instance(everywhere.operator, answer.workflow_id).documents
    assert (document.state, document.idempotency_key) == ("sent", claimed.idempotency_key)


def test_a_result_finishes_job_step_and_document_at_once(everywhere: Company) -> None:
    answer = everywhere.to_write()
    claimed = everywhere.work()

    assert not everywhere.record(claimed, everywhere.done(number="PO-5")).is_late

    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert outcomes(everywhere, answer.workflow_id, claimed.job_id) == [("call", "done")]
    assert [(each.state, each.result) for each in view.documents] == [("done", {"number": "PO-5"})]
    assert [each.kind for each in view.waits] == ["message", "message"]
    assert next(each for each in view.steps if each.step_key == "create").status == "succeeded"
    assert view.variables["order"] == {"number": "PO-5"}


def test_a_late_result_is_journalled_and_changes_nothing(everywhere: Company) -> None:
    answer = everywhere.to_write()
    first = everywhere.work("w1")
    everywhere.store.move_clock(LEASE * 2)
    everywhere.runtime.sweep(everywhere.worker)
    second = everywhere.work("w2")

    late = everywhere.record(first, everywhere.done(number="PO-late"))

    assert late.is_late
    assert (second.attempt, second.must_look_up) == (2, True)
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert [each.event for each in view.timeline].count("late_result") == 1
    assert "order" not in view.variables
    assert outcomes(everywhere, answer.workflow_id, first.job_id) == [("call", "late"), ("call", None)]
    assert not everywhere.record(second, everywhere.done(number="PO-5")).is_late
    assert everywhere.record(second, everywhere.done(number="PO-6")).is_late


def test_a_lease_that_ran_out_is_swept_to_ready_and_looked_up(everywhere: Company) -> None:
    answer = everywhere.to_write()
    everywhere.work("w1")
    everywhere.store.move_clock(LEASE * 2)

    swept = everywhere.runtime.sweep(everywhere.worker)

    assert (swept.count, swept.failed) == (1, 0)
    step = everywhere.runtime.instance(everywhere.operator, answer.workflow_id).steps[-1]
    assert (step.step_key, step.status) == ("create", "unknown")
    assert everywhere.work("w2").must_look_up


def test_a_heartbeat_keeps_the_lease(company: Company) -> None:
    company.to_write()
    claimed = company.work("w1")
    company.store.move_clock(LEASE / 2)

    assert company.runtime.heartbeat(company.worker, claimed, LEASE)

    company.store.move_clock(LEASE * 0.75)
    assert company.claim("w2") is None
    company.store.move_clock(LEASE)
    assert company.runtime.sweep(company.worker).count == 1
    assert not company.runtime.heartbeat(company.worker, claimed, LEASE)


def test_a_job_that_keeps_losing_its_workers_is_parked(everywhere: Company) -> None:
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    for _ in range(LOST_LIMIT):
        everywhere.work()
        everywhere.store.move_clock(LEASE * 2)
        everywhere.runtime.sweep(everywhere.worker)

    assert everywhere.claim() is None
    assert everywhere.status(answer.workflow_id) == ("ANALYZING", "incident")
    (incident,) = everywhere.runtime.instance(everywhere.operator, answer.workflow_id).incidents
    assert incident.code == "worker_lost"


def test_a_retry_waits_for_its_pause(everywhere: Company) -> None:
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    claimed = everywhere.work()
    retried = Retried(pause=timedelta(minutes=1), error_code="temporary", message="no route", is_unknown=False)

    everywhere.record(claimed, retried)

    assert everywhere.claim() is None
    (step,) = everywhere.runtime.instance(everywhere.operator, answer.workflow_id).steps
    assert (step.status, step.error_code, step.failure_count) == ("retry_wait", "temporary", 1)
    everywhere.store.move_clock(timedelta(minutes=2))
    again = everywhere.work()
    assert (again.attempt, again.failure_count, again.must_look_up) == (2, 1, False)
    assert again.idempotency_key == claimed.idempotency_key


def test_an_unknown_outcome_is_looked_up_next_time(everywhere: Company) -> None:
    answer = everywhere.to_write()
    claimed = everywhere.work()
    unknown = Retried(pause=timedelta(0), error_code="outcome_unknown", message="cut", is_unknown=True)

    everywhere.record(claimed, unknown)

    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert [each.state for each in view.documents] == ["unknown"]
    assert view.steps[-1].status == "unknown"
    again = everywhere.work()
    assert again.must_look_up
    everywhere.record(again, everywhere.done(number="PO-5"))
    assert outcomes(everywhere, answer.workflow_id, claimed.job_id) == [("call", "unknown"), ("call", "done")]


def test_a_limit_of_the_system_counts_no_failure(company: Company) -> None:
    answer = company.to_write()
    claimed = company.work()

    company.record(claimed, Deferred(pause=timedelta(0)))

    again = company.work()
    assert (again.failure_count, again.must_look_up) == (0, False)
    assert outcomes(company, answer.workflow_id, claimed.job_id)[0] == ("call", "not_sent")


def test_a_failure_that_nothing_catches_parks_the_job_and_enters_the_failure_status(everywhere: Company) -> None:
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]

    everywhere.record(everywhere.work(), Failed(error_code="not_found", message="no such material"))

    assert everywhere.status(answer.workflow_id) == ("FAILED", "incident")
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert [(each.code, each.step_key) for each in view.incidents] == [("not_found", "read")]
    assert [each.detail["status"] for each in view.waits] == ["parked"]


def test_a_parked_unknown_is_an_incident_of_the_operators(company: Company) -> None:
    answer = company.to_write()

    company.record(company.work(), Parked(error_code="outcome_unknown", message="look there", is_unknown=True))

    assert company.status(answer.workflow_id) == ("EXECUTING", "incident")
    (incident,) = company.runtime.queue(company.operator).incidents
    assert (incident.role, incident.code) == ("operator", "outcome_unknown")


def test_a_write_that_the_status_does_not_allow_is_parked(everywhere: Company) -> None:
    answer = everywhere.to_write()
    force_status(everywhere, answer.workflow_id, "WAITING_APPROVAL")

    assert everywhere.claim() is None

    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert [each.code for each in view.incidents] == ["write_not_allowed"]
    assert view.documents == ()


def test_the_next_job_is_claimed_in_the_commit_that_opens_it(everywhere: Company) -> None:
    everywhere.start("jobs7", ref="R1", total={"value": 0})
    claimed = everywhere.work()

    with everywhere.store.counting() as counted:
        recorded = everywhere.record(claimed, everywhere.done(value="1"), claim_next=True)

    assert counted.commits == 1
    following = recorded.next_job
    assert following is not None
    assert (following.correlation.step_key, following.attempt, following.arguments) == ("t2", 1, '{"value":"1"}')
    assert everywhere.claim("w2") is None
    assert not everywhere.record(following, everywhere.done(value="2")).is_late


def test_requests_to_models_are_recorded_with_their_texts(company: Company) -> None:
    answer = company.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    asked = ModelCallRecord(
        provider="rules",
        model="rules-v1",
        status="ok",
        request=b"{}",
        response=b"{}",
        prompt_tokens=3,
        completion_tokens=4,
        cost_micros=None,
    )

    company.runtime.record(company.worker, company.work(), company.done(value="6"), model_calls=(asked,))

    with company.store.reading() as session:
        (row,) = session.all(OF_INSTANCE, {"tenant_id": TENANT, "workflow_id": answer.workflow_id, "limit": 9})
    assert (row.model, row.prompt_tokens, row.completion_tokens) == ("rules-v1", 3, 4)


def test_a_second_send_has_an_intent_of_its_own(company: Company) -> None:
    answer = company.to_write()
    claimed = company.work()

    assert company.runtime.intend(company.worker, claimed)

    assert outcomes(company, answer.workflow_id, claimed.job_id) == [("call", None), ("repeat", None)]
    company.record(claimed, company.done(number="PO-5"))
    assert outcomes(company, answer.workflow_id, claimed.job_id) == [("call", "done"), ("repeat", "found")]


def test_the_bell_rings_for_jobs_that_became_ready(company: Company) -> None:
    company.receive("e1", "material.shortage", ref="R1", amount=5)

    assert company.bell.rung == [company.work().job_id]


@pytest.mark.parametrize("pause", [timedelta(minutes=5)])
def test_it_is_known_how_long_nothing_falls_due(company: Company, pause: timedelta) -> None:
    assert company.runtime.due_in() is None
    company.store.move_clock(timedelta(days=400))
    company.receive("e1", "material.shortage", ref="R1", amount=5)
    claimed = company.work()
    company.record(claimed, Retried(pause=pause, error_code="temporary", message="", is_unknown=False))

    due_in = company.runtime.due_in()

    assert due_in is not None
    assert pause - timedelta(seconds=10) < due_in <= pause


def test_an_advance_that_reached_its_limit_goes_on_as_a_job(sqlite_store: Store) -> None:
    limited = Interpreter(PlainScripts(), Limits(steps_per_advance=1))
    company = Company(sqlite_store, HUMAN, interpreter=limited)

    answer = company.start("human", amount=5)

    assert answer.execution_state is ExecutionState.RUNNING
    while (claimed := company.claim()) is not None:
        assert claimed.kind is JobKind.CONTINUE
        company.record(claimed, Succeeded(result="null"))
    assert company.status(answer.workflow_id) == (None, "waiting")
    assert company.decide(company.task_of(answer.workflow_id), approved=True).instance.version > 2
