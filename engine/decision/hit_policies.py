"""From the rules that hit to the result of a table (DMN 1.5, 8.2.8 and 8.2.9)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from engine.feel import Run, Value
from engine.feel.builtin.registry import BUILTINS
from engine.feel.comparison import same
from engine.feel.errors import Fault


class HitPolicy(Enum):
    """What a table does with several rules that hit."""

    #: At most one rule hits; two are an error.
    UNIQUE = "UNIQUE"
    #: The first rule in the table's order counts.
    FIRST = "FIRST"
    #: Several may hit if they agree; otherwise they are an error.
    ANY = "ANY"
    #: The rule with the output that stands first among the allowed values counts.
    PRIORITY = "PRIORITY"
    #: All outputs, in the table's order.
    RULE_ORDER = "RULE ORDER"
    #: All outputs, in the order of the allowed values.
    OUTPUT_ORDER = "OUTPUT ORDER"
    #: All outputs in any order, or their sum, smallest, largest or number.
    COLLECT = "COLLECT"


class Aggregator(Enum):
    """What COLLECT makes of the outputs."""

    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    COUNT = "COUNT"


#: Policies that give a list of all outputs.
MULTIPLE = frozenset({HitPolicy.RULE_ORDER, HitPolicy.OUTPUT_ORDER, HitPolicy.COLLECT})

_FUNCTIONS: Mapping[Aggregator, str] = {Aggregator.SUM: "sum", Aggregator.MIN: "min", Aggregator.MAX: "max"}


def aggregate(aggregator: Aggregator, outputs: list[Value], run: Run) -> Value:
    """Return the aggregated outputs; null with a reason when they cannot be, COUNT never is null."""
    if aggregator is Aggregator.COUNT:
        return BUILTINS["count"].call(run, [outputs])
    try:
        return BUILTINS[_FUNCTIONS[aggregator]].call(run, [outputs])
    except Fault as fault:
        return run.null(0, f"{aggregator.value}: {fault}")


def all_equal(outputs: list[Value], run: Run) -> bool:
    """Return whether all outputs are the same, as ANY demands."""
    return all(same(outputs[0], output, run) for output in outputs[1:])


def ranks(values: list[Value], allowed: list[list[Value] | None], run: Run) -> tuple[int, ...]:
    """Return the places of a rule's outputs among their allowed values, the leftmost output first."""
    return tuple(
        next((place for place, choice in enumerate(choices) if same(choice, value, run)), len(choices))
        for value, choices in zip(values, allowed, strict=True)
        if choices is not None
    )
