"""The story of an instance in sentences; what only machines care for is left to the list of calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from engine.runtime.views import InstanceView, TimelineEntry
from web.texts.language import gettext

StatusTitle = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Happening:
    """One line of the story.

    ``kind`` says who spoke: ``decision``, ``person``, ``rule``, ``system``, ``model`` or ``trouble``.
    """

    at: datetime
    text: str
    kind: str
    name: str = ""


def story(
    view: InstanceView, status_title: StatusTitle, models: frozenset[str], choices: Mapping[str, str]
) -> tuple[Happening, ...]:
    """Return what happened, in order.

    Parameters
    ----------
    status_title
        What a business status is called.
    models
        Keys of the steps in which an AI suggests.
    choices
        What was chosen, by the id of the decision.
    """
    found = (_told(view, each, status_title, models, choices) for each in view.timeline)
    return tuple(each for each in found if each is not None)


def _told(
    view: InstanceView,
    entry: TimelineEntry,
    status_title: StatusTitle,
    models: frozenset[str],
    choices: Mapping[str, str],
) -> Happening | None:
    if entry.event == "status":
        return _status(entry, status_title)
    if entry.event.startswith("step_"):
        return _step(entry, models)
    if entry.event.startswith("call_"):
        return _call(entry)
    sentence = _EVENTS.get(entry.event)
    if sentence is None:
        return None
    name = view.names.get(entry.actor, "")
    kind = _kind(entry.event, has_name=bool(name))
    text = sentence(entry, name or gettext("the engine"))
    choice = choices.get(entry.ids.get("approval_id", ""))
    if entry.event == "decided" and choice:
        text = gettext("%(name)s decided “%(choice)s”: %(step)s", name=name, choice=choice, step=entry.label)
    return Happening(at=entry.at, text=text, kind=kind, name=name)


def _kind(event: str, *, has_name: bool) -> str:
    if event == "decided":
        return "decision"
    if event in _BY_PEOPLE and has_name:
        return "person"
    return "trouble" if event == "job_parked" else "system"


def _status(entry: TimelineEntry, status_title: StatusTitle) -> Happening:
    after = status_title(str(entry.detail.get("after") or ""))
    rule = entry.actor.removeprefix("rule:") if entry.actor.startswith("rule:") else ""
    if rule:
        return Happening(at=entry.at, text=gettext("Status now: %(status)s, by a rule", status=after), kind="rule")
    return Happening(at=entry.at, text=gettext("Status now: %(status)s", status=after), kind="rule")


def _step(entry: TimelineEntry, models: frozenset[str]) -> Happening | None:
    kind = "model" if entry.step_key in models else "system"
    match entry.event:
        case "step_succeeded" if entry.label:
            text = gettext("Done: %(step)s", step=entry.label)
        case "step_failed":
            kind, text = "trouble", gettext("Failed: %(step)s", step=entry.label)
        case "step_unknown":
            kind, text = "trouble", gettext("Outcome unknown: %(step)s", step=entry.label)
        case _:
            return None
    return Happening(at=entry.at, text=text, kind=kind)


def _call(entry: TimelineEntry) -> Happening | None:
    error = entry.detail.get("error")
    if not error:
        return None
    text = gettext("%(step)s: the other system answered “%(error)s”", step=entry.label, error=error)
    return Happening(at=entry.at, text=text, kind="trouble")


def _reason(entry: TimelineEntry) -> str:
    reason = entry.detail.get("reason")
    return gettext(" Reason: %(reason)s", reason=reason) if reason else ""


_BY_PEOPLE = frozenset({"started", "decided", "cancelled", "repaired", "key_released"})
_EVENTS: Mapping[str, Callable[[TimelineEntry, str], str]] = {
    "started": lambda entry, name: (
        gettext("Started by an event from %(source)s", source=entry.detail["source"])
        if entry.detail.get("source")
        else gettext("Started by %(name)s", name=name)
    ),
    "decided": lambda entry, name: gettext("%(name)s decided: %(step)s", name=name, step=entry.label),
    "cancelled": lambda entry, name: gettext("%(name)s cancelled it.", name=name) + _reason(entry),
    "repaired": lambda entry, name: gettext("%(name)s mended it.", name=name) + _reason(entry),
    "key_released": lambda entry, name: gettext("%(name)s freed the business key.", name=name) + _reason(entry),
    "timer_fired": lambda entry, name: gettext("Time was up: %(step)s", step=entry.label),
    "message_correlated": lambda entry, name: gettext("A message came: %(step)s", step=entry.label),
    "job_parked": lambda entry, name: gettext("Stopped for an operator: %(step)s", step=entry.label),
}
