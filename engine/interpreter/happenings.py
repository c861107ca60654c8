"""What each happening does to the tokens of an instance, before the automatic steps that follow from it."""

from __future__ import annotations

from functools import singledispatch
from typing import TypeVar

from SpiffWorkflow.util.task import TaskState

from engine.contract.origin import Origin
from engine.interpreter.failures import NotRunnable, StateUnreadable, UncaughtError, WaitGone
from engine.interpreter.merging import Gathering
from engine.interpreter.messages import (
    CancelAll,
    Continue,
    Happening,
    JobFailed,
    JobSucceeded,
    MessageReceived,
    Restarted,
    StepOutcome,
    TaskCompleted,
    TimerFired,
    VariablesCorrected,
)
from engine.interpreter.routing import raise_error
from engine.interpreter.scopes import Instance, ScopeInstance
from engine.interpreter.specs.activities import JobSpec, PersonTaskSpec
from engine.interpreter.specs.events import BoundarySpec
from engine.interpreter.specs.gateways import EventBasedGatewaySpec
from engine.interpreter.specs.node import NodeSpec
from engine.interpreter.tokens import Token
from engine.interpreter.variables import Cell, storable
from engine.model.graph import MessageEvent, TimerEvent

Spec = TypeVar("Spec", bound=NodeSpec)


@singledispatch
def apply(happening: Happening, instance: Instance) -> None:
    """Apply a happening.

    Raises
    ------
    WaitGone
        When the wait it is about is not open, or is one of another kind.
    InterpretationFailed
        When its value cannot be kept or nothing catches its error.
    """
    raise TypeError(type(happening).__name__)


@apply.register
def _(happening: JobSucceeded, instance: Instance) -> None:
    token, spec = _waiting(instance, happening.wait_id, JobSpec)
    spec.succeed(token, happening)
    _done(token)


@apply.register
def _(happening: JobFailed, instance: Instance) -> None:
    token, spec = _waiting(instance, happening.wait_id, JobSpec)
    _closed(token)
    instance.record.step(token.step_event(StepOutcome.FAILED, happening.error_code))
    token.number = 0
    token.become(TaskState.ERROR)
    if not raise_error(token, happening.error_code, happening.message):
        raise UncaughtError(
            f"The step failed for good ({happening.error_code}): {happening.message}",
            element_id=spec.drawn.element_id,
            error_code=happening.error_code,
        )


@apply.register
def _(happening: TaskCompleted, instance: Instance) -> None:
    token, spec = _waiting(instance, happening.wait_id, PersonTaskSpec)
    spec.complete_by(token, happening)
    _done(token)


@apply.register
def _(happening: TimerFired, instance: Instance) -> None:
    token, spec = _waiting(instance, happening.wait_id, NodeSpec)
    if not isinstance(spec.drawn.event, TimerEvent):
        raise _gone(happening.wait_id)
    _occurred(token)


@apply.register
def _(happening: MessageReceived, instance: Instance) -> None:
    token, spec = _waiting(instance, happening.wait_id, NodeSpec)
    event = spec.drawn.event
    if not isinstance(event, MessageEvent):
        raise _gone(happening.wait_id)
    _occurred(token, event, happening)


@apply.register
def _(happening: Continue, instance: Instance) -> None:
    """Nothing happens: the steps that are left run."""


@apply.register
def _(happening: CancelAll, instance: Instance) -> None:
    instance.end_every_token()


@apply.register
def _(happening: Restarted, instance: Instance) -> None:
    node = instance.spec.nodes.get(happening.element_id)
    if node is None:
        raise NotRunnable(f"{happening.element_id!r} is no node of this process.", element_id=happening.element_id)
    if instance.steps == 0:
        raise StateUnreadable("The instance ended under a version of the program that did not keep its counts.")
    instance.end_every_token()
    cells, instance.ended = instance.ended.cells, Gathering()
    instance.share(instance.arrive(node, None, cells, {}))


@apply.register
def _(happening: VariablesCorrected, instance: Instance) -> None:
    for name, value in happening.values.items():
        storable(name)
        kept, is_exact_json = storable(value)
        cell = Cell(name, kept, instance.tick(), Origin.PERSON, happening.source, is_exact_json)
        for scope in instance.scopes():
            if all(not each.spec.is_called for each in scope.surrounding()):
                _correct(scope, cell)


def _correct(scope: ScopeInstance, cell: Cell) -> None:
    """Give all branches the same new version, so that it is no conflict where they join."""
    if any(cell.name in each.spec.shared_names for each in scope.surrounding()):
        if cell.name in scope.spec.shared_names:
            scope.shared[cell.name] = cell
        return
    for token in scope.tasks.values():
        token.cells[cell.name] = cell
    if cell.name in scope.ended.cells or not scope.tasks:
        scope.ended.cells[cell.name] = cell


def _waiting(instance: Instance, wait_id: str, kind: type[Spec]) -> tuple[Token, Spec]:
    for scope in instance.scopes():
        token = scope.tasks.get(wait_id)
        if token is not None and token.is_waiting and isinstance(token.spec, kind):
            return token, token.spec
    raise _gone(wait_id)


def _gone(wait_id: str) -> WaitGone:
    return WaitGone(f"The wait {wait_id} is no longer open, or waits for something else.")


def _closed(token: Token) -> None:
    token.scope.instance.record.close(token.execution_id, is_new=token.is_new, is_withdrawn=False)


def _done(token: Token) -> None:
    """The work of a step is done: its token goes on."""
    _closed(token)
    token.complete()


def _occurred(token: Token, event: MessageEvent | None = None, message: MessageReceived | None = None) -> None:
    """An event occurred: its token goes on, alone or in the place of the gateway or beside its activity."""
    _closed(token)
    token.become(TaskState.READY)
    owner = token.owner
    if isinstance(token.spec, BoundarySpec):
        token.spec.detach(token)
    elif owner is not None and isinstance(owner.spec, EventBasedGatewaySpec):
        owner.spec.taken_over(owner, token)
    if message is not None and event is not None and event.result is not None:
        token.scope.write(token, event.result, message.payload, message.origin, message.source)
    if isinstance(token.spec, BoundarySpec):
        token.spec.start_path(token)
    else:
        token.complete()
