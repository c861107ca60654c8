"""Reading decision tables (DMN 1.5, clause 8.3)."""

from __future__ import annotations

from typing import Protocol

from engine.decision.documents import Element
from engine.decision.hit_policies import MULTIPLE, Aggregator, HitPolicy
from engine.decision.item_types import ItemType
from engine.decision.tables import InputClause, OutputClause, Rule, TableLogic
from engine.feel import Expression, FeelSyntaxError, UnaryTests, compile_expression

_TABLE_LIMIT = 5_000
_PRIORITIES = (HitPolicy.PRIORITY, HitPolicy.OUTPUT_ORDER)


class TextReader(Protocol):
    """What compiles texts and finds types."""

    def type_of(self, element: Element, reference: str) -> ItemType: ...
    def expression(self, element: Element, text: str | None, names: frozenset[str]) -> Expression: ...
    def unary_tests(self, element: Element, text: str | None, names: frozenset[str]) -> UnaryTests: ...


def read_table(element: Element, names: frozenset[str], reader: TextReader) -> TableLogic:
    """Return a decision table. Raises DecisionRefused for one that is incomplete or means nothing."""
    hit_policy, aggregator = _policy(element)
    inputs = tuple(_input(clause, names, reader) for clause in element.children("input"))
    outputs = tuple(_output(clause, names, reader) for clause in element.children("output"))
    _refuse_unfit_outputs(element, outputs, hit_policy, aggregator)
    annotations = [annotation.name for annotation in element.children("annotation")]
    rows = list(element.children("rule"))
    if len(rows) > _TABLE_LIMIT:
        raise element.refused(f"the table has more than {_TABLE_LIMIT:,} rules", "Split the table.")
    rules = tuple(
        _rule(row, number, (len(inputs), len(outputs)), annotations, names, reader)
        for number, row in enumerate(rows, 1)
    )
    return TableLogic(
        table_id=element.element_id,
        label=element.get("outputLabel") or element.element_id,
        hit_policy=hit_policy,
        aggregator=aggregator,
        inputs=inputs,
        outputs=outputs,
        rules=rules,
        slot_count=max((cell.slot_count for rule in rules for cell in rule.cells), default=0),
    )


def _policy(element: Element) -> tuple[HitPolicy, Aggregator | None]:
    try:
        hit_policy = HitPolicy(element.get("hitPolicy", "UNIQUE"))
        aggregation = element.get("aggregation")
        aggregator = Aggregator(aggregation) if aggregation else None
    except ValueError as error:
        raise element.refused(f"the hit policy or aggregation is unknown: {error}", "Choose one of DMN's.") from None
    if aggregator and hit_policy is not HitPolicy.COLLECT:
        raise element.refused("only COLLECT has an aggregation", "Remove the aggregation, or choose COLLECT.")
    return hit_policy, aggregator


def _input(element: Element, names: frozenset[str], reader: TextReader) -> InputClause:
    expression = element.child("inputExpression")
    if expression is None:
        raise element.refused("an input has no expression", "Write what the column tests.")
    text = expression.text_of("text")
    allowed = element.text_of("inputValues")
    return InputClause(
        label=element.get("label") or (text or ""),
        expression=reader.expression(element, text, names),
        type=reader.type_of(element, expression.get("typeRef")),
        allowed=reader.unary_tests(element, allowed, names) if allowed else None,
    )


def _output(element: Element, names: frozenset[str], reader: TextReader) -> OutputClause:
    wanted = reader.type_of(element, element.get("typeRef"))
    allowed = element.text_of("outputValues")
    listed = allowed or (wanted.allowed[0].text if wanted.allowed else None)
    default = element.text_of("defaultOutputEntry")
    return OutputClause(
        name=element.name or None,
        type=wanted,
        allowed=reader.unary_tests(element, allowed, names) if allowed else None,
        choices=_choices(listed, names),
        default=reader.expression(element, default, names) if default else None,
    )


def _choices(listed: str | None, names: frozenset[str]) -> Expression | None:
    """Return the list of allowed values; None where they are not listed one by one."""
    try:
        return compile_expression(f"[{listed}]", names) if listed else None
    except FeelSyntaxError:
        return None


def _refuse_unfit_outputs(
    element: Element, outputs: tuple[OutputClause, ...], hit_policy: HitPolicy, aggregator: Aggregator | None
) -> None:
    if not outputs:
        raise element.refused("the table has no output", "Add an output column.")
    named = [clause.name for clause in outputs]
    if len(outputs) > 1 and (None in named or len(set(named)) < len(named)):
        raise element.refused("several outputs need a name each", "Give each output column its own name.")
    if hit_policy in _PRIORITIES and all(clause.choices is None for clause in outputs):
        raise element.refused(
            f"{hit_policy.value} orders by the allowed output values, but none are listed", "List them on the output."
        )
    if hit_policy in MULTIPLE and aggregator and len(outputs) > 1:
        raise element.refused("an aggregation works on one output only", "Leave one output column.")


def _rule(
    element: Element,
    number: int,
    columns: tuple[int, int],
    annotations: list[str],
    names: frozenset[str],
    reader: TextReader,
) -> Rule:
    cells = list(element.children("inputEntry"))
    outputs = list(element.children("outputEntry"))
    if (len(cells), len(outputs)) != columns:
        raise element.refused(
            f"rule {number} has {len(cells)} inputs and {len(outputs)} outputs, "
            f"its table {columns[0]} and {columns[1]}",
            "Complete the rule.",
        )
    notes = [entry.text_of("text") or "" for entry in element.children("annotationEntry")]
    labels = [*annotations, *(f"annotation {place}" for place in range(len(annotations) + 1, len(notes) + 1))]
    named = dict(zip(labels, notes, strict=False))
    description = element.text_of("description")
    if description:
        named.setdefault("description", description)
    return Rule(
        number=number,
        rule_id=element.get("id"),
        cells=tuple(reader.unary_tests(cell, cell.text_of("text"), names) for cell in cells),
        outputs=tuple(reader.expression(output, output.text_of("text"), names) for output in outputs),
        annotations={name: note for name, note in named.items() if note},
    )
