"""The business status along an advance: each entry is a legal transition or the advance is refused (W3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.interpreter.failures import InterpretationFailed
from engine.interpreter.messages import StatusEntered
from engine.model.settings import ProcessSettings, Status
from engine.model.statuses import is_legal
from engine.runtime.cause import Cause


class IllegalTransition(InterpretationFailed):
    """The drawing enters a business status that may not follow the present one. Repair the instance by hand."""

    code = "illegal_transition"


@dataclass(frozen=True, kw_only=True)
class Transition:
    """One change of the business status; ``before`` None: the instance starts.

    ``rule`` is the rule whose act it is, where it is not that of whoever caused the advance.
    """

    before: str | None
    after: str
    element_id: str
    rule: str | None = None


def as_detail(transitions: Sequence[Transition]) -> list[list[str | None]]:
    """Return transitions as an audit row tells them: before, after, element, and the rule where there is one."""
    return [
        [each.before, each.after, each.element_id, *([each.rule] if each.rule is not None else [])]
        for each in transitions
    ]


def walk(
    settings: ProcessSettings, current: str | None, entered: Sequence[StatusEntered], cause: Cause
) -> tuple[str | None, tuple[Transition, ...]]:
    """Return the status after ``entered`` and the transitions on the way. Entering the present one is none.

    Where no person commanded the advance, a transition is the act of the decision that its token came from, else of
    the rule whose result caused it.

    Raises
    ------
    IllegalTransition
        When ``process.yaml`` does not declare one of them, or declares it for operators only.
    """
    made: list[Transition] = []
    for each in entered:
        if each.status == current:
            continue
        if current is not None and not is_legal(settings, current, each.status):
            raise IllegalTransition(
                f"{each.element_id} enters {each.status}, which may not follow {current}.", element_id=each.element_id
            )
        rule = each.decision or cause.rule if cause.is_automatic else None
        made.append(Transition(before=current, after=each.status, element_id=each.element_id, rule=rule))
        current = each.status
    return current, tuple(made)


def follow_failure(
    settings: ProcessSettings, current: str | None, element_id: str, cause: Cause
) -> tuple[str | None, tuple[Transition, ...]]:
    """Return the status after an error that nothing caught: the declared failure status, where it may follow."""
    failure = settings.failure_status
    if failure is None or failure == current or current is None or not is_legal(settings, current, failure):
        return current, ()
    rule = cause.rule if cause.is_automatic else None
    return failure, (Transition(before=current, after=failure, element_id=element_id, rule=rule),)


def declared(settings: ProcessSettings, name: str | None) -> Status | None:
    """Return the declaration of a status; None when the process declares none of this name."""
    return next((status for status in settings.statuses if status.name == name), None)
