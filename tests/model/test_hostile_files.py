"""A malformed or hostile file is refused with a sentence; nothing in it is evaluated and nothing crashes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import DefinitionRefused, check, check_drawing, read_definition, read_process
from tests.model.drawing import around, bpmn, flow

GOOD = bpmn(around('<userTask id="x"/>'))
DOCTYPE = b"<!DOCTYPE d ["
BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b"]><d>&j;</d>"
)


def _nested(depth: int) -> bytes:
    inside, within = '<userTask id="x"/>', "x"
    for number in range(depth):
        flows = flow(f"s{number}", within) + flow(within, f"e{number}")
        inside = (
            f'<subProcess id="q{number}"><startEvent id="s{number}"/>{inside}<endEvent id="e{number}"/>{flows}'
            "</subProcess>"
        )
        within = f"q{number}"
    return bpmn(around(inside, within))


def refusal(data: bytes) -> tuple[str, ...]:
    with pytest.raises(DefinitionRefused) as caught:
        read_process(data)
    return tuple(each.rule for each in caught.value.findings if each.is_error)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "not-xml"),
        (b"\0\0\0", "not-xml"),
        (b"<definitions", "not-xml"),
        (b"not xml at all", "not-xml"),
        (GOOD.decode().encode("utf-16"), None),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "not-xml"),
        (BOMB, "doctype"),
        (BOMB.decode().replace('<?xml version="1.0"?>', "").encode("utf-16"), "doctype"),
        (b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>', "doctype"),
        (b'<!DOCTYPE d SYSTEM "http://127.0.0.1/evil.dtd"><d/>', "doctype"),
        (b"<!doctype d><d/>", "doctype"),
        (b"<html/>", "not-bpmn"),
        (b'<definitions xmlns="urn:other"/>', "not-bpmn"),
        (b'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>', "no-process"),
        (GOOD + b" " * 50_000_000, "file-too-large"),
        (b"<a>" * 100_000, "not-xml"),
        (GOOD.replace(b'"x"', b'"%s"' % (b"x" * 120)), None),
        (_nested(50), None),
        (_nested(51), "nested-too-deep"),
        (_nested(200), "nested-too-deep"),
        (GOOD.replace(b'"x"', b'"%s"' % (b"x" * 121)), "long-id"),
    ],
)
def test_a_file_that_is_no_fit_drawing_is_refused_by_rule(data: bytes, rule: str | None) -> None:
    if rule is None:
        assert read_process(data).process.scope_id == "p"
    else:
        assert refusal(data) == (rule,)


def test_the_refusal_of_a_large_file_says_what_is_allowed() -> None:
    with pytest.raises(DefinitionRefused, match="at most 5000000 are read"):
        read_process(b"<a/>" + b" " * 50_000_000)


def test_an_extension_that_must_be_understood_is_refused() -> None:
    xml = bpmn(around('<task id="x"/>'), '<extension mustUnderstand="true" definition="q:other"/>')

    assert refusal(xml) == ("must-understand",)


def test_elements_and_attributes_nobody_knows_are_refused() -> None:
    xml = bpmn(around('<task id="x" colour="red"><unheardOf/></task>'))

    assert set(refusal(xml)) == {"unknown-attribute", "unknown-element"}


def test_another_tools_extension_is_noted_and_ignored() -> None:
    body = around('<userTask id="x" c:assignee="kim"><extensionElements><c:form/></extensionElements></userTask>')
    found = check_drawing({"process.bpmn": bpmn(body, more='xmlns:c="http://camunda.org/schema/1.0/bpmn"')})

    assert [each.rule for each in found if each.rule == "foreign-extension"] == ["foreign-extension"] * 2
    assert not any(each.is_error for each in found)


def test_a_foreign_expression_language_is_refused_by_name() -> None:
    body = around('<exclusiveGateway id="x"/>').replace(
        '<sequenceFlow id="x-e" sourceRef="x" targetRef="e">',
        '<sequenceFlow id="x-e" sourceRef="x" targetRef="e"><conditionExpression language="groovy">a'
        "</conditionExpression>",
    )
    with pytest.raises(DefinitionRefused, match="groovy"):
        read_process(bpmn(body))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_xml_is_read_or_refused_and_never_crashes(data: st.DataObject) -> None:
    xml = bytearray(RICH)
    for _ in range(data.draw(st.integers(min_value=1, max_value=6))):
        at = data.draw(st.integers(min_value=0, max_value=len(xml) - 1))
        piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=3))
        length = data.draw(st.integers(min_value=0, max_value=20))
        xml[at : at + length] = piece
    files = {"process.bpmn": bytes(xml), "process.yaml": b"key: p\ntitle: {en: P}\nowner: it\n"}
    with suppress(DefinitionRefused):
        read_definition(files)
    check(files, None)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_in_any_file_are_read_or_refused(data: bytes) -> None:
    for path in ("process.bpmn", "process.yaml", "rules.dmn", "forms/approve.form", "i18n/zh.yaml"):
        files = {"process.bpmn": GOOD, "process.yaml": b"key: p\ntitle: {en: P}\nowner: it\n", path: data}
        check(files, None)


PIECES = [
    b"",
    b'id="s"',
    b'id=""',
    b"<subProcess>",
    b"</subProcess>",
    b"<task/>",
    b'default="f1"',
    b'attachedToRef="x"',
    b"<timeDuration>P1Y</timeDuration>",
    b"<linkEventDefinition name='L'/>",
    b"<parallelGateway id='j'/>",
    b'calledElement="p"',
    b"<!-- -->",
    b"<?pi?>",
    b"&#0;",
    b"\xff",
    b"&lt;",
    b"callActivity",
    b"startEvent",
]
RICH = bpmn(
    """<laneSet><lane name="L"><flowNodeRef>x</flowNodeRef></lane></laneSet>
    <startEvent id="s"/><userTask id="x"><extensionElements><vermilion:form key="approve" result="d"/>
    <vermilion:assignment role="manager"><vermilion:excluded>requester</vermilion:excluded></vermilion:assignment>
    <vermilion:status name="CREATED"/></extensionElements></userTask>
    <boundaryEvent id="b" attachedToRef="x"><timerEventDefinition><timeDuration>PT1H</timeDuration>
    </timerEventDefinition></boundaryEvent>
    <exclusiveGateway id="g" default="f4"/><subProcess id="sub"><startEvent id="i"/><endEvent id="o"/>
    <sequenceFlow id="f7" sourceRef="i" targetRef="o"/></subProcess><parallelGateway id="j"/><endEvent id="e"/>
    <sequenceFlow id="f1" sourceRef="s" targetRef="x"/><sequenceFlow id="f2" sourceRef="x" targetRef="g"/>
    <sequenceFlow id="f3" sourceRef="g" targetRef="sub"><conditionExpression>d.ok</conditionExpression></sequenceFlow>
    <sequenceFlow id="f4" sourceRef="g" targetRef="e"/><sequenceFlow id="f5" sourceRef="sub" targetRef="j"/>
    <sequenceFlow id="f6" sourceRef="j" targetRef="e"/><sequenceFlow id="f8" sourceRef="b" targetRef="e"/>""",
    '<message id="m" name="M"/>',
)
