"""Checks that every FEEL expression and every script of a definition can be compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.feel import FeelSyntaxError, compile_expression
from engine.model import check_rules
from engine.model.definition import Definition
from engine.model.findings import Findings, Place
from engine.model.graph import (
    Expression,
    FlowNode,
    MessageEvent,
    MultiInstance,
    ScriptLanguage,
    StandardLoop,
    TimerEvent,
)
from engine.model.reader import SETTINGS_PATH, every_scope
from engine.model.settings import ProcessSettings


@dataclass(frozen=True, kw_only=True)
class ExpressionCheck:
    """Compiles the expressions of one definition."""

    definition: Definition
    places: Mapping[str, Place]
    findings: Findings

    def check(self) -> None:
        """Check drawing, settings and scripts."""
        for process in (self.definition.process, *self.definition.called.values()):
            for scope in every_scope(process):
                for flow in scope.flows.values():
                    if flow.condition is not None:
                        self._compile(flow.condition, self._place(flow.flow_id))
                for node in scope.nodes.values():
                    for expression in expressions_of(node):
                        self._compile(expression, self._place(node.element_id))
                    self._script(node)
        self._settings(self.definition.settings)

    def _place(self, identifier: str) -> Place:
        return self.places.get(identifier, Place(file="process.bpmn", element_id=identifier))

    def _compile(self, expression: Expression, place: Place) -> None:
        try:
            compile_expression(expression.text)
        except FeelSyntaxError as wrong:
            self.findings.add(
                check_rules.BAD_EXPRESSION, place, where=expression.place, text=expression.text, detail=wrong
            )

    def _script(self, node: FlowNode) -> None:
        if not node.script:
            return
        place = self._place(node.element_id)
        if node.script_language is ScriptLanguage.FEEL:
            self._compile(Expression(text=node.script, element_id=node.element_id, place="script"), place)
            return
        try:
            ast.parse(node.script)
        except SyntaxError as wrong:
            line = wrong.lineno or 1
            self.findings.add(check_rules.BAD_SCRIPT, place, detail=wrong.msg, script_line=line)
        except (ValueError, RecursionError, MemoryError) as wrong:
            self.findings.add(check_rules.BAD_SCRIPT, place, detail=wrong, script_line=1)

    def _settings(self, settings: ProcessSettings) -> None:
        place = Place(file=SETTINGS_PATH)
        texts = [("business key", settings.business_key)]
        texts += [(f"key of message {message.name}", message.key) for message in settings.messages]
        texts += [(f"search field {name}", text) for name, text in settings.searchable.items()]
        for where, text in texts:
            if text is not None:
                bare = text.strip().removeprefix("=").strip()
                self._compile(Expression(text=bare, element_id="", place=where), place)


def expressions_of(node: FlowNode) -> Iterator[Expression]:
    """Go over the FEEL expressions of a node; those of its flows and scripts are not among them."""
    candidates: list[Expression | None] = []
    if isinstance(node.event, MessageEvent):
        candidates += [node.event.correlation, *node.event.payload.values()]
    elif isinstance(node.event, TimerEvent):
        candidates.append(node.event.expression)
    if node.operation is not None:
        candidates += [*node.operation.inputs.values(), node.operation.intent]
    if node.task is not None:
        candidates.append(node.task.form.binds if node.task.form else None)
        candidates += node.task.assignment.excluded if node.task.assignment else ()
    if isinstance(node.loop, StandardLoop):
        candidates.append(node.loop.condition)
    elif isinstance(node.loop, MultiInstance):
        candidates += [node.loop.cardinality, node.loop.collection, node.loop.completion_condition]
        if node.loop.output_collection is not None:
            candidates.append(
                Expression(text=node.loop.output_collection, element_id=node.element_id, place="output collection")
            )
    yield from (candidate for candidate in candidates if candidate is not None)
