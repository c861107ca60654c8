"""How an instance stands, in the words of its process, and what somebody may do about it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from engine.identity.actor import Actor
from engine.identity.permissions import Permission
from engine.model.definition import Definition
from engine.model.settings import Text
from engine.model.statuses import is_legal
from engine.runtime.commands import ExecutionState
from engine.runtime.transitions import declared
from engine.runtime.views import Act, PossibleAct
from engine.store.incidents import IncidentRow
from engine.store.instances import InstanceHead


class Standing(StrEnum):
    """How an instance stands, for every process alike."""

    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    #: An operator must look at it.
    ATTENTION = "attention"


def process_title(definition: Definition, language: str) -> str:
    """Return what a process is called."""
    title = definition.settings.title
    return _in_language(title, language) or definition.settings.key


def status_title(definition: Definition, status: str | None, language: str) -> str:
    """Return what a business status is called; empty for none."""
    found = declared(definition.settings, status)
    if found is None:
        return status or ""
    return _in_language(found.title, language) or found.name


def _in_language(title: Text, language: str) -> str:
    return title.get("zh" if language == "zh" else "en") or title.get("en", "")


def standing(definition: Definition, instance: InstanceHead) -> str:
    """Return how an instance stands."""
    if instance.execution_state == ExecutionState.INCIDENT:
        return Standing.ATTENTION
    status = declared(definition.settings, instance.business_status)
    if status is not None and status.is_failure:
        return Standing.FAILED
    if instance.execution_state == ExecutionState.FINISHED:
        return Standing.STOPPED if instance.cancel_reason else Standing.DONE
    return Standing.RUNNING if instance.execution_state == ExecutionState.RUNNING else Standing.WAITING


def possible_acts(
    actor: Actor, definition: Definition, instance: InstanceHead, open_incidents: Sequence[IncidentRow]
) -> tuple[PossibleAct, ...]:
    """Return what somebody may ask for now; the commands check it again.

    Of a failed instance the statuses that an operator may move it to; of each open incident its repair.
    """
    if instance.execution_state == ExecutionState.FINISHED:
        may_release = Permission.REPAIR in actor.permissions and instance.held_key is not None
        return (PossibleAct(act=Act.RELEASE_KEY),) if may_release else ()
    acts: list[PossibleAct] = []
    if Permission.REPAIR in actor.permissions:
        acts += [PossibleAct(act=Act.REPAIR, incident_id=each.incident_id) for each in open_incidents]
        for status in definition.settings.statuses:
            present = instance.business_status
            by_hand = is_legal(definition.settings, present, status.name, by_operator=True)
            by_itself = is_legal(definition.settings, present, status.name, by_operator=False)
            if present != status.name and by_hand and not by_itself:
                acts.append(PossibleAct(act=Act.MOVE, status=status.name))
    if Permission.CANCEL in actor.permissions and definition.settings.cancellation is not None:
        acts.append(PossibleAct(act=Act.CANCEL))
    return tuple(acts)
