"""``process.yaml`` and texts: what is read, and what is refused with its line."""

from __future__ import annotations

import pytest

from engine.model import DefinitionRefused, check, read_definition, read_processes
from engine.model.findings import Finding
from tests.model.drawing import around, bpmn, flow

BPMN = bpmn(around('<userTask id="x" name="Approve"/>'))
GOOD = """key: p
title: {en: Purchase, zh: 采购}
owner: purchasing
business_key: material_risk_id
initial_status: NEW
statuses:
  - {name: NEW, to: [DONE]}
  - {name: DONE, is_final: true}
cancellation: {status: DONE, directly_in: [NEW]}
roles: [{name: Buyer, groups: [buyers]}]
messages:
  - {name: Short, types: [material.short], key: id, schema: {type: object, properties: {q: {minimum: 0.5}}}}
calendar: {zone: Asia/Shanghai, opens: "08:30", closes: "17:30", free: ["2026-10-01"]}
tolerances: {quantity: 0.10}
deadline: P30D
searchable: {material: draft.material}
"""


def refused(text: str) -> list[Finding]:
    with pytest.raises(DefinitionRefused) as caught:
        read_definition({"process.bpmn": BPMN, "process.yaml": text.encode()})
    return [each for each in caught.value.findings if each.is_error]


def test_the_whole_file_is_read() -> None:
    settings = read_definition({"process.bpmn": BPMN, "process.yaml": GOOD.encode()}).settings

    assert str(settings.tolerances["quantity"]) == "0.10"
    assert settings.calendar.opens.isoformat() == "08:30:00"
    assert settings.messages[0].data_schema["properties"]["q"]["minimum"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("owner: purchasing", "owners: purchasing", 1, "owner"),
        ("key: p\n", "key: P P\n", 1, "key"),
        ("to: [DONE]", "to: [GONE]", 7, "GONE is not declared"),
        ("is_final: true", "is_final: true, to: [NEW]", 8, "final and yet leads"),
        ("is_final: true", "is_final: true, allows_writes: true", 8, "final and yet allows"),
        ("is_final: true", "is_final: true, reentry: x", 8, "final and yet says where to go on"),
        ("{name: NEW,", "{name: NEW, reentry: x,", 7, "no transition leads to NEW"),
        ("initial_status: NEW\n", "", 1, "none to begin with"),
        ("initial_status: NEW", "initial_status: OLD", 5, "OLD is not declared"),
        ("status: DONE, directly_in: [NEW]", "status: NEW, directly_in: [NEW]", 9, "NEW is not final"),
        ("directly_in: [NEW]", "directly_in: [DONE]", 9, "does not lead to DONE"),
        ("directly_in: [NEW]", "directly_in: [NEW], message: Stop", 9, "Stop is not declared"),
        ("name: DONE,", "name: NEW,", 8, "declared twice"),
        ("groups: [buyers]}]", "groups: [buyers]}, {name: Buyer, groups: []}]", 10, "declared twice"),
        ("{type: object,", "{type: nothing,", 12, "no JSON Schema"),
        ("Asia/Shanghai", "Asia/Atlantis", 13, "no time zone"),
        ("Asia/Shanghai", "../../etc/passwd", 13, "no time zone"),
        ('opens: "08:30"', 'opens: "18:30"', 13, "closes before it opens"),
        ("2026-10-01", "October", 13, "no date"),
        ("deadline: P30D", "deadline: P1M", 15, "no fixed length"),
        ("quantity: 0.10", "quantity: much", 14, "tolerances.quantity"),
        ("business_key: material_risk_id", "business_key: material +", None, "no FEEL"),
        ("key: id,", "key: id +,", None, "no FEEL"),
        ("draft.material", "draft.(", None, "no FEEL"),
        ("key: p\n", "key: p\nkey: q\n", 2, "given twice"),
        ("owner: purchasing", "owner: &a purchasing", None, "anchors"),
        ("owner: purchasing", "owner: !!python/object:os.system x", 3, "tag"),
        ("owner: purchasing", 'owner: "\\ud800"', 3, "half of a character pair"),
        ("owner: purchasing", 'owner: "a\\0"', 3, "zero byte"),
        ("groups: [buyers]}]", "groups: [buyers]}, {name: " + "r" * 65 + ", groups: []}]", 10, "at most 64"),
        ("owner: purchasing", "owner: [", 5, "cannot be read as YAML"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_line(old: str, new: str, line: int | None, said: str) -> None:
    assert old in GOOD
    files = {"process.bpmn": BPMN, "process.yaml": GOOD.replace(old, new).encode()}
    found = [each for each in check(files, None) if each.is_error and each.file == "process.yaml"]

    assert any(said in each.reason for each in found), [str(each) for each in found]
    if line is not None:
        assert line in {each.line for each in found if said in each.reason}


def test_a_folder_without_settings_or_drawing_is_refused() -> None:
    with pytest.raises(DefinitionRefused, match=r"no process\.yaml"):
        read_definition({"process.bpmn": BPMN})
    with pytest.raises(DefinitionRefused, match=r"no process\.bpmn"):
        read_definition({"process.yaml": GOOD.encode()})


def test_nested_aliases_cannot_blow_a_file_up() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(9))

    assert [each.rule for each in refused(bomb)] == ["not-yaml"]


def test_texts_give_labels_by_language_and_name_only_what_exists() -> None:
    files = {"process.bpmn": BPMN, "process.yaml": GOOD.encode(), "i18n/zh.yaml": "x: 审批\ngone: 没有\n".encode()}
    definition = read_definition(files)

    assert (definition.label("x", "zh"), definition.label("x", "en")) == ("审批", "Approve")
    assert [each.rule for each in check(files, None) if each.file == "i18n/zh.yaml"] == ["unknown-text"]


BARE = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">'
CALLED = f'<process id="q" isExecutable="true"><startEvent id="qs"/><endEvent id="qe"/>{flow("qs", "qe")}</process>'


def test_a_called_process_of_another_file_belongs_to_the_definition() -> None:
    files = {
        "process.bpmn": bpmn(around('<callActivity id="x" calledElement="q"/>')),
        "check.bpmn": f"{BARE}{CALLED}</definitions>".encode(),
        "process.yaml": b"key: p\ntitle: {en: P}\nowner: it\n",
    }
    definition = read_definition(files)

    assert (definition.process.scope_id, list(definition.called)) == ("p", ["q"])
    assert definition.node("qs").element_id == "qs"
    assert [each for each in check(files, None) if each.is_error] == []


def test_which_process_is_the_main_one_must_be_clear() -> None:
    xml = bpmn(around('<task id="x"/>'), CALLED)

    definition = read_definition({"process.bpmn": xml, "process.yaml": b"key: q\ntitle: {en: Q}\nowner: it\n"})
    assert definition.process.scope_id == "q"
    with pytest.raises(DefinitionRefused, match="none has the key other"):
        read_definition({"process.bpmn": xml, "process.yaml": b"key: other\ntitle: {en: Q}\nowner: it\n"})


def test_each_process_of_a_file_can_be_a_definition_of_its_own() -> None:
    definitions = read_processes({"two.bpmn": bpmn(around('<task id="x"/>'), CALLED)})

    assert {key: each.process.scope_id for key, each in definitions.items()} == {"p": "p", "q": "q"}
    assert definitions["p"].digest != definitions["q"].digest
