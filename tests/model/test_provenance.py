"""A suggestion reaches no gateway, decision or write before a rule or a person has accepted it (P10, W19)."""

from __future__ import annotations

import pytest

from engine.model import check
from tests.model.catalogue import CATALOGUE, service
from tests.model.drawing import END, START, bpmn, flow, line

YAML = b"key: p\ntitle: {en: P}\nowner: it\nroles: [{name: Buyer, groups: [buyers]}]\n"
FORM = b'{"type": "default", "components": [{"id": "f1", "type": "textfield", "key": "risk"}]}'
TABLE = b"""<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" name="d" namespace="urn:d">
  <decision id="approval" name="approval"><variable name="approval"/>
    <informationRequirement><requiredInput href="#in"/></informationRequirement>
    <literalExpression><text>risk.level = "low"</text></literalExpression></decision>
  <inputData id="in" name="risk"><variable name="risk"/></inputData>
</definitions>"""
SUGGEST = service("ai", "ai.analyse", result="risk")
GATEWAY = '<exclusiveGateway id="g" default="g-e"/><task id="t"/>'
CHOICE = flow("g", "t", 'risk.level = "low"') + flow("g", "e") + flow("t", "e")
ASSIGNED = '<vermilion:assignment role="Buyer"/>'


def answered(result: str) -> str:
    form = f'<vermilion:form key="approve" {result}/>'
    return f'<userTask id="x"><extensionElements>{ASSIGNED}{form}</extensionElements></userTask>'


def refused(body: str, form: bytes = FORM) -> list[tuple[str, str]]:
    files = {"process.bpmn": bpmn(body), "process.yaml": YAML, "rules.dmn": TABLE, "forms/approve.form": form}
    return [(each.element_id, each.reason) for each in check(files, CATALOGUE) if each.rule == "suggestion-read"]


def chain(*steps: str) -> str:
    return START + "".join(steps) + END


def script(text: str, language: str = "") -> str:
    return f'<scriptTask id="x" scriptFormat="{language}"><script>{text}</script></scriptTask>'


def to_gateway(*between: str) -> str:
    return "".join(flow(a, b) for a, b in zip(("s", "ai", *between), ("ai", *between, "g"), strict=True)) + CHOICE


def test_a_gateway_that_reads_a_suggestion_is_refused_with_the_way() -> None:
    ((element, reason),) = refused(chain(SUGGEST, GATEWAY) + to_gateway())

    assert element == "g"
    assert "risk.level, which ai only suggested. The way there: ai → g" in reason


@pytest.mark.parametrize(
    ("step", "is_refused"),
    [
        # A rule that accepts suggestions makes a rule's result.
        (service("x", "rules.accept", result="risk", level="risk.level"), False),
        # A computation that only reads it passes the suggestion on.
        (service("x", "rules.describe", result="risk", level="risk.level"), True),
        # A computation over facts replaces it.
        (service("x", "rules.describe", result="risk", level='"low"'), False),
        # A person's answer is a person's.
        (answered(''), False),
        (answered('result="risk"'), False),
        (answered('result="other"'), True),
        # A script taints what it writes by what it reads.
        (script("risk = {'level': 'low'}"), False),
        (script("risk = {'level': risk['level']}"), True),
        (script("other = 1"), True),
        (script("risk['level'] = 'low'"), True),
        (script("if True:\n    risk = {}"), True),
        (script('{risk: {level: "low"}}', "feel"), True),
        # A business system states facts.
        (service("x", "erp.read", result="risk"), False),
        (service("x", "ai.analyse", result="risk"), True),
    ],
)  # fmt: skip
def test_what_a_step_does_to_a_suggestion(step: str, is_refused: bool) -> None:
    assert bool(refused(chain(SUGGEST, step, GATEWAY) + to_gateway("x"))) is is_refused


@pytest.mark.parametrize(
    ("text", "language", "is_refused"),
    [
        ("r2 = risk", "", True),
        ("r2 = []\nr2.append(risk)", "", True),
        ("r2 = 1\nr2 += len(risk)", "", True),
        ("r2 = 'low'", "", False),
        ("{r2: risk}", "feel", True),
        ('{r2: "low"}', "feel", False),
    ],
)
def test_a_script_carries_a_suggestion_to_another_name(text: str, language: str, is_refused: bool) -> None:
    choice = flow("g", "t", 'r2 = "low"') + flow("g", "e") + flow("t", "e")
    body = chain(SUGGEST, script(text, language), GATEWAY) + line("ai", "x").replace(
        'id="x-e" sourceRef="x" targetRef="e"', 'id="x-g" sourceRef="x" targetRef="g"'
    )
    assert bool(refused(body + choice)) is is_refused


def test_a_write_that_reads_a_suggestion_is_refused_also_through_its_intent() -> None:
    write = service("w", "erp.create", material="risk.level", quantity="1", more=' intent="risk.number"')
    reasons = [reason for element, reason in refused(chain(SUGGEST, write) + line("ai", "w")) if element == "w"]

    assert any("input material of erp.create@2 reads risk.level" in reason for reason in reasons)
    assert any("intent of erp.create@2 reads risk.number" in reason for reason in reasons)


def test_a_read_may_use_a_suggestion() -> None:
    read = service("w", "rules.describe", level="risk.level")

    assert refused(chain(SUGGEST, read) + line("ai", "w")) == []


def test_a_decision_that_reads_a_suggestion_is_refused() -> None:
    decide = (
        '<businessRuleTask id="w"><extensionElements><vermilion:decision name="approval" result="who"/>'
        "</extensionElements></businessRuleTask>"
    )
    ((element, reason),) = refused(chain(SUGGEST, decide) + line("ai", "w"))

    assert element == "w"
    assert "decision approval reads risk.level" in reason


def test_a_suggestion_on_one_way_alone_is_enough() -> None:
    body = (
        START + '<exclusiveGateway id="c" default="c-m"/>' + SUGGEST + '<exclusiveGateway id="m"/>' + GATEWAY + END
        + flow("s", "c") + flow("c", "ai", "q = 1") + flow("c", "m") + flow("ai", "m") + flow("m", "g") + CHOICE
    )  # fmt: skip
    assert [element for element, _ in refused(body)] == ["g"]


def test_a_loop_brings_a_suggestion_back_to_an_earlier_gateway() -> None:
    body = (
        START + '<exclusiveGateway id="m"/>' + GATEWAY + SUGGEST + END
        + flow("s", "m") + flow("m", "g") + flow("g", "t", 'risk.level = "low"') + flow("g", "e")
        + flow("t", "ai") + flow("ai", "m")
    )  # fmt: skip
    assert [element for element, _ in refused(body)] == ["g"]


def test_a_loop_condition_and_a_sub_process_are_followed() -> None:
    inner = f'<startEvent id="i"/>{SUGGEST}<endEvent id="o"/>{flow("i", "ai")}{flow("ai", "o")}'
    loop = "<standardLoopCharacteristics><loopCondition>risk.level = 1</loopCondition></standardLoopCharacteristics>"
    body = START + f'<subProcess id="sub">{loop}{inner}</subProcess>' + GATEWAY + END
    flows = flow("s", "sub") + flow("sub", "g") + CHOICE

    assert {element for element, _ in refused(body + flows)} == {"sub", "g"}


def test_the_output_of_a_multi_instance_of_suggestions_is_a_suggestion() -> None:
    loop = (
        "<multiInstanceLoopCharacteristics><loopDataInputRef>rows</loopDataInputRef>"
        '<loopDataOutputRef>risks</loopDataOutputRef><inputDataItem name="row"/><outputDataItem name="risk"/>'
        "</multiInstanceLoopCharacteristics>"
    )
    many = SUGGEST.replace("</serviceTask>", f"{loop}</serviceTask>")
    choice = flow("g", "t", 'risks[1].level = "low"') + flow("g", "e") + flow("t", "e")

    ((element, reason),) = refused(chain(many, GATEWAY) + flow("s", "ai") + flow("ai", "g") + choice)
    assert (element, "risks" in reason) == ("g", True)


def test_a_suggestion_in_a_data_object_is_seen_by_a_parallel_branch() -> None:
    body = (
        '<dataObject id="do" name="risk"/>' + START + '<parallelGateway id="p1"/>' + SUGGEST + GATEWAY
        + '<parallelGateway id="p2"/>' + END
        + flow("s", "p1") + flow("p1", "ai") + flow("p1", "g") + flow("ai", "p2")
        + flow("g", "t", 'risk.level = "low"') + flow("g", "p2", flow_id="g-e") + flow("t", "p2") + flow("p2", "e")
    )  # fmt: skip
    assert [element for element, _ in refused(body)] == ["g"]


@pytest.mark.parametrize(("returns_to", "is_refused"), [("", False), ("x", True), ("ai", False)])
def test_a_suggestion_may_have_been_made_before_an_operator_s_return(returns_to: str, is_refused: bool) -> None:
    body = (
        chain(service("r", "erp.read", result="risk"), '<task id="x"/>', GATEWAY, SUGGEST)
        + flow("s", "r")
        + flow("r", "x")
        + flow("x", "g")
        + flow("g", "t", 'risk.level = "low"')
        + flow("g", "e", flow_id="g-e")
        + flow("t", "ai")
        + flow("ai", "e")
    )
    reentry = f", reentry: {returns_to}" if returns_to else ""
    statuses = f"initial_status: NEW\nstatuses: [{{name: NEW, to: [DONE]}}, {{name: DONE, to: [NEW]{reentry}}}]\n"
    files = {"process.bpmn": bpmn(body), "process.yaml": YAML + statuses.encode()}

    found = [each.element_id for each in check(files, CATALOGUE) if each.rule == "suggestion-read"]
    assert found == (["g"] if is_refused else [])
