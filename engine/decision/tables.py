"""Decision tables (DMN 1.5, clause 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from engine.decision.errors import DecisionFailed
from engine.decision.hit_policies import MULTIPLE, Aggregator, HitPolicy, aggregate, all_equal, ranks
from engine.decision.item_types import ItemType
from engine.decision.logic import admitted
from engine.decision.trace import Plain, Trace, plain
from engine.feel import Expression, UnaryTests, Value, text_of


@dataclass(frozen=True, kw_only=True, slots=True)
class InputClause:
    """An input column: what it tests, and which values it may have."""

    label: str
    expression: Expression
    type: ItemType
    allowed: UnaryTests | None


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputClause:
    """An output column. ``choices`` gives the list of allowed values by priority; None when not listed."""

    name: str | None
    type: ItemType
    allowed: UnaryTests | None
    choices: Expression | None
    default: Expression | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A row: one cell per input, one expression per output, and what the analyst noted on it."""

    number: int
    rule_id: str
    cells: tuple[UnaryTests, ...]
    outputs: tuple[Expression, ...]
    annotations: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class TableLogic:
    """A decision table."""

    table_id: str
    label: str
    hit_policy: HitPolicy
    aggregator: Aggregator | None
    inputs: tuple[InputClause, ...]
    outputs: tuple[OutputClause, ...]
    rules: tuple[Rule, ...]
    slot_count: int

    @property
    def paths(self) -> frozenset[str]:
        """The variables that inputs, cells and outputs read."""
        read: set[str] = set()
        for clause in self.inputs:
            read |= clause.expression.paths
        for rule in self.rules:
            read = read.union(*(cell.paths for cell in rule.cells), *(output.paths for output in rule.outputs))
        return frozenset(read.union(*(clause.default.paths for clause in self.outputs if clause.default)))

    def evaluate(self, scope: Mapping[str, Value], trace: Trace) -> Value:
        """Return the table's result and record how it came about.

        Raises DecisionFailed for two hits under UNIQUE, different hits under ANY, and a value outside those allowed.
        """
        values = [self._tested(clause, scope, trace) for clause in self.inputs]
        hits = self._hits(values, scope, trace)
        outcomes = [(rule, self._outputs(rule, scope, trace)) for rule in hits]
        record = self._record(values, outcomes)
        trace.tables.append(record)
        self._refuse_contradiction(outcomes, trace)
        chosen = self._ordered(outcomes, scope, trace)
        record["default"] = not outcomes and any(clause.default for clause in self.outputs)
        result = self._result([outputs for _, outputs in chosen], scope, trace)
        record["result"] = plain(result)
        return result

    def _tested(self, clause: InputClause, scope: Mapping[str, Value], trace: Trace) -> Value:
        run = trace.run
        value = admitted(clause.expression.evaluate_in(run, scope), clause.type, run, clause.label)
        if clause.allowed is not None and value is not None:
            items = value if isinstance(value, list) else [value]
            with run.within(scope, clause.allowed.slot_count):
                for item in items:
                    if clause.allowed.matches_in(run, item) is not True:
                        told = f"the input {clause.label!r} is {text_of(item)}, which is none of {clause.allowed.text}"
                        raise DecisionFailed(self.table_id, (), told)
        return value

    def _hits(self, values: list[Value], scope: Mapping[str, Value], trace: Trace) -> list[Rule]:
        run, hits = trace.run, list[Rule]()
        run.step(len(self.rules))
        with run.within(scope, self.slot_count):
            for rule in self.rules:
                if all(cell.matches_in(run, value) for cell, value in zip(rule.cells, values, strict=True)):
                    hits.append(rule)
                    if self.hit_policy is HitPolicy.FIRST:
                        break
        return hits

    def _outputs(self, rule: Rule, scope: Mapping[str, Value], trace: Trace) -> list[Value]:
        run = trace.run
        outputs: list[Value] = []
        for clause, expression in zip(self.outputs, rule.outputs, strict=True):
            value = admitted(expression.evaluate_in(run, scope), clause.type, run, clause.name or self.label)
            if clause.allowed is not None and value is not None:
                self._refuse_output(clause.allowed, value, rule, scope, trace)
            outputs.append(value)
        return outputs

    def _refuse_output(
        self, allowed: UnaryTests, value: Value, rule: Rule, scope: Mapping[str, Value], trace: Trace
    ) -> None:
        with trace.run.within(scope, allowed.slot_count):
            if allowed.matches_in(trace.run, value) is not True:
                told = f"the output of rule {rule.number} is {text_of(value)}, which is none of {allowed.text}"
                raise DecisionFailed(self.table_id, (rule.number,), told)

    def _record(self, values: list[Value], outcomes: list[tuple[Rule, list[Value]]]) -> dict[str, Plain]:
        names = [clause.name or self.label for clause in self.outputs]
        return {
            "table": self.table_id,
            "label": self.label,
            "hit_policy": self.hit_policy.value,
            "aggregator": self.aggregator.value if self.aggregator else None,
            "inputs": [
                {"label": clause.label, "expression": clause.expression.text, "value": plain(value)}
                for clause, value in zip(self.inputs, values, strict=True)
            ],
            "rules": [
                {
                    "number": rule.number,
                    "id": rule.rule_id,
                    "outputs": {name: plain(value) for name, value in zip(names, outputs, strict=True)},
                    "annotations": dict(rule.annotations),
                }
                for rule, outputs in outcomes
            ],
        }

    def _refuse_contradiction(self, outcomes: list[tuple[Rule, list[Value]]], trace: Trace) -> None:
        if len(outcomes) < 2 or self.hit_policy not in (HitPolicy.UNIQUE, HitPolicy.ANY):
            return
        numbers = tuple(rule.number for rule, _ in outcomes)
        named = " and ".join(str(number) for number in numbers)
        if self.hit_policy is HitPolicy.UNIQUE:
            raise DecisionFailed(self.table_id, numbers, f"the rules {named} hit together, but the table is UNIQUE")
        if not all_equal([outputs for _, outputs in outcomes], trace.run):
            raise DecisionFailed(self.table_id, numbers, f"the rules {named} hit with different outputs under ANY")

    def _ordered(
        self, outcomes: list[tuple[Rule, list[Value]]], scope: Mapping[str, Value], trace: Trace
    ) -> list[tuple[Rule, list[Value]]]:
        if self.hit_policy not in (HitPolicy.PRIORITY, HitPolicy.OUTPUT_ORDER) or len(outcomes) < 2:
            return outcomes
        allowed: list[list[Value] | None] = [
            None if clause.choices is None else cast("list[Value]", clause.choices.evaluate_in(trace.run, scope))
            for clause in self.outputs
        ]
        return sorted(outcomes, key=lambda outcome: ranks(outcome[1], allowed, trace.run))

    def _result(self, outputs: list[list[Value]], scope: Mapping[str, Value], trace: Trace) -> Value:
        if not outputs and self.aggregator is not Aggregator.COUNT:
            if not any(clause.default for clause in self.outputs):
                return [] if self.hit_policy in MULTIPLE and self.aggregator is None else None
            defaults = [
                clause.default.evaluate_in(trace.run, scope) if clause.default else None for clause in self.outputs
            ]
            value = self._bare(defaults)
            return [value] if self.hit_policy in MULTIPLE and self.aggregator is None else value
        if self.hit_policy not in MULTIPLE:
            return self._bare(outputs[0])
        values = [self._bare(row) for row in outputs]
        return aggregate(self.aggregator, values, trace.run) if self.aggregator else trace.run.sized(values)

    def _bare(self, outputs: list[Value]) -> Value:
        if len(self.outputs) == 1:
            return outputs[0]
        names = [cast("str", clause.name) for clause in self.outputs]
        return dict(zip(names, outputs, strict=True))
