"""Where an error goes: to the nearest enclosing activity with an error boundary event for it (BPMN 2.0.2, 10.5.6)."""

from __future__ import annotations

from engine.interpreter.messages import StepOutcome
from engine.interpreter.tokens import Boundary, Token
from engine.model.graph import ErrorEvent


def raise_error(token: Token, code: str, message: str) -> bool:
    """Route an error outwards from a token; return whether something caught it. Else the process keeps what was known.

    On each activity the code's own event comes before one that catches all. The catching event goes on with what the
    failing token knew, unless a called process, a multi-instance or a loop lies between: what is inside these stays
    inside.
    """
    known = token
    activity: Token | None = token
    while activity is not None:
        if activity.spec.is_body and activity.owner is not None:
            activity = known = activity.owner
        boundary = _catching(activity, code)
        if boundary is not None:
            _catch(activity, boundary, known, code)
            return True
        if activity.scope.spec.is_called and activity.scope.host is not None:
            known = activity.scope.host
        activity = activity.scope.host
    known.scope.instance.keep(known)
    return False


def _catching(activity: Token, code: str) -> Boundary | None:
    events = [each for each in activity.spec.boundaries if isinstance(each.drawn.event, ErrorEvent)]
    exact = [each for each in events if each.caught_code == code]
    return next(iter(exact or [each for each in events if each.caught_code is None]), None)


def _catch(activity: Token, boundary: Boundary, known: Token, code: str) -> None:
    scope = activity.scope
    if activity.number:
        scope.instance.record.step(activity.step_event(StepOutcome.FAILED, code))
        activity.number = 0
    cells, forks = known.cells, activity.forks
    scope.withdraw(activity)
    event = Token(scope, boundary, scope.instance.given.new_id(), cells, forks)
    boundary.start_path(event)
