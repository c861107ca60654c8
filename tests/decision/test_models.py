"""Requirement graphs, knowledge models, types, explanations, and what a model reads (DMN 1.5, clauses 6 and 7)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import cast

import pytest

from engine.decision import UnknownDecision, examine_decisions, read_decisions
from engine.decision.trace import Plain
from engine.feel import FeelLimitExceeded, Value
from tests.decision.documents import decision, file, input_data, literal, table

D = Decimal

NAMESPACES = [
    "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "https://www.omg.org/spec/DMN/20230324/MODEL/",
]

KNOWLEDGE = (
    '<businessKnowledgeModel id="b_add" name="add tax"><encapsulatedLogic>'
    '<formalParameter name="net" typeRef="number"/><formalParameter name="rate" typeRef="number"/>'
    f"{literal('decimal(net * (1 + rate), 2)')}</encapsulatedLogic></businessKnowledgeModel>"
)


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_files_of_dmn_1_1_to_1_5_are_read(namespace: str) -> None:
    model = read_decisions(file(decision("x", literal("a + 1")), namespace=namespace), path="a.dmn")

    assert model.decide("d_x", {"a": 1}).value == D(2)
    assert model.names == {"x", "d_x"}


def test_a_decision_reads_the_decisions_it_requires_each_made_once() -> None:
    model = read_decisions(
        file(
            input_data("unit price", "number"),
            decision("total", literal("unit price * quantity"), requires=["i_unit price"]),
            decision("discount", literal("if total > 100 then 0.1 else 0"), requires=["d_total"]),
            decision("to pay", literal("total - total * discount"), requires=["d_total", "d_discount"]),
        ),
        path="price.dmn",
    )

    result = model.decide("to pay", {"unit price": 20, "quantity": 10, "unread": object()})  # type: ignore[dict-item]

    assert result.value == D(180)
    assert [record["name"] for record in _records(result.explanation)] == ["total", "discount", "to pay"]
    assert model.paths("to pay") == {"unit price", "quantity"}
    assert model.paths("discount") == {"unit price", "quantity"}


def test_a_decision_invokes_a_business_knowledge_model() -> None:
    calls = decision("gross", literal("add tax(amount.net, 0.19) + add tax(rate: 0, net: 1)"), requires=["b_add"])
    model = read_decisions(file(KNOWLEDGE, calls), path="a.dmn")

    assert model.decide("gross", {"amount": {"net": D("0.10")}}).value == D("1.12")
    assert model.paths("gross") == {"amount.net"}
    assert model.invoke("add tax", {"net": 100, "rate": D("0.07")}) == D(107)


def test_the_explanation_says_which_rules_fired_with_which_inputs() -> None:
    drawn = table(["amount", "category"], ["role"], ['> 100 | - : "chief"', '- | "raw" : "buyer"'], policy="RULE ORDER")
    model = read_decisions(file(decision("approver", drawn)), path="a.dmn")

    explanation = model.decide("approver", {"amount": D("250.50"), "category": "other"}).explanation

    assert json.loads(json.dumps(explanation)) == {
        "decision": "approver",
        "id": "d_approver",
        "value": ["chief"],
        "decisions": [
            {
                "id": "d_approver",
                "name": "approver",
                "value": ["chief"],
                "inputs": {"amount": "250.50", "category": "other"},
                "tables": [
                    {
                        "table": "t",
                        "label": "t",
                        "hit_policy": "RULE ORDER",
                        "aggregator": None,
                        "inputs": [
                            {"label": "The amount", "expression": "amount", "value": "250.50"},
                            {"label": "The category", "expression": "category", "value": "other"},
                        ],
                        "rules": [
                            {"number": 1, "id": "r1", "outputs": {"role": "chief"}, "annotations": {"why": "note 1"}}
                        ],
                        "default": False,
                        "result": ["chief"],
                    }
                ],
                "reasons": [],
            }
        ],
    }


def test_the_explanation_of_first_names_the_one_rule_that_counts() -> None:
    drawn = table(["a"], ["x"], ["> 1 : 1", "> 2 : 2", "> 3 : 3"], policy="FIRST")
    model = read_decisions(file(decision("x", drawn)), path="a.dmn")

    made = cast("list[Mapping[str, Plain]]", _records(model.decide("x", {"a": 5}).explanation)[0]["tables"])

    assert [rule["id"] for rule in cast("list[Mapping[str, Plain]]", made[0]["rules"])] == ["r1"]


def test_a_function_inside_a_context_reads_what_stands_around_it() -> None:
    boxed = (
        '<context><contextEntry><variable name="f"/><functionDefinition><formalParameter name="p"/>'
        f"{literal('p * rate')}</functionDefinition></contextEntry>"
        f"<contextEntry>{literal('f(p: 2)')}</contextEntry></context>"
    )
    model = read_decisions(file(decision("x", boxed)), path="a.dmn")

    assert model.decide("x", {"rate": 3}).value == D(6)
    assert model.paths("x") == {"rate"}


def test_the_explanation_says_why_a_value_is_null() -> None:
    model = read_decisions(file(decision("x", literal("missing + 1"))), path="a.dmn")

    record = _records(model.decide("x", {}).explanation)[0]

    assert record["value"] is None
    assert record["reasons"] == ["there is no 'missing' here", "there is no null + number"]


TYPES = (
    '<itemDefinition name="tLevel"><typeRef>string</typeRef><allowedValues><text>"LOW","HIGH"</text></allowedValues>'
    '</itemDefinition><itemDefinition name="tRisk"><itemComponent name="risk level"><typeRef>tLevel</typeRef>'
    '</itemComponent><itemComponent name="scores" isCollection="true"><typeRef>number</typeRef></itemComponent>'
    "</itemDefinition>"
)


@pytest.mark.parametrize(
    ("risk", "wanted"),
    [
        ({"risk level": "LOW", "scores": [1, 2]}, "LOW2"),
        ({"risk level": "LOW", "scores": 1}, "LOW1"),  # one value for a collection of it (10.3.2.9.4)
        ({"risk level": "OTHER", "scores": []}, None),  # outside the allowed values: null
        ({"risk level": "LOW", "scores": ["a"]}, None),
        ("LOW", None),
    ],
)
def test_input_data_are_of_their_item_definition_or_null(risk: Value, wanted: Value) -> None:
    text = "assessment.risk level + string(count(assessment.scores))"
    model = read_decisions(
        file(TYPES, input_data("assessment", "tRisk"), decision("x", literal(text), requires=["i_assessment"])),
        path="a.dmn",
    )

    assert model.decide("x", {"assessment": risk}).value == wanted


def test_a_result_that_is_not_of_the_declared_type_is_null() -> None:
    model = read_decisions(file(decision("x", literal('"5"'), type_reference="number")), path="a.dmn")

    assert model.decide("x", {}).value is None


@pytest.mark.parametrize(
    ("boxed", "wanted"),
    [
        (
            '<context><contextEntry><variable name="net price"/>{0}</contextEntry>'
            "<contextEntry>{1}</contextEntry></context>",
            D(6),
        ),
        ("<list>{0}{0}</list>", [D(3), D(3)]),
        (
            '<relation><column name="a"/><column name="b"/><row>{0}{2}</row></relation>',
            [{"a": D(3), "b": True}],
        ),
        ("<conditional><if>{2}</if><then>{0}</then><else>{0}</else></conditional>", D(3)),
        ('<for iteratorVariable="n"><in>{3}</in><return>{4}</return></for>', [D(2), D(4)]),
        ('<some iteratorVariable="n"><in>{3}</in><satisfies>{5}</satisfies></some>', True),
        ('<every iteratorVariable="n"><in>{3}</in><satisfies>{5}</satisfies></every>', False),
        ("<filter><in>{3}</in><match>{6}</match></filter>", [D(2)]),
    ],
)
def test_boxed_expressions_have_the_value_of_their_text(boxed: str, wanted: Value) -> None:
    texts = ["a + 2", "net price * 2", "a = 1", "[1, 2]", "n * 2", "n > a", "item > a"]
    model = read_decisions(file(decision("x", boxed.format(*map(literal, texts)))), path="a.dmn")

    assert model.decide("x", {"a": 1}).value == wanted
    assert model.paths("x") <= {"a"}


def test_a_model_is_immutable() -> None:
    model = read_decisions(file(decision("x", literal("1"))), path="a.dmn")

    with pytest.raises(dataclasses.FrozenInstanceError):
        model.path = "b.dmn"  # type: ignore[misc]
    with pytest.raises(TypeError):
        model.decisions["y"] = model.decisions["d_x"]  # type: ignore[index]


def test_an_unknown_decision_is_named() -> None:
    model = read_decisions(file(decision("x", literal("1"))), path="a.dmn")

    with pytest.raises(UnknownDecision, match=r"a\.dmn has no decision 'y'"):
        model.decide("y", {})


def test_a_model_that_calls_itself_without_end_is_stopped() -> None:
    endless = (
        '<businessKnowledgeModel id="b_f" name="f"><encapsulatedLogic><formalParameter name="n"/>'
        f"{literal('f(n + 1) + f(n + 2)')}</encapsulatedLogic></businessKnowledgeModel>"
    )
    model = read_decisions(file(endless, decision("x", literal("f(1)"), requires=["b_f"])), path="a.dmn")

    with pytest.raises(FeelLimitExceeded):
        model.decide("x", {})


def test_a_draft_is_examined_whole_and_its_sound_decisions_can_be_tried() -> None:
    model = examine_decisions(
        file(decision("bad", literal("1 +")), decision("worse", "<foo/>"), decision("good", literal("1"))), path="a.dmn"
    )

    assert [fault.element_id for fault in model.faults] == ["d_bad", "d_worse"]
    assert model.decide("good", {}).value == D(1)


def _records(explanation: Mapping[str, Plain]) -> list[Mapping[str, Plain]]:
    return cast("list[Mapping[str, Plain]]", explanation["decisions"])
