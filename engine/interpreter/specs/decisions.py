"""Business rule tasks that evaluate a decision of the process's own DMN files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec

from engine import feel
from engine.decision import DecisionError
from engine.feel import FeelError
from engine.interpreter.expressions import origin_of, require_accepted, variables_of
from engine.interpreter.failures import DecisionFailed, NotRunnable
from engine.interpreter.specs.activities import ActivitySpec
from engine.interpreter.tokens import Token
from engine.model.graph import DecisionBinding, FlowNode


class DecisionSpec(ActivitySpec):
    """A business rule task with a decision: made at once, with its explanation recorded."""

    def __init__(
        self, scope_spec: WorkflowSpec, drawn: FlowNode, binding: DecisionBinding, *, name: str | None = None
    ) -> None:
        super().__init__(scope_spec, drawn, name=name)
        self.binding = binding

    def perform(self, token: Token) -> bool | None:
        """Make the decision.

        Raises
        ------
        DecisionFailed
            When it gives no result: an input has no value, or its rules contradict its hit policy.
        SuggestionNotAccepted
            When it reads a suggestion that nobody has accepted.
        """
        instance = token.scope.instance
        name = self.binding.decision
        model = instance.given.definition.decisions.get(name)
        if model is None:
            raise NotRunnable(f"There is no decision {name!r}.", element_id=self.drawn.element_id)
        variables = token.data
        reads = variables_of(model.paths(name))
        require_accepted(variables, reads, self.drawn.element_id)
        try:
            decided = model.decide(name, cast("Mapping[str, feel.Value]", variables), now=instance.given.now)
        except (DecisionError, FeelError) as wrong:
            raise DecisionFailed(str(wrong), element_id=self.drawn.element_id) from None
        token.scope.write(token, self.binding.result, decided.value, origin_of(variables, reads), self.source())
        token.decision = name
        instance.record.decided(self.drawn.element_id, name, decided.explanation)
        return True
