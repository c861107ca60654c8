"""Views: instances, timelines, the queue, totals, pages, remembered answers."""

from __future__ import annotations

import pytest

from engine.contract.ids import WorkflowId, WorkflowType
from engine.identity.permissions import PermissionDenied
from engine.runtime import InstanceFilter, errors
from tests.runtime.company import Company, nobody


def test_a_timeline_tells_of_commands_steps_calls_and_statuses_with_their_ids(company: Company) -> None:
    answer = company.to_write()
    company.record(company.work(), company.done(number="PO-5"))
    company.receive("c1", "order.confirmed", number="PO-5")

    view = company.runtime.instance(company.operator, answer.workflow_id)

    events = [each.event for each in view.timeline]
    assert [each for each in events if not each.startswith(("step_", "status", "call_"))] == [
        "started",
        "job_done",
        "decided",
        "job_done",
        "message_correlated",
    ]
    assert [each.at for each in view.timeline] == sorted(each.at for each in view.timeline)
    assert all(each.ids["workflow_id"] == answer.workflow_id for each in view.timeline)
    assert {each.ids["trace_id"] for each in view.timeline} == {view.trace_id}
    sent = [each for each in view.timeline if each.event == "call_done" and each.step_key == "create"]
    assert sent[0].ids["idempotency_key"] == view.documents[0].idempotency_key
    assert sent[0].ids["sent_key"] == view.documents[0].sent_key


def test_instances_are_listed_newest_first_and_paged(company: Company) -> None:
    for number in range(5):
        company.to_approval(f"R{number}")

    first = company.runtime.instances(company.operator, InstanceFilter(workflow_type="purchase"), limit=3)
    rest = company.runtime.instances(company.operator, cursor=first.next, limit=3)

    assert [each.business_key for each in (*first.items, *rest.items)] == ["R4", "R3", "R2", "R1", "R0"]
    assert rest.next is None
    by_key = InstanceFilter(workflow_type="purchase", business_key="R2")
    assert [each.business_key for each in company.runtime.instances(company.operator, by_key).items] == ["R2"]


def test_a_business_key_is_found_together_with_the_other_filters(company: Company) -> None:
    company.to_approval("R1")

    def found(**wanted: str) -> int:
        return len(company.runtime.instances(company.operator, InstanceFilter(business_key="R1", **wanted)).items)

    assert found(workflow_type="purchase", business_status="WAITING_APPROVAL", execution_state="waiting") == 1
    assert found(workflow_type="purchase", business_status="CANCELLED") == 0
    assert found(workflow_type="purchase", execution_state="finished") == 0
    with pytest.raises(errors.InvalidFilter, match="workflow_type"):
        found()


def test_a_business_status_is_asked_for_together_with_its_process(company: Company) -> None:
    with pytest.raises(errors.InvalidFilter, match="name its workflow_type"):
        company.runtime.instances(company.operator, InstanceFilter(business_status="FAILED", execution_state="waiting"))


@pytest.mark.parametrize("cursor", ["", "x", "0" * 31, "5.x", "' OR 1=1"])
def test_a_cursor_that_is_none_is_refused(company: Company, cursor: str) -> None:
    with pytest.raises(errors.InvalidCursor):
        company.runtime.instances(company.operator, cursor=cursor)
    with pytest.raises(errors.InvalidCursor):
        company.runtime.tasks(company.manager, cursor=cursor)


def test_the_queue_and_the_totals_show_what_is_open(everywhere: Company) -> None:
    everywhere.to_approval("R1")
    everywhere.receive("e2", "material.shortage", ref="R2", amount=5)

    counts = everywhere.runtime.counts(everywhere.operator)
    queue = everywhere.runtime.queue(everywhere.operator)

    assert counts.instances == {
        ("purchase", "ANALYZING", "waiting"): 1,
        ("purchase", "WAITING_APPROVAL", "waiting"): 1,
    }
    assert counts.tasks == {"manager": 1}
    assert counts.unknown_documents == 0
    assert [(each.system, each.status, each.count) for each in queue.jobs] == [("erp", "ready", 1)]


def test_processes_say_who_may_start_them(company: Company) -> None:
    processes = {each.workflow_type: each for each in company.runtime.processes(company.operator)}

    assert set(processes) == {"human", "jobs7", "purchase"}
    assert processes[WorkflowType("purchase")].may_start
    form = processes[WorkflowType("purchase")].start_form
    assert form is not None
    assert form.key == "report"


def test_reading_needs_the_permission(company: Company) -> None:
    actor = nobody(company)

    for read in (
        lambda: company.runtime.instances(actor),
        lambda: company.runtime.instance(actor, WorkflowId("0" * 32)),
        lambda: company.runtime.tasks(actor),
        lambda: company.runtime.processes(actor),
        lambda: company.runtime.queue(actor),
    ):
        with pytest.raises(PermissionDenied):
            read()


def test_an_unknown_instance_is_refused(company: Company) -> None:
    with pytest.raises(errors.UnknownInstance):
        company.runtime.instance(company.operator, WorkflowId("0" * 32))


def test_an_answer_is_remembered_by_key_caller_and_fingerprint(everywhere: Company) -> None:
    runtime, actor = everywhere.runtime, everywhere.operator

    assert runtime.recall(actor, "k1", "a" * 64) is None
    first = runtime.remember(actor, "k1", "a" * 64, status_code=201, answer=b"first")
    again = runtime.remember(actor, "k1", "a" * 64, status_code=201, answer=b"second")

    assert (first.answer, again.answer) == (b"first", b"first")
    assert runtime.recall(everywhere.manager, "k1", "a" * 64) is None
    with pytest.raises(errors.KeyReused, match="k1"):
        runtime.recall(actor, "k1", "b" * 64)
