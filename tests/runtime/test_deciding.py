"""Decisions: the six checks of W16, repeats, forms, what a task shows."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from engine.contract.ids import TaskId
from engine.identity.permissions import PermissionDenied
from engine.runtime import errors
from engine.runtime.commands import ExecutionState, RepairRequest
from engine.runtime.views import TaskFilter
from tests.runtime.company import Company, force_status, person


def test_a_decision_moves_the_instance_on(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    task_id = everywhere.task_of(answer.workflow_id)

    decided = everywhere.decide(task_id, approved=True, note="fine")

    assert decided.instance.business_status == "EXECUTING"
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert view.decisions[0].values == {"approved": True, "note": "fine"}
    assert view.decisions[0].name == "Mei Lin"
    given = view.variables["decision"]
    assert isinstance(given, dict)
    assert given["approval_id"] == decided.approval_id
    assert given["decided_by"] == person(everywhere, "manager")
    assert {"decided_at", "bound_digest"} <= given.keys()


def test_first_check_a_task_of_another_instance_is_refused(company: Company) -> None:
    task_id = company.task_of(company.to_approval("R1").workflow_id)
    other = company.to_approval("R2")

    with pytest.raises(errors.NotThisInstance):
        company.runtime.decide(
            company.manager, replace(company.decision(task_id, approved=True), workflow_id=other.workflow_id)
        )


def test_second_check_another_role_is_refused(company: Company) -> None:
    task_id = company.task_of(company.to_approval().workflow_id)

    with pytest.raises(errors.NotYourTask, match="Manager"):
        company.decide(task_id, company.people["stranger"], approved=True)
    with pytest.raises(PermissionDenied):
        company.decide(task_id, company.operator, approved=True)


def test_second_check_the_requester_never_decides(company: Company) -> None:
    answer = company.start("purchase", ref="R1", amount=5, by=person(company, "manager"))
    company.record(company.work(), company.done(value="6"))
    task_id = company.task_of(answer.workflow_id)

    with pytest.raises(errors.NotYourTask, match="four eyes"):
        company.decide(task_id, approved=True)
    assert company.decide(task_id, company.people["second"], approved=True).instance.business_status == "EXECUTING"


def test_third_check_a_decided_task_names_who_and_when(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    task_id = everywhere.task_of(answer.workflow_id)
    request = everywhere.decision(task_id, approved=True)
    everywhere.runtime.decide(everywhere.manager, request)

    with pytest.raises(errors.AlreadyDecided, match="Mei Lin on 2"):
        everywhere.runtime.decide(everywhere.people["second"], replace(request, values={"approved": False}))


def test_fourth_check_a_task_of_an_ended_instance_is_refused(company: Company) -> None:
    answer = company.to_approval()
    task_id = company.task_of(answer.workflow_id)
    request = company.decision(task_id, approved=True)
    force_status(company, answer.workflow_id, "EXECUTING")

    with pytest.raises(errors.InstanceNotWaiting, match="WAITING_APPROVAL"):
        company.runtime.decide(company.manager, request)


def test_fifth_check_the_same_decision_twice_gives_the_first_answer(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    request = everywhere.decision(everywhere.task_of(answer.workflow_id), "d1", approved=True)

    first = everywhere.runtime.decide(everywhere.manager, request)
    again = everywhere.runtime.decide(everywhere.manager, request)

    assert not first.is_repeat
    assert again.is_repeat
    assert again.approval_id == first.approval_id


def test_fifth_check_an_event_id_serves_one_decision(company: Company) -> None:
    first = company.task_of(company.to_approval("R1").workflow_id)
    second = company.task_of(company.to_approval("R2").workflow_id)
    company.runtime.decide(company.manager, company.decision(first, "d1", approved=True))

    with pytest.raises(errors.DecisionConflict, match="d1"):
        company.runtime.decide(company.manager, company.decision(second, "d1", approved=True))


def test_sixth_check_changed_facts_are_refused(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    task_id = everywhere.task_of(answer.workflow_id)
    seen = everywhere.decision(task_id, approved=True)
    everywhere.runtime.repair(
        everywhere.operator,
        RepairRequest(
            workflow_id=answer.workflow_id, values={"request": {"ref": "R1", "amount": 9}}, reason="miscounted"
        ),
    )

    with pytest.raises(errors.FactsChanged):
        everywhere.runtime.decide(everywhere.manager, seen)

    shown = everywhere.runtime.task(everywhere.manager, task_id).facts["request"]
    assert shown == {"ref": "R1", "amount": 9}
    assert everywhere.decide(task_id, approved=True).instance.business_status == "EXECUTING"


def test_values_that_the_form_does_not_take_are_refused(company: Company) -> None:
    answer = company.to_approval()
    task_id = company.task_of(answer.workflow_id)

    with pytest.raises(errors.InvalidValues) as refused:
        company.decide(task_id, approved="perhaps", price=Decimal(1))

    assert {problem.key for problem in refused.value.problems} == {"approved", "price"}
    assert company.task_of(answer.workflow_id) == task_id


def test_an_unknown_task_is_refused(company: Company) -> None:
    with pytest.raises(errors.UnknownTask):
        company.runtime.task(company.manager, TaskId("0" * 32))


def test_a_decided_task_still_shows_who_decided(company: Company) -> None:
    answer = company.to_approval()
    task_id = company.task_of(answer.workflow_id)
    company.decide(task_id, approved=False, note="too dear")

    view = company.runtime.task(company.manager, task_id)

    assert view.why_not is not None
    assert view.decision is not None
    assert view.decision.name == "Mei Lin"
    assert view.decision.values["note"] == "too dear"


def test_a_rejection_ends_the_instance(company: Company) -> None:
    answer = company.to_approval()

    decided = company.decide(company.task_of(answer.workflow_id), approved=False)

    assert decided.instance.business_status == "REJECTED"
    assert decided.instance.execution_state is ExecutionState.FINISHED
    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert view.waits == ()
    assert view.finished_at is not None


def test_tasks_are_listed_for_those_who_may_decide_them(company: Company) -> None:
    for number in range(5):
        company.to_approval(f"R{number}")

    first = company.runtime.tasks(company.manager, limit=3)
    rest = company.runtime.tasks(company.manager, cursor=first.next, limit=3)

    assert [each.business_key for each in (*first.items, *rest.items)] == [f"R{number}" for number in range(5)]
    assert rest.next is None
    assert company.runtime.tasks(company.people["stranger"]).items == ()
    assert company.runtime.tasks(company.people["director"]).items == ()


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (TaskFilter(), ["R0", "R1", "R2"]),
        (TaskFilter(business_key="r1"), ["R1"]),
        (TaskFilter(workflow_type="another"), []),
        (TaskFilter(is_overdue=True), []),
    ],
)
def test_tasks_are_found_by_process_part_of_the_key_and_lateness(
    company: Company, wanted: TaskFilter, expected: list[str]
) -> None:
    for number in range(3):
        company.to_approval(f"R{number}")

    page = company.runtime.tasks(company.manager, wanted)

    assert [each.business_key for each in page.items] == expected
    assert page.next is None
