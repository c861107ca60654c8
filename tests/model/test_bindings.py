"""What a drawing names must exist and fit: extensions, operations, decisions, forms, roles, messages."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from engine.contract.registry import UnknownOperation
from engine.model import apply_pins, check, digest, is_part, pin, pinned_references, read_definition
from engine.model.extensions import EXTENSIONS, schema
from engine.model.graph import MessageEvent, TimerEvent, TimerKind, WorkingTime
from engine.model.settings import ProcessSettings
from tests.model.catalogue import CATALOGUE, service
from tests.model.drawing import END, START, around, bpmn, flow, line

YAML = b"""key: p
title: {en: P}
owner: it
roles: [{name: Buyer, groups: [buyers]}, {name: Head, groups: [heads]}]
messages: [{name: Confirmed, types: [erp.confirmed], key: number}]
"""
FORM = b'{"components": [{"id": "f1", "type": "checkbox", "key": "ok"}]}'
SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


def files(body: str, root: str = "", **more: bytes) -> dict[str, bytes]:
    return {"process.bpmn": bpmn(body, root), "process.yaml": YAML, "forms/approve.form": FORM, **more}


def errors(body: str, root: str = "") -> list[tuple[str, str]]:
    return [(each.rule, each.element_id) for each in check(files(body, root), CATALOGUE) if each.is_error]


def task(extensions: str, kind: str = "userTask") -> str:
    return around(f'<{kind} id="x"><extensionElements>{extensions}</extensionElements></{kind}>')


# --- operations --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (service("x", "erp.create", material='"M"', quantity="2.5"), []),
        (service("x", "erp.create@1", material="m", quantity="q", urgency='"high"', needed_on='"2026-01-02"'), []),
        (service("x", "erp.destroy"), ["unknown-operation"]),
        (service("x", "erp.create@7", material="m", quantity="q"), ["unknown-operation"]),
        (service("x", "erp.create", material="m"), ["missing-input"]),
        (service("x", "erp.create", material="m", quantity="q", colour="c"), ["unknown-input"]),
        (service("x", "erp.create", material="5", quantity="q"), ["input-type"]),
        (service("x", "erp.create", material="m", quantity="-1"), ["input-type"]),
        (service("x", "erp.create", material="m", quantity='"many"'), ["input-type"]),
        (service("x", "erp.create", material="m", quantity="q", urgency='"soon"'), ["input-type"]),
        (service("x", "erp.create", material="m", quantity="q", needed_on='"tomorrow"'), ["input-type"]),
        (service("x", "erp.create", material="m", quantity="q", lines="1.5"), ["input-type"]),
        (service("x", "erp.create", material="m", quantity="true"), ["input-type"]),
        (service("x", "erp.create", material="m", quantity="q +"), ["bad-expression"]),
        (service("x", "erp.create", material="m", quantity="q", more=' compensate="erp.read"'), ["not-a-compensation"]),
        (service("x", "erp.create", material="m", quantity="q", more=' compensate="erp.gone"'), ["unknown-operation"]),
        (service("x", "erp.create", material="m", quantity="q", more=' retry="0"'), ["bad-extension"]),
        (service("x", "erp.create", material="m", quantity="q", more=' timeout="soon"'), ["bad-extension"]),
        (service("x", "Erp Create"), ["bad-extension", "unknown-operation"]),
    ],
)
def test_an_operation_must_be_known_and_its_inputs_fit(step: str, expected: list[str]) -> None:
    assert [rule for rule, _ in errors(around(step))] == expected


def test_a_binding_is_read_with_all_it_says() -> None:
    more = ' intent="= draft.number" retry="3" timeout="PT20S" compensate="erp.cancel"'
    step = service("x", "erp.create", result="document", more=more, material="= draft.material", quantity="draft.q")
    binding = read_definition(files(around(step))).node("x").operation

    assert binding is not None
    assert {name: each.text for name, each in binding.inputs.items()} == {
        "material": "draft.material",
        "quantity": "draft.q",
    }
    assert (binding.reference, binding.result, binding.retry_attempts, binding.timeout) == (
        "erp.create",
        "document",
        3,
        "PT20S",
    )
    assert binding.intent is not None
    assert (binding.intent.text, binding.compensate) == ("draft.number", "erp.cancel")


def test_pinning_names_the_newest_version_and_leaves_drawn_versions() -> None:
    more = ' compensate="erp.cancel"'
    steps = service("x", "erp.create", material="m", quantity="q", more=more)
    steps += service("y", "erp.create@1", material="m", quantity="q")
    definition = read_definition(files(START + steps + END + line("x", "y")))

    pinned = pin(definition, CATALOGUE)
    bindings = [pinned.node(each).operation for each in "xy"]
    assert [each.reference for each in bindings if each] == ["erp.create@2", "erp.create@1"]
    assert [each.compensate for each in bindings if each] == ["erp.cancel@1", None]
    assert pinned.process.nodes["x"].operation == pinned.node("x").operation
    assert pinned.digest == definition.digest
    pins = pinned_references(definition, CATALOGUE)
    assert pins == {"erp.create": "erp.create@2", "erp.create@1": "erp.create@1", "erp.cancel": "erp.cancel@1"}
    assert apply_pins(definition, pins) == pinned


def test_pinning_an_unknown_operation_is_refused() -> None:
    definition = read_definition(files(around(service("x", "erp.gone"))))

    with pytest.raises(UnknownOperation):
        pin(definition, CATALOGUE)


# --- people ------------------------------------------------------------------------------------------------------


def test_a_user_task_is_read_with_all_it_says() -> None:
    body = task(
        '<vermilion:form key="approve" result="decision" binds="draft"/>'
        '<vermilion:assignment role="Buyer"><vermilion:excluded>requester</vermilion:excluded></vermilion:assignment>'
        '<vermilion:due duration="P5D"/><vermilion:reminder duration="PT8H" working="true"/>'
        '<vermilion:escalation duration="PT16H" working="false" role="Head"/><vermilion:priority value="80"/>'
        '<vermilion:documentation language="zh">审批</vermilion:documentation>'
    )
    assert errors(body) == []
    node = read_definition(files(body)).node("x")

    assert node.task is not None
    assert node.task.form is not None
    assert node.task.assignment is not None
    assert (node.task.form.key, node.task.form.result, node.task.priority) == ("approve", "decision", 80)
    assert node.task.form.binds is not None
    assert node.task.form.binds.text == "draft"
    assert (node.task.assignment.role, [each.text for each in node.task.assignment.excluded]) == (
        "Buyer",
        ["requester"],
    )
    assert node.task.due == WorkingTime(duration="P5D", is_working=True)
    assert node.task.escalation == WorkingTime(duration="PT16H", is_working=False)
    assert node.task.escalation_role == "Head"
    assert node.documentation_texts == {"zh": "审批"}


def test_the_role_of_a_task_is_its_lane_where_nothing_else_is_said() -> None:
    lanes = '<laneSet><lane id="l" name="Buyer"><flowNodeRef>x</flowNodeRef></lane></laneSet>'
    body = lanes + task('<vermilion:form key="approve"/>')

    assert errors(body) == []
    settings = read_definition(files(body)).node("x").task
    assert settings is not None
    assert settings.assignment is not None
    assert settings.assignment.role == "Buyer"


@pytest.mark.parametrize(
    ("extensions", "expected"),
    [
        ("", ["role-missing"]),
        ('<vermilion:assignment role="Nobody"/>', ["unknown-role"]),
        ('<vermilion:assignment role="Buyer"/><vermilion:form key="gone"/>', ["unknown-form"]),
        ('<vermilion:assignment role="Buyer"/><vermilion:priority value="101"/>', ["bad-extension"]),
        ('<vermilion:assignment role="Buyer"/><vermilion:due duration="P1M"/>', ["bad-extension"]),
        ('<vermilion:assignment role="Buyer"/><vermilion:due/>', ["bad-extension"]),
        ('<vermilion:assignment role="Buyer"/><vermilion:assignment role="Head"/>', ["bad-extension"]),
        ('<vermilion:assignment role="Buyer"><vermilion:form key="a"/></vermilion:assignment>', ["bad-extension"]),
        ('<vermilion:assignment role="Buyer"/><vermilion:operation name="erp.read"/>', ["bad-extension"]),
        ('<vermilion:assignment role="Buyer"/><vermilion:unheard/>', ["bad-extension"]),
        ('<vermilion:assignment role="Buyer" colour="red"/>', ["bad-extension"]),
        ('<vermilion:assignment role="Buyer">text</vermilion:assignment>', ["bad-extension"]),
        ('<vermilion:escalation duration="PT1H" role="Nobody"/><vermilion:assignment role="Buyer"/>', ["unknown-role"]),
    ],
)  # fmt: skip
def test_what_a_task_names_must_exist_and_be_in_its_place(extensions: str, expected: list[str]) -> None:
    assert [rule for rule, _ in errors(task(extensions))] == expected


# --- messages, timers, decisions ---------------------------------------------------------------------------------

MESSAGES = '<message id="m" name="Confirmed"/><message id="u" name="Unheard"/>'


def test_a_message_event_is_read_with_correlation_result_and_payload() -> None:
    body = (
        f'{START}<intermediateThrowEvent id="t"><messageEventDefinition messageRef="m"><extensionElements>'
        '<vermilion:payload name="number">document.number</vermilion:payload></extensionElements>'
        '</messageEventDefinition></intermediateThrowEvent><intermediateCatchEvent id="c"><extensionElements>'
        '<vermilion:correlation>document.number</vermilion:correlation><vermilion:result name="confirmation"/>'
        '</extensionElements><messageEventDefinition messageRef="m"/></intermediateCatchEvent>'
        f"{END}{line('t', 'c')}"
    )
    assert errors(body, MESSAGES) == []
    definition = read_definition(files(body, MESSAGES))

    thrown, caught = definition.node("t").event, definition.node("c").event
    assert isinstance(thrown, MessageEvent)
    assert isinstance(caught, MessageEvent)
    assert thrown.payload["number"].text == "document.number"
    assert caught.correlation is not None
    assert (caught.correlation.text, caught.result) == ("document.number", "confirmation")


def test_a_message_that_process_yaml_does_not_declare_is_refused() -> None:
    assert errors(around('<receiveTask id="x" messageRef="u"/>'), MESSAGES) == [("unknown-message", "x")]


def test_a_timer_counts_working_time_where_its_schedule_says_so() -> None:
    timer = (
        '<intermediateCatchEvent id="x"><timerEventDefinition><extensionElements><vermilion:schedule working="true"/>'
        "</extensionElements><timeDuration>{}</timeDuration></timerEventDefinition></intermediateCatchEvent>"
    )
    event = read_definition(files(around(timer.format("P2D")))).node("x").event
    assert event == TimerEvent(kind=TimerKind.DURATION, literal="P2D", in_working_time=True)

    computed = read_definition(files(around(timer.format("= pause")))).node("x").event
    assert isinstance(computed, TimerEvent)
    assert computed.expression is not None
    assert (computed.literal, computed.expression.text) == (None, "pause")


def test_a_decision_must_be_in_a_dmn_file_and_not_beside_an_operation() -> None:
    decision = '<vermilion:decision name="approval" result="who"/>'

    assert errors(task(decision, "businessRuleTask")) == [("unknown-decision", "x")]
    both = decision + '<vermilion:operation name="erp.read"/>'
    assert ("two-bindings", "x") in errors(task(both, "businessRuleTask"))


def test_a_broken_script_is_refused_with_its_line() -> None:
    body = around('<scriptTask id="x"><script>a = 1\nb = = 2</script></scriptTask>')
    (finding,) = [each for each in check(files(body), CATALOGUE) if each.is_error]

    assert (finding.rule, finding.remedy) == ("bad-script", "Correct line 2.")


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (f'{START}<task id="x"/><task id="alone"/>{END}{line("x")}{flow("alone", "alone")}', "unreachable"),
        (f'{START}<eventBasedGateway id="g"/><receiveTask id="r" messageRef="m"/>{END}{flow("s", "g")}{flow("g", "r")}'
         f"{flow('r', 'e')}", "event-gateway-target"),
        (f'{START}<eventBasedGateway id="g"/>{END}{flow("s", "g")}{flow("g", "e", "a = 1")}', "condition-not-here"),
        (around('<task id="x"/>') + flow("x", "s"), "start-with-incoming"),
        (around('<task id="x"/>') + flow("e", "x"), "end-with-outgoing"),
        (around('<callActivity id="x" calledElement="p"/>'), "call-recursion"),
        (around('<task id="x" default="gone"/>'), "bad-default"),
        (around('<boundaryEvent id="x" attachedToRef="s"><timerEventDefinition><timeDuration>PT1H</timeDuration>'
                "</timerEventDefinition></boundaryEvent>"), "boundary-not-here"),
        (around('<exclusiveGateway id="x"/>') + f'<task id="y"/>{flow("x", "y", "a =")}{flow("y", "e")}',
         "bad-expression"),
        (around('<scriptTask id="x" scriptFormat="groovy"><script>x</script></scriptTask>'), "script-language"),
        (around('<task id="x"><standardLoopCharacteristics/></task>'), "loop-without-condition"),
        (around('<task id="x"><standardLoopCharacteristics loopMaximum="2"/>'
                "<multiInstanceLoopCharacteristics/></task>"),
         "two-loops"),
    ],
)  # fmt: skip
def test_a_faulty_flow_is_refused(body: str, rule: str) -> None:
    assert rule in {found for found, _ in errors(body, MESSAGES)}


# --- versions and published schemas ------------------------------------------------------------------------------


def test_the_digest_covers_what_runs_and_nothing_else() -> None:
    base = files(around('<task id="x"/>'))
    before = digest(base)

    assert digest({**base, "scenarios/one.yaml": b"a: 1", "ai/risk.yaml": b"", "README.md": b"x"}) == before
    for path in ("process.bpmn", "process.yaml", "rules.dmn", "forms/approve.form", "i18n/zh.yaml"):
        assert is_part(path)
        assert digest({**base, path: b"changed"}) != before
    assert digest(dict(reversed(base.items()))) == before


def test_the_published_schema_of_the_extensions_is_the_one_in_the_code() -> None:
    assert orjson.loads((SCHEMAS / "vermilion-bpmn.json").read_bytes()) == schema()


def test_the_published_schema_of_process_yaml_is_the_one_in_the_code() -> None:
    assert orjson.loads((SCHEMAS / "process.schema.json").read_bytes()) == ProcessSettings.model_json_schema()


def test_each_child_of_an_extension_is_declared() -> None:
    names = {extension.name for extension in EXTENSIONS}

    assert all(set(extension.children) <= names for extension in EXTENSIONS)
    assert len(names) == len(EXTENSIONS)
