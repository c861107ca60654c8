"""Events: ends and throws happen at once, catches wait for a timer or a message, boundary events listen beside work."""

from __future__ import annotations

from datetime import datetime

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec
from SpiffWorkflow.util.task import TaskState

from engine.contract.keys import key_text
from engine.interpreter.expressions import Formula
from engine.interpreter.failures import ExpressionFailed, NotRunnable
from engine.interpreter.messages import MessageWait, TimerWait
from engine.interpreter.routing import raise_error
from engine.interpreter.specs.node import NodeSpec
from engine.interpreter.timers import Due, first_due, next_due
from engine.interpreter.tokens import Token
from engine.interpreter.values import Value
from engine.model.graph import ErrorEvent, FlowNode, MessageEvent, NoneEvent, TerminateEvent, TimerEvent


class ThrowSpec(NodeSpec):
    """Start, end and throwing events, and send tasks that only publish a message."""

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode, *, name: str | None = None) -> None:
        super().__init__(scope_spec, drawn, name=name)
        event = drawn.event
        payload = event.payload.items() if isinstance(event, MessageEvent) else ()
        self.payload = {field: Formula(expression) for field, expression in payload}

    def work(self, token: Token) -> bool | None:
        match self.drawn.event:
            case MessageEvent(name=name):
                payload = {field: formula.kept(token) for field, formula in self.payload.items()}
                token.scope.instance.record.thrown(self.drawn.element_id, name, payload)
            case NoneEvent() | None:
                pass
            case event:
                raise NotRunnable(f"A {type(event).__name__} cannot be thrown here.", element_id=self.drawn.element_id)
        return True


class EndSpec(ThrowSpec):
    """An end event. Terminate ends its scope, an error goes to whoever catches it further out."""

    def work(self, token: Token) -> bool | None:
        record = token.scope.instance.record
        match self.drawn.event:
            case TerminateEvent():
                record.passed(self.passes_as)
                scope = token.scope
                scope.remove(token)
                scope.withdraw_all()
                scope.end(token)
                return None
            case ErrorEvent(code=code, name=name):
                record.passed(self.passes_as)
                shown = f"The process ended with the error {name or code}."
                if not raise_error(token, code or "", shown):
                    token.scope.instance.fail(code or "", shown)
                return None
            case _:
                return super().work(token)


class Listener:
    """What a timer or message event needs to wait: shared by catch events, receive tasks and boundary events."""

    def __init__(self, drawn: FlowNode) -> None:
        self.drawn = drawn
        self.event = drawn.event
        match drawn.event:
            case MessageEvent(correlation=expression) | TimerEvent(expression=expression):
                self.formula = Formula(expression) if expression is not None else None
            case event:
                raise NotRunnable(f"A {type(event).__name__} cannot be waited for.", element_id=drawn.element_id)

    def open(self, token: Token) -> None:
        """Let a token wait for the event. Raises ExpressionFailed when a timer or a key cannot be computed."""
        token.become(TaskState.STARTED)
        if isinstance(self.event, TimerEvent):
            self.set_due(token, self._first_due(token, self.event))
        token.scope.instance.record.open(self.wait(token))

    @staticmethod
    def set_due(token: Token, due: Due) -> None:
        """Note in the token when its timer is due."""
        token.due_at, token.repeats = due.at.isoformat(), due.repeats

    def _value(self, token: Token, event: TimerEvent) -> Value:
        return self.formula.value(token) if self.formula is not None else event.literal

    def _first_due(self, token: Token, event: TimerEvent) -> Due:
        given = token.scope.instance.given
        try:
            return first_due(
                event, self._value(token, event), now=given.now, calendar=given.definition.settings.calendar
            )
        except ExpressionFailed as wrong:
            raise ExpressionFailed(wrong.message, element_id=self.drawn.element_id) from None

    def next_due(self, token: Token) -> Due | None:
        """Return when a timer that just fired is due again, if it is."""
        if not isinstance(self.event, TimerEvent) or token.due_at is None:
            return None
        calendar = token.scope.instance.given.definition.settings.calendar
        last = datetime.fromisoformat(token.due_at)
        return next_due(self.event, self._value(token, self.event), last=last, repeats=token.repeats, calendar=calendar)

    def wait(self, token: Token) -> TimerWait | MessageWait:
        """Return what the token waits for."""
        if isinstance(self.event, MessageEvent):
            return MessageWait(
                wait_id=token.execution_id,
                element_id=self.drawn.element_id,
                message_name=self.event.name,
                correlation_key=self._key(token),
            )
        assert token.due_at is not None  # noqa: S101 - set where a timer starts to wait
        due_at = datetime.fromisoformat(token.due_at)
        return TimerWait(wait_id=token.execution_id, element_id=self.drawn.element_id, due_at=due_at)

    def _key(self, token: Token) -> str | None:
        if self.formula is None:
            return None
        value = self.formula.value(token)
        key = key_text(value)
        if key is None:
            raise ExpressionFailed(
                f"The correlation key is {Formula.shown(value)}, neither a text nor a number.",
                element_id=self.drawn.element_id,
            )
        return key


class CatchSpec(NodeSpec):
    """An intermediate catch event or a receive task: the token waits for the timer or the message."""

    opens_wait = True

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode, *, name: str | None = None) -> None:
        super().__init__(scope_spec, drawn, name=name)
        self.listener = Listener(drawn)

    def work(self, token: Token) -> bool | None:
        self.enter_step(token)
        self.listener.open(token)
        return None

    def listen_behind(self, gateway: Token, via: str) -> None:
        """Wait for this event on behalf of an event-based gateway."""
        waiting = sharing(gateway, self)
        waiting.via = via
        self.listener.open(waiting)

    def wait_of(self, token: Token) -> TimerWait | MessageWait:
        """Return what the token waits for."""
        return self.listener.wait(token)


class BoundarySpec(NodeSpec):
    """An event on the border of an activity."""

    opens_wait = True

    def __init__(self, scope_spec: WorkflowSpec, drawn: FlowNode) -> None:
        super().__init__(scope_spec, drawn)
        self.listener = None if isinstance(drawn.event, ErrorEvent) else Listener(drawn)

    @property
    def caught_code(self) -> str | None:
        """The code of the error that it catches; None for all."""
        return self.drawn.event.code if isinstance(self.drawn.event, ErrorEvent) else None

    def listen(self, host: Token) -> None:
        """Wait beside the activity; an error needs no waiting."""
        if self.listener is not None:
            self.listener.open(sharing(host, self))

    def detach(self, waiting: Token) -> None:
        """The event occurred: interrupt the activity, or get ready to go beside it and listen on."""
        host = waiting.owner
        assert host is not None  # noqa: S101 - a boundary event's token always has the activity's
        if self.drawn.is_interrupting:
            waiting.cells, waiting.forks, waiting.owner = host.cells, host.forks, None
            host.owned.pop(waiting.id)
            host.scope.withdraw(host)
        else:
            self._go_beside(waiting, host)

    def _go_beside(self, waiting: Token, host: Token) -> None:
        fork = host.scope.instance.tick()
        waiting.cells, waiting.forks, waiting.owner = dict(host.cells), {**host.forks, fork: (2, 3)}, None
        for token in host.with_inside():
            token.forks = {**token.forks, fork: (1, 3)}
        host.owned.pop(waiting.id)
        self._listen_again(waiting, host)

    def _listen_again(self, occurred: Token, host: Token) -> None:
        """A message may come again; a timer only when it is a cycle that has not ended."""
        if self.listener is None:
            return
        if isinstance(self.drawn.event, MessageEvent):
            self.listener.open(sharing(host, self))
            return
        due = self.listener.next_due(occurred)
        if due is not None:
            again = sharing(host, self)
            again.become(TaskState.STARTED)
            self.listener.set_due(again, due)
            host.scope.instance.record.open(self.listener.wait(again))

    def start_path(self, token: Token) -> None:
        """Tell that the event occurred and take its outgoing flows."""
        instance = token.scope.instance
        instance.record.status(self.drawn, token.decision)
        token.number = instance.count(self.drawn.element_id)
        token.complete()

    def wait_of(self, token: Token) -> TimerWait | MessageWait | None:
        """Return what the token waits for."""
        return self.listener.wait(token) if self.listener is not None else None


def sharing(owner: Token, spec: NodeSpec) -> Token:
    """Return a new token that waits on behalf of another and sees its variables."""
    token = Token(owner.scope, spec, owner.scope.instance.given.new_id(), owner.cells, owner.forks)
    token.belongs_to(owner)
    return token
