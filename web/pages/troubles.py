"""The open incidents of an instance with the remedies that each of them has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.runtime.views import Act, IncidentView, InstanceView
from web.texts.causes import broken_rules, cause_word

_RULE_BROKEN = "rule_broken"
#: Whatever stopped a step, that its outcome is not known is what matters.
_IN_DOUBT = "outcome_unknown"


class Remedy(StrEnum):
    """What mends an incident."""

    #: Nobody knows whether a document exists: ask again, or say what was found.
    RESOLVE = "resolve"
    #: A step, or what was received, is tried again.
    RETRY = "retry"
    #: The case must be moved to another status.
    MOVE = "move"
    #: Nothing hangs on it.
    CLOSE = "close"


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """An open incident as its card shows it."""

    incident: IncidentView
    cause: str
    step: str
    sentences: tuple[str, ...]
    remedy: Remedy


def troubles_of(view: InstanceView) -> tuple[Trouble, ...]:
    """Return the open incidents, each with what can be done about it."""
    labels = {each.step_key: each.label for each in view.steps}
    return tuple(
        Trouble(
            incident=each,
            cause=cause_word(_IN_DOUBT if remedy is Remedy.RESOLVE else each.code),
            step=labels.get(each.step_key, "") if each.step_key is not None else "",
            sentences=(broken_rules(view) if each.code == _RULE_BROKEN else ()) or (each.message,),
            remedy=remedy,
        )
        for each in view.incidents
        if each.closed_at is None
        for remedy in (_remedy(view, each),)
    )


def _remedy(view: InstanceView, incident: IncidentView) -> Remedy:
    if incident.can_be_applied_again:
        return Remedy.RETRY
    jobs = [each for each in view.waits if each.kind == "job" and each.step_key == incident.step_key]
    if any(each.detail["is_unknown"] for each in jobs):
        return Remedy.RESOLVE
    if jobs:
        return Remedy.RETRY
    return Remedy.MOVE if any(each.act is Act.MOVE for each in view.possible) else Remedy.CLOSE
