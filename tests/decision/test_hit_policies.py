"""Every hit policy and aggregator (DMN 1.5, 8.2.8 and 8.2.9), defaults and allowed values."""

from __future__ import annotations

from decimal import Decimal

import pytest

from engine.decision import DecisionFailed, read_decisions
from engine.feel import Value
from tests.decision.documents import decision, file, table

D = Decimal

OVERLAPPING = ('>= 10 : "C"', '>= 5 : "A"', '>= 1 : "B"', '< 0 : "A"')
AMOUNTS = (">= 10 : 10", ">= 5 : 20", ">= 1 : 10")
LETTERS = ('"A","B","C"',)

CASES: list[tuple[str, str, tuple[str, ...], int, Value]] = [
    ("UNIQUE", "", OVERLAPPING, 3, "B"),
    ("UNIQUE", "", OVERLAPPING, 0, None),  # no rule, no default: null
    ("FIRST", "", OVERLAPPING, 12, "C"),
    ("FIRST", "", OVERLAPPING, 7, "A"),
    ("ANY", "", ('> 1 : "A"', '> 2 : "A"'), 5, "A"),
    ("PRIORITY", "", OVERLAPPING, 12, "A"),
    ("PRIORITY", "", ('> 1 : "C"', '> 2 : "B"'), 5, "B"),
    ("RULE ORDER", "", OVERLAPPING, 12, ["C", "A", "B"]),
    ("RULE ORDER", "", OVERLAPPING, 0, []),
    ("OUTPUT ORDER", "", OVERLAPPING, 12, ["A", "B", "C"]),
    ("COLLECT", "", OVERLAPPING, 6, ["A", "B"]),
    ("COLLECT", "SUM", AMOUNTS, 12, D(40)),
    ("COLLECT", "MIN", AMOUNTS, 12, D(10)),
    ("COLLECT", "MAX", AMOUNTS, 12, D(20)),
    ("COLLECT", "COUNT", AMOUNTS, 12, D(3)),
    ("COLLECT", "COUNT", AMOUNTS, 0, D(0)),
    ("COLLECT", "SUM", AMOUNTS, 0, None),
]


@pytest.mark.parametrize(("policy", "aggregation", "rules", "amount", "wanted"), CASES)
def test_a_hit_policy_gives_the_value_of_the_standard(
    policy: str, aggregation: str, rules: tuple[str, ...], amount: int, wanted: Value
) -> None:
    letters = LETTERS if '"' in rules[0] else ()
    drawn = table(["amount"], ["letter"], rules, policy=policy, aggregation=aggregation, output_values=letters)
    model = read_decisions(file(decision("chosen", drawn)), path="a.dmn")

    assert model.decide("chosen", {"amount": amount}).value == wanted


@pytest.mark.parametrize(
    ("policy", "rules", "told"),
    [
        ("UNIQUE", ('> 1 : "A"', '< 0 : "B"', '> 2 : "A"'), "the rules 1 and 3 hit together"),
        ("ANY", ('> 1 : "A"', '> 2 : "B"'), "the rules 1 and 2 hit with different outputs"),
    ],
)
def test_rules_that_contradict_the_policy_are_an_error_that_names_them(
    policy: str, rules: tuple[str, ...], told: str
) -> None:
    model = read_decisions(file(decision("chosen", table(["amount"], ["x"], rules, policy=policy))), path="a.dmn")

    with pytest.raises(DecisionFailed, match=told) as failed:
        model.decide("chosen", {"amount": 5})

    assert failed.value.table == "t"
    assert failed.value.rules == ((1, 3) if policy == "UNIQUE" else (1, 2))


def test_several_outputs_make_a_context() -> None:
    drawn = table(["a"], ["role", "days"], ['> 1 : "buyer" | 3', '- : "chief" | 5'], policy="RULE ORDER")
    model = read_decisions(file(decision("who", drawn)), path="a.dmn")

    assert model.decide("who", {"a": 2}).value == [{"role": "buyer", "days": D(3)}, {"role": "chief", "days": D(5)}]


def test_priority_orders_by_the_outputs_from_left_to_right() -> None:
    drawn = table(
        ["a"],
        ["first", "second"],
        ['- : "B" | "x"', '- : "A" | "y"', '- : "A" | "x"'],
        policy="PRIORITY",
        output_values=('"A","B"', '"x","y"'),
    )
    model = read_decisions(file(decision("best", drawn)), path="a.dmn")

    assert model.decide("best", {"a": 1}).value == {"first": "A", "second": "x"}


@pytest.mark.parametrize(("policy", "wanted"), [("UNIQUE", "none"), ("FIRST", "none"), ("RULE ORDER", ["none"])])
def test_the_default_output_stands_where_no_rule_hits(policy: str, wanted: Value) -> None:
    drawn = table(["a"], ["x"], ['> 1 : "some"'], policy=policy, defaults=['"none"'])
    result = read_decisions(file(decision("x", drawn)), path="a.dmn").decide("x", {"a": 0})

    assert result.value == wanted


def test_an_input_outside_its_allowed_values_is_an_error() -> None:
    drawn = table(["category"], ["x"], ['"raw" : 1', "- : 2"], policy="FIRST", input_values=['"raw","packaging"'])
    model = read_decisions(file(decision("x", drawn)), path="a.dmn")

    with pytest.raises(DecisionFailed, match="'The category' is foreign"):
        model.decide("x", {"category": "foreign"})
    assert model.decide("x", {"category": "packaging"}).value == D(2)


def test_an_output_outside_its_allowed_values_is_an_error_that_names_the_rule() -> None:
    drawn = table(["a"], ["x"], ['- : "C"'], output_values=['"A","B"'])

    with pytest.raises(DecisionFailed, match="rule 1 is C"):
        read_decisions(file(decision("x", drawn)), path="a.dmn").decide("x", {"a": 1})
