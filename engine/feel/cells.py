"""One test of a decision table's cell (DMN 1.5, 7.3.3; grammar rules 14 to 17; table 55)."""

from __future__ import annotations

from engine.feel.building import Place, build
from engine.feel.comparison import member
from engine.feel.errors import Fault
from engine.feel.operators import Test, build_test
from engine.feel.run import Run
from engine.feel.tree import Node, OperatorTest, RangeLiteral
from engine.feel.values import Value


def build_cell_test(node: Node, place: Place) -> Test:
    """Return the closure that tries one test of a cell on the value that ``?`` stands for.

    An expression that reads ``?`` is satisfied when it is true. Any other gives a value to be equal to, a range to lie
    in or a list to be in; where it gives a truth value and the tested value is none, it is a condition by itself.
    """
    if isinstance(node, (OperatorTest, RangeLiteral)):
        return build_test(node, place)
    before = place.analysis.tested_reads
    evaluate, position = build(node, place), node.position
    if place.analysis.tested_reads > before:

        def test_condition(run: Run, value: Value) -> bool | None:
            verdict = evaluate(run)
            if isinstance(verdict, bool):
                return verdict
            return None if verdict is None else _is_member(run, value, verdict, position)

        return test_condition

    def test_value(run: Run, value: Value) -> bool | None:
        choice = evaluate(run)
        if isinstance(choice, bool) and not isinstance(value, (bool, list)):
            return choice if value is not None else False
        return _is_member(run, value, choice, position)

    return test_value


def _is_member(run: Run, value: Value, choice: Value, position: int) -> bool | None:
    try:
        return member(value, choice, run)
    except Fault as fault:
        return run.null(position, str(fault))
