"""Activities: work for systems, people, scripts and decisions, and the scopes of sub-processes and calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec

from engine.contract.origin import Origin
from engine.interpreter.expressions import Formula, origin_of
from engine.interpreter.failures import ExpressionFailed, NotRunnable, ScriptStopped
from engine.interpreter.messages import JobSucceeded, JobWait, TaskCompleted, TaskWait
from engine.interpreter.scripting import ScriptFailed
from engine.interpreter.specs.node import NodeSpec
from engine.interpreter.specs.scope import ScopeSpec
from engine.interpreter.tokens import Token
from engine.interpreter.variables import CopiedVariables
from engine.model.graph import FlowNode, OperationBinding


class ActivitySpec(NodeSpec):
    """An activity whose executions are counted and told."""

    def work(self, token: Token) -> bool | None:
        self.enter_step(token)
        return self.perform(token)

    def perform(self, token: Token) -> bool | None:
        """Do the work: True when it is done, None when something outside does it."""
        raise NotImplementedError

    def source(self) -> str:
        """Return what the origin of this activity's results is put down to."""
        return self.drawn.element_id


class PassingTaskSpec(ActivitySpec):
    """An abstract task: nobody and nothing does it (BPMN 2.0.2, 10.3.3), so it is done at once."""

    def perform(self, token: Token) -> bool | None:
        """Return True."""
        return True


class JobSpec(ActivitySpec):
    """A service, send or business rule task whose work an operation does, outside and later."""

    opens_wait = True

    def __init__(
        self, scope_spec: WorkflowSpec, drawn: FlowNode, operation: OperationBinding, *, name: str | None = None
    ) -> None:
        super().__init__(scope_spec, drawn, name=name)
        self.operation = operation
        self.arguments = {each: Formula(expression) for each, expression in operation.inputs.items()}
        self.intent = Formula(operation.intent) if operation.intent is not None else None

    def perform(self, token: Token) -> bool | None:
        """Open the job. Raises ExpressionFailed when an argument or the intent cannot be computed."""
        token.scope.instance.record.open(self.wait_of(token))
        return None

    def wait_of(self, token: Token) -> JobWait:
        """Return the job."""
        variables = token.data
        return JobWait(
            wait_id=token.execution_id,
            element_id=self.drawn.element_id,
            iteration=token.iteration,
            reference=self.operation.reference,
            arguments={name: formula.kept(token) for name, formula in self.arguments.items()},
            intent=self._intent(token),
            suggested=frozenset(
                name for name, formula in self.arguments.items() if Origin.MODEL in variables.origin(formula.reads)
            ),
        )

    def _intent(self, token: Token) -> int:
        if self.intent is None:
            return token.number
        value = self.intent.value(token)
        if isinstance(value, (int, Decimal)) and not isinstance(value, bool) and value == int(value) and value >= 0:
            return int(value)
        raise ExpressionFailed(
            f"The intent of the operation gave {Formula.shown(value)} instead of a whole number.",
            element_id=self.drawn.element_id,
        )

    def succeed(self, token: Token, happening: JobSucceeded) -> None:
        """Keep the result. Raises UnstorableValue."""
        if self.operation.result is not None:
            token.scope.write(token, self.operation.result, happening.result, happening.origin, happening.source)


class PersonTaskSpec(ActivitySpec):
    """A user or manual task: a person does it."""

    opens_wait = True

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode, *, name: str | None = None) -> None:
        super().__init__(scope_spec, drawn, name=name)
        form = drawn.task.form if drawn.task is not None else None
        assignment = drawn.task.assignment if drawn.task is not None else None
        self.result = form.result if form is not None else None
        self.binds = Formula(form.binds) if form is not None and form.binds is not None else None
        self.excluded = tuple(map(Formula, assignment.excluded if assignment is not None else ()))

    def perform(self, token: Token) -> bool | None:
        """Open the task. Raises ExpressionFailed when what it binds or excludes cannot be computed."""
        token.scope.instance.record.open(self.wait_of(token))
        return None

    def wait_of(self, token: Token) -> TaskWait:
        """Return the task."""
        return TaskWait(
            wait_id=token.execution_id,
            element_id=self.drawn.element_id,
            iteration=token.iteration,
            shown=dict(token.data),
            bound=self.binds.kept(token) if self.binds is not None else None,
            excluded=tuple(person for formula in self.excluded for person in self._persons(formula, token)),
        )

    def _persons(self, formula: Formula, token: Token) -> Sequence[str]:
        value = formula.value(token)
        named = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        persons = [each for each in named if each is not None]
        for each in persons:
            if not isinstance(each, str):
                raise ExpressionFailed(
                    f"{formula.text!r} should name persons but gave {Formula.shown(each)}.",
                    element_id=self.drawn.element_id,
                )
        return [str(each) for each in persons]

    def complete_by(self, token: Token, happening: TaskCompleted) -> None:
        """Keep what the person entered. Raises UnstorableValue."""
        scope = token.scope
        if self.result is not None:
            scope.write(token, self.result, dict(happening.values), Origin.PERSON, happening.source)
            return
        for name, value in happening.values.items():
            scope.write(token, name, value, Origin.PERSON, happening.source)


class ScriptSpec(ActivitySpec):
    """A script task: Python in the sandbox behind the port, or FEEL."""

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode, *, name: str | None = None) -> None:
        super().__init__(scope_spec, drawn, name=name)
        self.script = drawn.script or ""

    def perform(self, token: Token) -> bool | None:
        """Run the script in the sandbox; what it wrote carries the taint of what it read. Raises ScriptStopped."""
        given = token.scope.instance.given
        variables = token.data
        try:
            result = given.scripts.run(self.script, CopiedVariables(variables), new_id=given.new_id(), now=given.now)
        except ScriptFailed as stopped:
            raise ScriptStopped(str(stopped), element_id=self.drawn.element_id) from None
        origin = origin_of(variables, result.read)
        for name, value in result.written.items():
            token.scope.write(token, name, value, origin, self.source())
        return True


class FeelScriptSpec(ActivitySpec):
    """A script task in FEEL: the entries of the context that it gives become variables."""

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode, formula: Formula, *, name: str | None = None) -> None:
        super().__init__(scope_spec, drawn, name=name)
        self.formula = formula

    def perform(self, token: Token) -> bool | None:
        """Evaluate the script. Raises ExpressionFailed when it gives no context."""
        variables = token.data
        result = self.formula.value(token)
        if not isinstance(result, Mapping):
            raise ExpressionFailed(
                f"The script should give a context but gave {Formula.shown(result)}.",
                element_id=self.drawn.element_id,
            )
        origin = origin_of(variables, self.formula.reads)
        for name, value in result.items():
            token.scope.write(token, name, value, origin, self.source())
        return True


class ScopeActivitySpec(ActivitySpec):
    """A sub-process or call activity: its inside runs in a scope of its own, with a copy of the variables.

    What the tokens inside leave is merged back when the last of them has ended. A called process sees no data objects
    of its caller.
    """

    def __init__(
        self, scope_spec: WorkflowSpec, drawn: FlowNode, inside: ScopeSpec, *, name: str | None = None
    ) -> None:
        super().__init__(scope_spec, drawn, name=name)
        self.inside = inside

    def perform(self, token: Token) -> bool | None:
        """Open the scope and start it. Raises NotRunnable when it has no start."""
        starts = self.inside.plain_starts()
        if not starts:
            raise NotRunnable("There is no plain start event inside.", element_id=self.drawn.element_id)
        scope = token.scope.instance.create_subprocess(token, self.inside.scope_name)
        cells = token.data.cells() if self.inside.is_called else dict(token.cells)
        scope.spread([(start, None) for start in starts], cells, token.forks)
        return None
