"""What is not taken, with the element at fault and what to change."""

from __future__ import annotations

import pytest

from engine.decision import DecisionRefused, read_decisions
from tests.decision.documents import decision, file, input_data, literal, table

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + level)} "{f"&{chr(97 + level)};" * 10}">' for level in range(9))
    + "]><definitions>&j;</definitions>"
).encode()
EXTERNAL = b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + file(decision("x", literal("&x;")))

FILES: list[tuple[bytes, str, str]] = [
    (b"", "", "not XML"),
    (b"<definitions", "", "not XML"),
    (b"<definitions/>", "", "not DMN"),
    (file().replace(b"MODEL/", b"MODEL/9/"), "", "not DMN"),
    (b"<a>" + b" " * 6_000_000 + b"</a>", "", "more than 5,000,000"),
    (b"<a>" * 100_000, "", "not XML"),
    (BOMB, "", ""),
    (EXTERNAL, "", "document type declaration"),
    (b"\xff\xfe<\x00", "", "not XML"),
]

MODELS: list[tuple[bytes, str, str]] = [
    (file(decision("x", literal("1 +"))), "d_x", "is not FEEL"),
    (file(decision("x", literal(""))), "d_x", "an expression is empty"),
    (file(decision("x", "")), "d_x", "has no expression"),
    (file(decision("x", literal("1"), requires=["d_y"])), "d_x", "'d_y', which the file does not have"),
    (
        file(decision("a", literal("b"), requires=["d_b"]), decision("b", literal("a"), requires=["d_a"])),
        "d_a",
        "d_a - d_b - d_a",
    ),
    (file(decision("x", literal("1"), type_reference="tNone")), "d_x", "there is no type 'tNone'"),
    (file(input_data("i", "tNone")), "i_i", "there is no type 'tNone'"),
    (
        file('<itemDefinition name="t"><typeRef>t</typeRef></itemDefinition>', input_data("i", "t")),
        "t",
        "contains itself",
    ),
    (file(decision("x", table(["a"], ["x"], ["< : 1"]))), "r1", "no test"),
    (file(decision("x", table(["a"], ["x"], ["1 | 2 : 1"]))), "r1", "rule 1 has 2 inputs"),
    (file(decision("x", table(["a"], ["x"], ["1 : 1"], policy="BEST"))), "t", "hit policy"),
    (file(decision("x", table(["a"], ["x"], ["1 : 1"], aggregation="SUM"))), "t", "only COLLECT"),
    (file(decision("x", table(["a"], ["x"], ["1 : 1"], policy="PRIORITY"))), "t", "none are listed"),
    (file(decision("x", table(["a"], ["x", ""], ["1 : 1 | 2"]))), "t", "a name each"),
    (
        file(decision("x", table(["a"], ["x", "y"], ["1 : 1 | 2"], policy="COLLECT", aggregation="SUM"))),
        "t",
        "one output only",
    ),
    (
        file(decision("x", '<literalExpression id="l" expressionLanguage="juel"><text>1</text></literalExpression>')),
        "l",
        "'juel' is not run",
    ),
    (
        file(decision("x", '<functionDefinition id="f" kind="Java"><context/></functionDefinition>')),
        "f",
        "'Java' are not run",
    ),
    (
        file('<import name="other" namespace="urn:o" importType="https://www.omg.org/spec/DMN/20230324/MODEL/"/>'),
        "other",
        "is not read",
    ),
]


@pytest.mark.parametrize(("xml", "element_id", "told"), [*FILES, *MODELS])
def test_a_file_that_cannot_be_run_as_drawn_is_refused(xml: bytes, element_id: str, told: str) -> None:
    with pytest.raises(DecisionRefused) as refused:
        read_decisions(xml, path="rules.dmn")

    assert refused.value.path == "rules.dmn"
    assert refused.value.element_id == element_id
    assert told in refused.value.reason
    assert refused.value.remedy
