"""An operator moves a case to another status: it ends there, or goes on where the status says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.contract.ids import WorkflowId
from engine.interpreter import Interpreter
from engine.interpreter.messages import Advance, Restarted
from engine.runtime import errors
from engine.runtime.commands import ClaimedJob, ExecutionState, Failed, InstanceAnswer, Parked, RepairRequest
from engine.store import Store
from tests.interpreter.playing import PlainScripts
from tests.runtime.company import Company, force_status, person
from tests.runtime.files import RETURNING, RULED


@pytest.fixture
def everywhere(store: Store) -> Company:
    return Company(store, RETURNING)


@pytest.fixture
def company(sqlite_store: Store) -> Company:
    return Company(sqlite_store, RETURNING, RULED)


def failed(company: Company, stock: str = "3") -> InstanceAnswer:
    """Start a case that fails, with nothing left that it waits for, unless its stock is enough."""
    answer = company.start("returning", ref="R1", amount=2)
    company.record(company.work(), company.done(value=stock))
    return answer


def refused(company: Company) -> InstanceAnswer:
    """Bring a case to a write that is refused for sure, so that it fails."""
    answer = failed(company, "7")
    company.record(company.work(), Failed(error_code="broken", message="closed for the year"))
    return answer


def move(company: Company, workflow_id: str, status: str) -> ExecutionState:
    request = RepairRequest(workflow_id=WorkflowId(workflow_id), status=status, reason="as agreed")
    return company.runtime.repair(company.operator, request).execution_state


def test_a_failed_case_without_tokens_goes_on_where_the_status_says(everywhere: Company) -> None:
    answer = failed(everywhere)
    assert everywhere.status(answer.workflow_id) == ("FAILED", "incident")

    assert move(everywhere, answer.workflow_id, "ANALYZING") is ExecutionState.WAITING

    assert everywhere.status(answer.workflow_id) == ("ANALYZING", "waiting")
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert view.variables == {"ref": "R1", "amount": 2, "version": 2, "stock": {"value": 3}}
    assert [each.step_key for each in view.waits] == ["read"]
    everywhere.record(everywhere.work(), everywhere.done(value="7"))
    everywhere.record(everywhere.work(), everywhere.done(number="PO-1"))
    assert everywhere.status(answer.workflow_id) == ("SUCCEEDED", "finished")


@pytest.mark.parametrize(
    ("status", "state"), [("ANALYZING", ExecutionState.WAITING), ("CANCELLED", ExecutionState.FINISHED)]
)
def test_the_failure_s_incident_is_closed_with_who_and_why(
    everywhere: Company, status: str, state: ExecutionState
) -> None:
    answer = failed(everywhere)

    assert move(everywhere, answer.workflow_id, status) is state

    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    (incident,) = view.incidents
    assert incident.closed_at is not None
    (repaired,) = [each for each in view.timeline if each.event == "repaired"]
    assert repaired.actor == person(everywhere, "operator")
    assert (repaired.detail["done"], repaired.detail["reason"]) == ("status", "as agreed")
    assert repaired.ids["incident_id"] == incident.incident_id


def test_the_transition_is_told_before_those_that_follow_from_it(company: Company) -> None:
    answer = failed(company)

    move(company, answer.workflow_id, "ANALYZING")

    view = company.runtime.instance(company.operator, answer.workflow_id)
    moved = [
        (each.detail["before"], each.detail["after"], each.step_key) for each in view.timeline if each.event == "status"
    ]
    assert moved[-1] == ("FAILED", "ANALYZING", "version")


def test_a_case_that_fails_again_at_once_has_a_new_incident(company: Company) -> None:
    answer = failed(company)
    for _ in range(2):
        move(company, answer.workflow_id, "ANALYZING")
        company.record(company.work(), company.done(value="1"))

    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert (view.business_status, view.execution_state) == ("FAILED", "incident")
    assert [each.closed_at is None for each in view.incidents] == [False, False, True]


def test_what_is_still_open_is_withdrawn(company: Company) -> None:
    answer = company.start("returning", ref="R1", amount=2)
    parked = company.work()
    company.record(parked, Failed(error_code="not_found", message="no such material"))
    assert company.status(answer.workflow_id) == ("FAILED", "incident")

    assert move(company, answer.workflow_id, "ANALYZING") is ExecutionState.WAITING

    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert [each.closed_at is None for each in view.incidents] == [False]
    (wait,) = view.waits
    assert (wait.step_key, wait.wait_id != parked.job_id) == ("read", True)


def test_a_new_version_is_written_under_a_key_of_its_own(company: Company) -> None:
    answer = refused(company)
    assert company.status(answer.workflow_id) == ("FAILED", "incident")

    move(company, answer.workflow_id, "ANALYZING")
    company.record(company.work(), company.done(value="7"))
    company.record(company.work(), company.done(number="PO-2"))

    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert view.business_status == "SUCCEEDED"
    assert sorted((each.intent, each.state) for each in view.documents) == [(1, "absent"), (2, "done")]
    assert len({each.idempotency_key for each in view.documents}) == 2


def test_nothing_moves_while_an_earlier_key_is_not_settled(company: Company) -> None:
    answer = failed(company, "7")
    company.record(company.work(), Parked(error_code="outcome_unknown", message="look there", is_unknown=True))
    force_status(company, answer.workflow_id, "FAILED")

    with pytest.raises(errors.CannotRepair, match=r"settle first: test\.create@1"):
        move(company, answer.workflow_id, "ANALYZING")

    request = RepairRequest(workflow_id=WorkflowId(answer.workflow_id), resolution="absent", reason="looked")
    company.runtime.repair(company.operator, request)
    assert move(company, answer.workflow_id, "ANALYZING") is ExecutionState.WAITING


class Meddled(Interpreter):
    """Lets something happen between the reading and the writing of an operator's return."""

    meanwhile: Callable[[], object] | None = None

    def advance(self, definition: object, state: object, happening: object, **more: object) -> Advance:
        if isinstance(happening, Restarted) and self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            meanwhile()
        return super().advance(definition, state, happening, **more)  # pyright: ignore[reportArgumentType]


def test_a_write_that_a_worker_begins_in_between_is_seen(store: Store) -> None:
    interpreter = Meddled(PlainScripts())
    company = Company(store, RETURNING, interpreter=interpreter)
    answer = failed(company, "7")
    claimed: list[ClaimedJob] = []
    interpreter.meanwhile = lambda: claimed.append(company.work())

    with pytest.raises(errors.CannotRepair, match="settle first"):
        move(company, answer.workflow_id, "ANALYZING")

    assert not company.record(claimed[0], company.done(number="PO-1")).is_late
    assert company.status(answer.workflow_id) == ("SUCCEEDED", "finished")


def test_a_failed_case_is_not_ended_by_closing_its_incident(company: Company) -> None:
    answer = failed(company)

    with pytest.raises(errors.CannotRepair, match=r"name the status it is to move to: ANALYZING or CANCELLED\."):
        company.runtime.repair(
            company.operator, RepairRequest(workflow_id=answer.workflow_id, reason="seen and understood")
        )

    assert company.status(answer.workflow_id) == ("FAILED", "incident")


def test_without_a_re_entry_a_case_without_tokens_stays_where_it_is(sqlite_store: Store) -> None:
    settings = RETURNING["process.yaml"].replace(b", reentry: version", b"")
    company = Company(sqlite_store, {**RETURNING, "process.yaml": settings})
    answer = failed(company)

    with pytest.raises(errors.CannotRepair, match="no step is left"):
        move(company, answer.workflow_id, "ANALYZING")

    assert company.status(answer.workflow_id) == ("FAILED", "incident")


# --- whose act a transition is -----------------------------------------------------------------------------------


def test_a_transition_names_the_rule_that_brought_it_about_where_no_person_did(company: Company) -> None:
    answer = company.start("ruled", amount=9)
    company.record(company.work(), company.done(value="7"))
    company.record(company.work(), company.done(value="7"))
    company.decide(company.task_of(answer.workflow_id), approved=True, note="")

    view = company.runtime.instance(company.operator, answer.workflow_id)
    acts = {each.detail["after"]: each.actor for each in view.timeline if each.event == "status"}
    assert acts == {
        "NEW": person(company, "operator"),
        "READING": person(company, "operator"),
        # A fact that was read is no rule's act.
        "JUDGING": person(company, "worker"),
        "JUDGED": "rule:test.judge@1",
        "WAITING": "rule:who",
        # A person decided; the table behind it takes nothing from that.
        "DONE": person(company, "manager"),
    }
