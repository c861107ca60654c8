"""Starting by hand and by event: business keys, forms, the inbox."""

from __future__ import annotations

import pytest

from engine.contract.ids import BusinessKey, WorkflowType
from engine.identity.permissions import PermissionDenied
from engine.runtime import errors
from engine.runtime.commands import EventFate, ExecutionState, InstanceAnswer, StartRequest
from engine.runtime.errors import StartRefused
from tests.runtime.company import Company
from tests.runtime.files import HUMAN, PURCHASE


def test_a_held_business_key_answers_with_its_instance(everywhere: Company) -> None:
    first = everywhere.start("purchase", ref="R1", amount=5)
    again = everywhere.start("purchase", ref="R1", amount=7)

    assert first.is_new
    assert not again.is_new
    assert again.workflow_id == first.workflow_id
    assert again.business_key == "R1"


def test_a_held_business_key_answers_also_after_the_end(company: Company) -> None:
    answer = company.to_approval()
    company.decide(company.task_of(answer.workflow_id), approved=False)

    again = company.start("purchase", ref="R1", amount=5)

    assert (again.workflow_id, again.is_new, again.business_status) == (answer.workflow_id, False, "REJECTED")


def test_a_released_key_can_be_used_again(company: Company) -> None:
    answer = company.to_approval()
    company.decide(company.task_of(answer.workflow_id), approved=False)

    company.runtime.release_key(company.operator, answer.workflow_id, "entered twice")

    assert company.start("purchase", ref="R1", amount=5).is_new


def test_the_key_of_a_running_instance_is_not_released(company: Company) -> None:
    answer = company.to_approval()

    with pytest.raises(errors.CannotRepair):
        company.runtime.release_key(company.operator, answer.workflow_id, "why not")


@pytest.mark.parametrize("key", ["", "  ", "k" * 191])
def test_a_business_key_that_cannot_be_held_is_refused(company: Company, key: str) -> None:
    request = StartRequest(workflow_type=WorkflowType("human"), variables={}, business_key=BusinessKey(key))

    with pytest.raises(StartRefused, match="1 to 190"):
        company.runtime.start(company.operator, request)


def test_blanks_around_a_business_key_make_no_other_key(company: Company) -> None:
    def start(key: str) -> InstanceAnswer:
        request = StartRequest(workflow_type=WorkflowType("human"), variables={}, business_key=BusinessKey(key))
        return company.runtime.start(company.operator, request)

    first, again = start("MR-7"), start(" MR-7\n")

    assert (again.workflow_id, again.is_new) == (first.workflow_id, False)


def test_a_variable_whose_name_is_no_text_is_refused(company: Company) -> None:
    with pytest.raises(StartRefused, match="half of a character pair"):
        company.start("human", **{"\ud800": 1})


def test_what_no_variable_may_hold_is_kept_with_an_incident_when_it_was_received(company: Company) -> None:
    answer = company.receive("e-1", "material.shortage", ref="R-1", amount=1, note="\ud800").instances[0]

    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert [each.code for each in view.incidents] == ["unstorable_value"]


def test_a_start_form_is_checked(company: Company) -> None:
    with pytest.raises(errors.InvalidValues) as refused:
        company.start("purchase", ref="", amount=0)

    assert {problem.key for problem in refused.value.problems} == {"ref", "amount"}
    assert company.runtime.instances(company.operator).items == ()


def test_an_unknown_process_is_refused(company: Company) -> None:
    with pytest.raises(errors.UnknownProcess, match="nowhere"):
        company.start("nowhere")


def test_starting_needs_the_permission(company: Company) -> None:
    with pytest.raises(PermissionDenied):
        company.runtime.start(
            company.people["stranger"], StartRequest(workflow_type=WorkflowType("human"), variables={})
        )


def test_an_event_starts_once_however_often_it_comes(everywhere: Company) -> None:
    first = everywhere.receive("e1", "material.shortage", ref="R1", amount=5)
    again = everywhere.receive("e1", "material.shortage", ref="R1", amount=5)

    assert (first.fate, first.is_repeat) == (EventFate.STARTED, False)
    assert (again.fate, again.is_repeat) == (EventFate.STARTED, True)
    assert [each.workflow_id for each in again.instances] == [each.workflow_id for each in first.instances]
    assert len(everywhere.runtime.instances(everywhere.operator).items) == 1


def test_another_event_with_the_held_key_finds_the_instance(company: Company) -> None:
    first = company.receive("e1", "material.shortage", ref="R1", amount=5)
    other = company.receive("e2", "material.shortage", ref="R1", amount=9)

    assert other.fate is EventFate.EXISTING
    assert other.instances[0].workflow_id == first.instances[0].workflow_id


def test_an_event_id_with_other_content_is_refused(company: Company) -> None:
    company.receive("e1", "material.shortage", ref="R1", amount=5)

    with pytest.raises(errors.EventConflict, match="e1"):
        company.receive("e1", "material.shortage", ref="R1", amount=6)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"ref": "R1", "amount": -1}, "amount"),
        ({"ref": "", "amount": 1}, "ref"),
        ({"ref": "R1"}, "data"),
    ],
)
def test_data_that_breaks_the_schema_is_refused_with_its_field(
    company: Company, data: dict[str, str | int], field: str
) -> None:
    with pytest.raises(errors.InvalidEvent) as refused:
        company.receive("e1", "material.shortage", **data)

    assert refused.value.fields["field"] == field
    assert company.runtime.instances(company.operator).items == ()
    assert not company.receive("e1", "material.shortage", ref="R1", amount=1).is_repeat


def test_an_unknown_event_type_is_said_to_be_unknown(company: Company) -> None:
    assert company.receive("e1", "nobody.knows", ref="R1").fate is EventFate.UNKNOWN_TYPE


def test_a_started_instance_enters_its_first_statuses_as_audited_transitions(company: Company) -> None:
    answer = company.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]

    entries = company.runtime.instance(company.operator, answer.workflow_id).timeline
    moved = [(each.detail["before"], each.detail["after"]) for each in entries if each.event == "status"]
    assert moved == [(None, "CREATED"), ("CREATED", "ANALYZING")]
    assert answer.execution_state is ExecutionState.WAITING


def test_the_same_files_are_the_same_version(company: Company) -> None:
    again = company.runtime.deploy(company.operator, HUMAN)
    changed = company.runtime.deploy(
        company.operator, {**HUMAN, "process.yaml": HUMAN["process.yaml"] + b"retention_days: 30\n"}
    )
    back = company.runtime.deploy(company.operator, HUMAN)

    assert (again.number, again.is_new) == (1, False)
    assert (changed.number, changed.is_new) == (2, True)
    assert (back.number, back.is_new, back.digest) == (1, False, again.digest)


def test_a_process_with_findings_is_not_deployed(company: Company) -> None:
    broken = PURCHASE | {"process.bpmn": PURCHASE["process.bpmn"].replace(b"test.create", b"test.nothing")}

    with pytest.raises(errors.DefinitionRefused, match="create"):
        company.runtime.deploy(company.operator, broken)


def test_operations_that_live_versions_need_are_named_when_missing(company: Company) -> None:
    assert company.runtime.missing_operations() == ()


def test_an_instance_whose_first_step_fails_by_event_is_kept_with_an_incident(company: Company) -> None:
    broken = HUMAN | {
        "process.bpmn": HUMAN["process.bpmn"]
        .replace(b'<startEvent id="s"/>', _EVENT_START)
        .replace(b"<process ", b'<message id="go_ref" name="go"/><process ')
        .replace(b"{ref: amount * 2}", b"[amount]"),
        "process.yaml": HUMAN["process.yaml"] + b"messages: [{name: go, types: [go.now], key: ref}]\n",
    }
    company.runtime.deploy(company.operator, broken)

    answer = company.receive("e1", "go.now", ref="R1", amount=1)

    assert answer.fate is EventFate.STARTED
    assert answer.instances[0].execution_state is ExecutionState.INCIDENT
    view = company.runtime.instance(company.operator, answer.instances[0].workflow_id)
    assert view.incidents[0].can_be_applied_again


_EVENT_START = b'<startEvent id="s"><messageEventDefinition id="s_event" messageRef="go_ref"/></startEvent>'
