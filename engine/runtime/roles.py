"""Who holds a role of a process: ``process.yaml`` maps roles to groups of people."""

from __future__ import annotations

from collections.abc import Iterable

from engine.identity.actor import Actor
from engine.model.definition import Definition
from engine.model.graph import NodeKind
from engine.model.settings import ProcessSettings, Role


def declared_role(settings: ProcessSettings, name: str) -> Role | None:
    """Return a role of the process by its name; None when it declares none of this name."""
    return next((role for role in settings.roles if role.name == name), None)


def holds(actor: Actor, settings: ProcessSettings, names: Iterable[str | None]) -> bool:
    """Whether an actor is in a group of one of the named roles."""
    roles = (declared_role(settings, name) for name in names if name)
    return any(not actor.groups.isdisjoint(role.groups) for role in roles if role is not None)


def title_of(settings: ProcessSettings, name: str, language: str = "en") -> str:
    """Return what to call a role: its title in the language, else its name."""
    role = declared_role(settings, name)
    titles = role.title if role is not None else {}
    return titles.get("zh" if language == "zh" else "en") or name


def drawn_role(definition: Definition, element_id: str) -> str:
    """Return the role that a task was drawn for: its assignment's, else its lane's."""
    node = definition.nodes.get(element_id)
    if node is None or node.kind not in (NodeKind.USER_TASK, NodeKind.MANUAL_TASK):
        return ""
    assignment = node.task.assignment if node.task is not None else None
    return assignment.role if assignment is not None else node.lane or ""
