"""A suggestion is not a fact (P10): who vouches for a value, and where an unaccepted suggestion is stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from engine.contract.origin import Origin
from engine.decision import DecisionFailed as TableFailed
from engine.interpreter.failures import DecisionFailed, SuggestionNotAccepted
from engine.interpreter.values import Value
from engine.model.graph import FlowNode, NodeKind
from tests.interpreter.drawing import (
    define,
    draw,
    each,
    event_gateway,
    feel_script,
    message,
    node,
    rule,
    script,
    service,
    task,
    user,
    while_loop,
)
from tests.interpreter.playing import Play


def _after_analysis(*lines: str, **nodes: FlowNode) -> Play:
    """A process that asks a model first: ``risk`` is its suggestion."""
    scope = draw("start -> ai -> " + lines[0], *lines[1:], ai=service(result="risk"), **nodes)
    return Play(define(scope), {"amount": 5})


BEHIND = ("a -> xor", "xor -> end1 if worse", "xor -> end2 else")
IN_PART = "amount > 9 and risk.level > 2"

READERS: list[tuple[str, tuple[str, ...], dict[str, FlowNode]]] = [
    ("a gateway", ("xor", "xor -> end1 if risk.level > 2", "xor -> end2 else"), {}),
    ("a gateway that may read it", ("xor", f"xor -> end1 if {IN_PART}", "xor -> end2 else"), {}),
    ("an inclusive gateway", ("or", "or -> end1 if risk.level > 2", "or -> end2 else"), {}),
    ("a loop", ("a -> done",), {"a": task(loop=while_loop("risk.level > 2", maximum=2))}),
    ("a completion condition", ("a -> done",), {"a": task(loop=each("[1, 2]", until="risk.level > 2"))}),
    ("what a script made of it", BEHIND, {"a": script("worse = risk['level'] > 2")}),
    ("what FEEL made of it", BEHIND, {"a": feel_script("{worse: risk.level > 2}")}),
]


@pytest.mark.parametrize(("what", "lines", "nodes"), READERS)
def test_a_suggestion_that_nobody_accepted_stops_before(
    what: str, lines: tuple[str, ...], nodes: dict[str, FlowNode]
) -> None:
    play = _after_analysis(*lines, **nodes)

    with pytest.raises(SuggestionNotAccepted) as refused:
        play.succeed("ai", {"level": 3}, origin=Origin.MODEL)

    assert refused.value.element_id is not None
    play.succeed("ai", {"level": 3}, origin=Origin.RULE)
    assert play.last.is_finished


def test_arguments_of_a_job_that_are_suggestions_are_named() -> None:
    play = _after_analysis(
        "work -> done",
        work=service(inputs={"level": "risk.level", "note": "string(amount) + risk.why", "amount": "amount"}),
    )

    play.succeed("ai", {"level": 3, "why": "late"}, origin=Origin.MODEL)

    assert play.wait("work").suggested == {"level", "note"}


def test_a_person_accepts_by_entering_it() -> None:
    play = _after_analysis(
        "review -> xor", "xor -> end1 if accepted.level > 2", "xor -> end2 else", review=user(result="accepted")
    )
    play.succeed("ai", {"level": 3}, origin=Origin.MODEL)

    play.complete("review", level=3)

    assert "end1" in play.path
    assert play.origin("risk") is Origin.MODEL
    assert play.origin("accepted") is Origin.PERSON


# origins of what is read, origin of what is written
TAINTS = [
    ((), Origin.RULE),
    ((Origin.SYSTEM,), Origin.RULE),
    ((Origin.PERSON, Origin.SYSTEM), Origin.RULE),
    ((Origin.SYSTEM, Origin.MODEL), Origin.MODEL),
]


@pytest.mark.parametrize(("origins", "written"), TAINTS)
@pytest.mark.parametrize("language", ["python", "feel"])
def test_a_script_taints_what_it_writes_with_what_it_reads(
    language: str, origins: tuple[Origin, ...], written: Origin
) -> None:
    names = [f"v{number}" for number in range(len(origins))]
    total = " + ".join(["1", *names])
    last = script(f"total = {total}") if language == "python" else feel_script(f"{{total: {total}}}")
    reads = {f"r_{name}": service(result=name) for name in names}
    play = Play(define(draw(" -> ".join(["start", *reads, "last", "done"]), last=last, **reads)))

    for name, origin in zip(names, origins, strict=True):
        play.succeed(f"r_{name}", 1, origin=origin)

    assert play.origin("total") is written


def test_items_and_outputs_of_instances_keep_their_origin() -> None:
    loop = each("risk", item="item", output="results", output_item="result")
    play = _after_analysis("many -> done", many=service(result="result", inputs={"of": "item"}, loop=loop))
    play.succeed("ai", [1, 2], origin=Origin.MODEL)

    assert [play.wait("many", place).suggested for place in range(2)] == [{"of"}, {"of"}]
    play.succeed("many", 1, origin=Origin.SYSTEM)
    play.succeed("many", 2, origin=Origin.MODEL)

    assert play.origin("results") is Origin.MODEL


def test_messages_and_corrections_have_their_own_origin() -> None:
    play = Play(
        define(
            draw(
                "start -> gateway -> told -> a -> done",
                gateway=event_gateway(),
                told=node(NodeKind.RECEIVE_TASK, event=message("m", result="news")),
                a=user(),
            )
        )
    )

    play.receive("told", "x", origin=Origin.MODEL)
    assert play.origin("news") is Origin.MODEL
    play.correct(news="y")
    assert play.origin("news") is Origin.PERSON


def test_two_branches_that_write_the_same_value_keep_the_one_that_claims_less_trust() -> None:
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> and2 -> done", "and1 -> b -> and2", a=service(result="x"), b=service(result="x")
            )
        )
    )

    play.succeed("a", 1, origin=Origin.MODEL)
    play.succeed("b", 1, origin=Origin.SYSTEM)

    assert play.origin("x") is Origin.MODEL


# --- decisions ---


@dataclass(frozen=True)
class _Decided:
    value: Value
    explanation: Value


class _Matrix:
    """A decision model of one decision, by hand."""

    def paths(self, decision: str) -> frozenset[str]:
        """Return what it reads."""
        return frozenset({"amount", "risk.level"})

    def decide(self, decision: str, inputs: Mapping[str, Any], *, now: datetime | None = None) -> _Decided:
        """Decide."""
        if inputs["risk"]["level"] > 9:
            raise TableFailed("matrix", (1, 2), "two rules hold")
        return _Decided("manager" if inputs["amount"] > 3 else "nobody", {"decision": decision, "rule": 1})


def _with_decision() -> Play:
    return Play(
        define(
            draw("start -> ai -> decide -> done", ai=service(result="risk"), decide=rule("matrix", "approver")),
            decisions={"matrix": _Matrix()},
        ),
        {"amount": 5},
    )


def test_a_decision_is_made_with_its_explanation_and_is_a_rules() -> None:
    play = _with_decision()

    play.succeed("ai", {"level": 1}, origin=Origin.SYSTEM)

    assert play.variables["approver"] == "manager"
    assert play.origin("approver") is Origin.RULE
    (made,) = play.last.decisions
    assert (made.element_id, made.decision, made.explanation) == ("decide", "matrix", {"decision": "matrix", "rule": 1})


def test_a_status_names_the_decision_that_its_token_came_from_until_somebody_has_to_act() -> None:
    play = Play(
        define(
            draw(
                "start -> and1 -> decide -> script1 -> and2 -> ask -> late -> done",
                "and1 -> beside -> and3 -> done2",
                decide=rule("matrix", "approver", status="A"),
                script1=feel_script("{x: 1}", status="B"),
                ask=user(status="C"),
                late=task(status="D"),
                beside=task(status="E"),
            ),
            decisions={"matrix": _Matrix()},
        ),
        {"amount": 5, "risk": {"level": 1}},
    )
    first = {each.status: each.decision for each in play.last.statuses}

    play.complete("ask")

    assert first == {"A": None, "B": "matrix", "C": "matrix", "E": None}
    assert [(each.status, each.decision) for each in play.last.statuses] == [("D", None)]


def test_a_decision_does_not_read_a_suggestion() -> None:
    with pytest.raises(SuggestionNotAccepted) as refused:
        _with_decision().succeed("ai", {"level": 1}, origin=Origin.MODEL)

    assert refused.value.element_id == "decide"


def test_a_decision_that_cannot_be_made_is_a_failure() -> None:
    with pytest.raises(DecisionFailed, match="two rules hold") as failed:
        _with_decision().succeed("ai", {"level": 10})

    assert failed.value.element_id == "decide"
