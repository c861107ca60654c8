"""Business statuses: which transitions are legal, and that no path of a drawing takes an illegal one."""

from __future__ import annotations

import pytest

from engine.model import check, is_legal, may_write, read_definition
from engine.model.check_statuses import write_kinds
from engine.model.findings import Finding
from engine.model.settings import ProcessSettings, Status
from engine.model.statuses import explore
from tests.model.catalogue import CATALOGUE, service
from tests.model.drawing import bpmn, flow, line

#: The legal transitions of the procurement reference process; FAILED leads on by an operator's command alone.
PROCUREMENT = {
    "CREATED": "ANALYZING CANCELLED",
    "ANALYZING": "VALIDATING COVERED FAILED CANCELLED",
    "VALIDATING": "WAITING_APPROVAL FAILED CANCELLED",
    "WAITING_APPROVAL": "APPROVED REJECTED CANCELLED ANALYZING",
    "APPROVED": "EXECUTING COVERED CANCELLED ANALYZING",
    "EXECUTING": "SUCCEEDED COMPENSATING FAILED ANALYZING",
    "COMPENSATING": "CANCELLED FAILED EXECUTING",
    "FAILED": "",
    "SUCCEEDED": "",
    "REJECTED": "",
    "CANCELLED": "",
    "COVERED": "",
}
SETTINGS = ProcessSettings(
    key="p",
    title={"en": "P"},
    owner="it",
    initial_status="CREATED",
    failure_status="FAILED",
    statuses=tuple(
        Status(
            name=name,
            to=tuple(to.split()),
            operator_only=("CANCELLED", "ANALYZING") if name == "FAILED" else (),
            is_final=name in ("SUCCEEDED", "REJECTED", "CANCELLED", "COVERED"),
            is_failure=name == "FAILED",
            allows_writes=name == "EXECUTING",
            allows_compensation=name == "COMPENSATING",
        )
        for name, to in PROCUREMENT.items()
    ),
)


@pytest.mark.parametrize("before", PROCUREMENT)
@pytest.mark.parametrize("after", PROCUREMENT)
def test_a_transition_is_legal_when_it_is_declared_or_none(before: str, after: str) -> None:
    declared = before == after or after in PROCUREMENT[before].split()

    assert is_legal(SETTINGS, before, after) is declared
    by_operator = declared or (before == "FAILED" and after in ("CANCELLED", "ANALYZING"))
    assert is_legal(SETTINGS, before, after, by_operator=by_operator) is by_operator


def test_an_instance_is_created_in_its_initial_status_alone() -> None:
    assert is_legal(SETTINGS, None, "CREATED")
    assert not is_legal(SETTINGS, None, "EXECUTING")
    assert not is_legal(SETTINGS, "NOT_DECLARED", "CREATED")


@pytest.mark.parametrize(
    ("status", "is_compensation", "expected"),
    [
        ("EXECUTING", False, True),
        ("EXECUTING", True, False),
        ("COMPENSATING", True, True),
        ("COMPENSATING", False, False),
        ("REJECTED", False, False),
        (None, False, False),
    ],
)
def test_a_write_is_legal_in_executing_alone_and_a_compensation_in_compensating(
    status: str | None, is_compensation: bool, expected: bool
) -> None:
    assert may_write(SETTINGS, status, is_compensation=is_compensation) is expected


# --- the proof over a drawing ------------------------------------------------------------------------------------

YAML = b"""
key: p
title: {en: P}
owner: it
initial_status: NEW
failure_status: FAILED
statuses:
  - {name: NEW, to: [BUSY, DONE]}
  - {name: BUSY, to: [DONE, UNDOING, FAILED], allows_writes: true}
  - {name: UNDOING, to: [DONE, FAILED], allows_compensation: true}
  - {name: DONE, is_final: true}
  - {name: FAILED, is_failure: true}
"""


def step(element_id: str, status: str = "", kind: str = "task", inside: str = "") -> str:
    extension = f'<extensionElements><vermilion:status name="{status}"/></extensionElements>' if status else ""
    return f'<{kind} id="{element_id}">{extension}{inside}</{kind}>'


START = '<startEvent id="s"/>'
ERROR = '<error id="err" errorCode="E1"/>'


def found(body: str, root: str = "") -> list[Finding]:
    return list(check({"process.bpmn": bpmn(body, root), "process.yaml": YAML}, CATALOGUE))


def status_errors(body: str, root: str = "") -> list[tuple[str, str]]:
    return [(each.rule, each.element_id) for each in found(body, root) if each.is_error]


def test_a_drawing_that_keeps_to_the_transitions_is_accepted() -> None:
    body = START + step("a", "BUSY") + step("e", "DONE", "endEvent") + line("a")

    assert status_errors(body) == []


def test_an_illegal_transition_is_refused_with_the_way_there() -> None:
    body = START + step("a", "BUSY") + step("b", "NEW") + step("e", "DONE", "endEvent") + line("a", "b")
    (finding,) = [each for each in found(body) if each.is_error]

    assert (finding.rule, finding.element_id) == ("illegal-transition", "b")
    assert "from BUSY to NEW" in finding.reason
    assert "s → a → b" in finding.reason


def test_an_illegal_transition_on_one_branch_of_a_choice_is_found() -> None:
    body = (
        START
        + step("g", kind="exclusiveGateway")
        + step("a", "BUSY")
        + step("m", kind="exclusiveGateway")
        + step("e", "UNDOING", "endEvent")
        + flow("s", "g")
        + flow("g", "a", "x = 1")
        + flow("g", "m", "x != 1")
        + flow("a", "m")
        + flow("m", "e")
    )
    (finding,) = [each for each in found(body) if each.is_error]

    assert "from NEW to UNDOING" in finding.reason


def test_a_status_of_a_parallel_branch_counts_for_the_other_branch() -> None:
    body = (
        START
        + step("g", kind="parallelGateway")
        + step("a", "BUSY")
        + step("b", "DONE")
        + step("j", kind="parallelGateway")
        + step("e", kind="endEvent")
        + flow("s", "g")
        + "".join(flow("g", each) + flow(each, "j") for each in "ab")
        + flow("j", "e")
    )
    # b may come before a: then a would lead from DONE, which is final, to BUSY.
    assert status_errors(body) == [("illegal-transition", "a")]


def test_branches_without_a_status_do_not_disturb_the_proof() -> None:
    branches = [f"t{number}" for number in range(60)]
    body = (
        START
        + step("g", "BUSY", kind="parallelGateway")
        + "".join(step(each) for each in branches)
        + step("j", kind="parallelGateway")
        + step("e", "DONE", "endEvent")
        + flow("s", "g")
        + "".join(flow("g", each) + flow(each, "j") for each in branches)
        + flow("j", "e")
    )
    definition = read_definition({"process.bpmn": bpmn(body), "process.yaml": YAML})
    explored = explore(definition, {}, most_states=500)

    assert explored.is_complete
    assert explored.fired == {"j"}
    assert status_errors(body) == []


def test_the_way_through_a_boundary_event_is_followed() -> None:
    body = (
        START
        + step("a", "BUSY", "userTask")
        + '<boundaryEvent id="b" attachedToRef="a"><timerEventDefinition><timeDuration>PT1H</timeDuration>'
        + "</timerEventDefinition></boundaryEvent>"
        + step("late", "NEW")
        + step("e", "DONE", "endEvent")
        + line("a")
        + flow("b", "late")
        + flow("late", "e")
    )
    yaml_errors = [each for each in status_errors(body) if each[0] == "illegal-transition"]

    assert yaml_errors == [("illegal-transition", "late")]


@pytest.mark.parametrize(
    ("event", "refused"),
    [
        ("<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>", []),
        # The second message leads from TOLD back to ASKED.
        ('<messageEventDefinition messageRef="m"/>', ["asked"]),
    ],
)
def test_a_message_beside_an_activity_is_followed_when_it_comes_again(event: str, refused: list[str]) -> None:
    yaml = YAML.replace(
        b"  - {name: BUSY, to: [DONE,",
        b"  - {name: ASKED, to: [TOLD]}\n  - {name: TOLD, to: []}\n  - {name: BUSY, to: [ASKED, DONE,",
    )
    body = (
        START
        + step("a", "BUSY", "userTask")
        + f'<boundaryEvent id="b" attachedToRef="a" cancelActivity="false">{event}</boundaryEvent>'
        + step("asked", "ASKED")
        + step("told", "TOLD")
        + '<endEvent id="e"/>'
        + line("a")
        + flow("b", "asked")
        + flow("asked", "told")
        + flow("told", "e")
    )
    found = check({"process.bpmn": bpmn(body, '<message id="m" name="M"/>'), "process.yaml": yaml}, CATALOGUE)

    assert [each.element_id for each in found if each.rule == "illegal-transition"] == refused
    assert "tokens-multiply" not in {each.rule for each in found}


def test_an_error_is_followed_to_the_boundary_event_that_catches_it() -> None:
    inner = (
        '<startEvent id="i"/>' + step("w", "BUSY")
        + '<endEvent id="o"><errorEventDefinition errorRef="err"/></endEvent>' + flow("i", "w") + flow("w", "o")
    )  # fmt: skip
    body = (
        START
        + step("sub", kind="subProcess", inside=inner)
        + '<boundaryEvent id="b" attachedToRef="sub"><errorEventDefinition errorRef="err"/></boundaryEvent>'
        + step("again", "NEW")
        + step("e", "DONE", "endEvent")
        + line("sub")
        + flow("b", "again")
        + flow("again", "e")
    )
    assert status_errors(body, ERROR) == [("illegal-transition", "again")]


def test_an_uncaught_error_enters_the_failure_status() -> None:
    body = START + '<endEvent id="e"><errorEventDefinition errorRef="err"/></endEvent>' + line()

    # NEW does not lead to FAILED.
    assert status_errors(body, ERROR) == [("illegal-transition", "e")]


def test_a_write_is_refused_where_its_status_does_not_allow_it() -> None:
    write = service("w", "erp.create", material='"M"', quantity="1")
    body = START + write + step("e", "DONE", "endEvent") + line("w")
    (finding,) = [each for each in found(body) if each.is_error]

    assert (finding.rule, finding.element_id) == ("forbidden-write", "w")
    assert "NEW" in finding.reason


def test_a_write_is_refused_when_a_parallel_branch_can_end_its_status() -> None:
    write = service("w", "erp.create", material='"M"', quantity="1", status="BUSY")
    body = (
        START
        + step("g", kind="parallelGateway")
        + write
        + step("b", "UNDOING")
        + step("j", kind="parallelGateway")
        + step("e", "DONE", "endEvent")
        + flow("s", "g")
        + "".join(flow("g", each) + flow(each, "j") for each in "wb")
        + flow("j", "e")
    )
    assert ("forbidden-write", "w") in status_errors(body)


def test_a_compensating_write_needs_a_status_that_allows_compensation() -> None:
    wrong = service("w", "erp.cancel", number='"1"', status="BUSY")
    right = service("w", "erp.cancel", number='"1"', status="UNDOING")
    end = step("e", "DONE", "endEvent")

    assert status_errors(START + wrong + end + line("w")) == [("forbidden-write", "w")]
    assert status_errors(START + step("a", "BUSY") + right + end + line("a", "w")) == []


def test_writes_are_told_from_compensations_by_the_catalogue() -> None:
    body = (
        START
        + service("w", "erp.create", material='"M"', quantity="1")
        + service("u", "erp.cancel@1", number='"1"')
        + '<endEvent id="e"/>'
        + line("w", "u")
    )
    definition = read_definition({"process.bpmn": bpmn(body), "process.yaml": YAML})

    assert write_kinds(definition, CATALOGUE) == {"w": "write", "u": "compensation"}


def test_statuses_that_no_path_enters_and_ends_that_are_not_final_are_warned_of() -> None:
    body = START + step("a", "BUSY") + '<endEvent id="e"/>' + line("a")
    warned = {(each.rule, each.values.get("status")) for each in found(body) if not each.is_error}

    assert ("status-not-final", "BUSY") in warned
    assert {("status-never-entered", "UNDOING"), ("status-never-entered", "DONE")} <= warned


def test_an_undeclared_status_is_refused() -> None:
    assert ("unknown-status", "a") in status_errors(START + step("a", "GONE") + '<endEvent id="e"/>' + line("a"))


def test_a_status_inside_a_parallel_multi_instance_activity_is_refused() -> None:
    loop = (
        "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality><loopDataOutputRef>r</loopDataOutputRef>"
        '<outputDataItem name="i"/></multiInstanceLoopCharacteristics>'
    )
    inner = f'{loop}<startEvent id="i"/>{step("a", "BUSY")}<endEvent id="o"/>{flow("i", "a")}{flow("a", "o")}'
    body = START + step("sub", kind="subProcess", inside=inner) + step("e", "DONE", "endEvent") + line("sub")

    assert ("status-in-multi-instance", "sub") in status_errors(body)


def test_a_drawing_too_entangled_to_be_proved_says_so() -> None:
    branches = [f"t{number}" for number in range(12)]
    body = (
        START
        + step("g", "BUSY", kind="parallelGateway")
        + "".join(step(each, "BUSY") for each in branches)
        + step("j", kind="parallelGateway")
        + '<endEvent id="e"/>'
        + flow("s", "g")
        + "".join(flow("g", each) + flow(each, "j") for each in branches)
        + flow("j", "e")
    )
    definition = read_definition({"process.bpmn": bpmn(body), "process.yaml": YAML})

    assert not explore(definition, {}, most_states=100).is_complete


# --- an operator's return ----------------------------------------------------------------------------------------


def returning(body: str, element: str, status: str = "BUSY") -> list[tuple[str, str]]:
    """Check a drawing whose failed instances an operator may send back to an element."""
    yaml = YAML.replace(b"{name: FAILED,", f"{{name: FAILED, operator_only: [{status}],".encode())
    yaml = yaml.replace(f"{{name: {status},".encode(), f"{{name: {status}, reentry: {element},".encode())
    found = check({"process.bpmn": bpmn(body, ERROR), "process.yaml": yaml}, CATALOGUE)
    return [(each.rule, each.element_id) for each in found if each.is_error]


SUB_PROCESS = '<startEvent id="i"/>' + step("inner") + '<endEvent id="o"/>' + flow("i", "inner") + flow("inner", "o")
RETURNED = (
    START
    + step("a", "BUSY")
    + step("sub", kind="subProcess", inside=SUB_PROCESS)
    + '<exclusiveGateway id="x" default="x-e"/>'
    + '<endEvent id="broken"><errorEventDefinition errorRef="err"/></endEvent>'
    + step("e", "DONE", "endEvent")
    + line("a", "sub", "x")
    + flow("x", "broken", "wrong")
)


@pytest.mark.parametrize("element", ["a", "sub", "x"])
def test_an_operator_s_return_to_an_element_of_the_process_is_accepted(element: str) -> None:
    assert returning(RETURNED, element) == []


@pytest.mark.parametrize("element", ["gone", "s", "e", "broken", "inner", "a-sub"])
def test_a_return_to_where_no_token_can_be_placed_is_refused(element: str) -> None:
    assert returning(RETURNED, element) == [("bad-reentry", "")]


def test_a_return_to_a_join_is_refused() -> None:
    body = (
        START
        + step("g", "BUSY", kind="parallelGateway")
        + step("a")
        + step("b")
        + step("j", kind="parallelGateway")
        + step("e", "DONE", "endEvent")
        + flow("s", "g")
        + "".join(flow("g", each) + flow(each, "j") for each in "ab")
        + flow("j", "e")
    )
    assert returning(body, "j") == [("bad-reentry", "")]
    assert returning(body, "g") == []


def test_what_follows_an_operator_s_return_keeps_to_the_transitions_too() -> None:
    write = service("w", "erp.create", material='"M"', quantity="1")
    body = START + step("a", "BUSY") + step("m") + write + step("e", "DONE", "endEvent") + line("a", "m", "w")

    assert returning(body, "a") == []
    assert returning(body, "m") == []
    assert returning(body, "m", "UNDOING") == [("forbidden-write", "w")]
    assert returning(body, "a", "UNDOING") == [("illegal-transition", "a")]


# --- joins -------------------------------------------------------------------------------------------------------


def test_a_join_that_a_branch_may_miss_is_warned_of_with_the_way() -> None:
    body = (
        START
        + step("g", kind="parallelGateway")
        + step("a")
        + step("c", kind="exclusiveGateway")
        + step("j", kind="parallelGateway")
        + '<endEvent id="gone"/><endEvent id="e"/>'
        + flow("s", "g")
        + flow("g", "a")
        + flow("g", "c")
        + flow("a", "j")
        + flow("c", "j", "x = 1")
        + flow("c", "gone", "x != 1")
        + flow("j", "e")
    )
    (finding,) = [each for each in found(body) if each.rule == "join-may-wait"]

    assert finding.element_id == "j"
    assert not finding.is_error
    assert "gone" in finding.reason


def test_tokens_that_multiply_in_a_loop_are_warned_of() -> None:
    body = (
        START
        + step("m", kind="exclusiveGateway")
        + step("g", kind="parallelGateway")
        + step("j", kind="parallelGateway")
        + '<endEvent id="e"/>'
        + flow("s", "m")
        + flow("m", "g", "x = 1")
        + flow("m", "j", "x != 1")
        + flow("g", "j")
        + flow("g", "m", flow_id="back")
        + flow("j", "e")
    )
    assert [each.rule for each in found(body) if each.rule == "tokens-multiply"]


def inclusive(b_status: str) -> str:
    return (
        START
        + step("g", kind="inclusiveGateway").replace('id="g"', 'id="g" default="g-c"')
        + step("a") + step("b", b_status) + step("c")
        + step("j", kind="inclusiveGateway")
        + step("e", "DONE", "endEvent")
        + flow("s", "g") + flow("g", "a", "x = 1") + flow("g", "b", "x = 2") + flow("g", "c")
        + "".join(flow(each, "j") for each in "abc")
        + flow("j", "e")
    )  # fmt: skip


def test_an_inclusive_join_waits_for_the_branches_that_were_taken() -> None:
    definition = read_definition({"process.bpmn": bpmn(inclusive("BUSY")), "process.yaml": YAML})
    explored = explore(definition, {})

    assert explored.fired == {"j"}
    assert not explored.stuck
    # Were the join to fire before b is done, the final status would be left again.
    assert status_errors(inclusive("BUSY")) == []
