"""What roles are called, and what each is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.identity import Role
from web.texts.language import gettext

_ROLES: Mapping[Role, tuple[Callable[[], str], Callable[[], str]]] = {
    Role.REQUESTER: (lambda: gettext("Requester"), lambda: gettext("starts and cancels instances")),
    Role.APPROVER: (lambda: gettext("Approver"), lambda: gettext("decides tasks of their groups")),
    Role.ANALYST: (lambda: gettext("Analyst"), lambda: gettext("draws and proposes versions")),
    Role.PROCESS_OWNER: (lambda: gettext("Process owner"), lambda: gettext("puts versions into force, reads audits")),
    Role.OPERATOR: (lambda: gettext("Operator"), lambda: gettext("mends and cancels instances")),
    Role.AUDITOR: (lambda: gettext("Auditor"), lambda: gettext("reads everything, changes nothing")),
    Role.INTEGRATOR: (lambda: gettext("Integrator"), lambda: gettext("sends events, starts by program")),
    Role.ADMIN: (lambda: gettext("Administrator"), lambda: gettext("people, roles and tokens")),
    Role.SERVICE: (lambda: gettext("Service"), lambda: gettext("works by itself; nobody signs in as it")),
}


def role_title(code: str) -> str:
    """Return what a role is called."""
    return next((title() for role, (title, _) in _ROLES.items() if role == code), code)


def role_duty(code: str) -> str:
    """Return what a role is for."""
    return next((duty() for role, (_, duty) in _ROLES.items() if role == code), "")
