"""What may be done, and the roles that bundle it. Policy is a value here; commands and pages ask ``require``.

Operations declare business permissions of their own (``permission="requisition:create"``); the ones that ship are
named here too, so that a role can hold them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType

from engine.identity.actor import Actor


class Permission(StrEnum):
    """One thing that somebody may do, as ``what:verb``."""

    #: See deployed processes, their versions and drawings.
    READ_PROCESSES = "process:read"
    #: Draw and propose versions.
    DRAW = "process:draw"
    #: Deploy a version.
    DEPLOY = "process:deploy"
    #: Start instances by hand.
    START = "instance:start"
    #: See instances, their steps and documents.
    READ_INSTANCES = "instance:read"
    #: Cancel instances.
    CANCEL = "instance:cancel"
    #: Look at incidents and mend instances: retry, resolve, correct, release a key.
    REPAIR = "instance:repair"
    #: See tasks.
    READ_TASKS = "task:read"
    #: Decide tasks of the process roles that one's groups hold.
    DECIDE = "task:decide"
    #: Send business events.
    SEND_EVENTS = "event:send"
    #: Claim jobs and record their outcome.
    WORK = "job:work"
    #: Read the audit trail, with what was sent and answered.
    READ_AUDIT = "audit:read"
    #: Add and change people.
    MANAGE_PEOPLE = "person:manage"
    #: Make and revoke tokens.
    MANAGE_TOKENS = "token:manage"
    #: Create requisitions in the ERP.
    CREATE_REQUISITIONS = "requisition:create"
    #: Cancel requisitions in the ERP.
    CANCEL_REQUISITIONS = "requisition:cancel"


class Role(StrEnum):
    """A bundle of permissions that a person or a service can hold."""

    REQUESTER = "requester"
    APPROVER = "approver"
    ANALYST = "analyst"
    PROCESS_OWNER = "process_owner"
    OPERATOR = "operator"
    AUDITOR = "auditor"
    INTEGRATOR = "integrator"
    ADMIN = "admin"
    #: Workers and systems that act by themselves.
    SERVICE = "service"


_READER = {Permission.READ_PROCESSES, Permission.READ_INSTANCES, Permission.READ_TASKS}

#: Nobody who administers people or mends instances decides tasks by that role (W28).
PERMISSIONS_OF: Mapping[Role, frozenset[Permission]] = MappingProxyType(
    {
        Role.REQUESTER: frozenset({*_READER, Permission.START, Permission.CANCEL}),
        Role.APPROVER: frozenset({*_READER, Permission.DECIDE}),
        Role.ANALYST: frozenset({*_READER, Permission.DRAW}),
        Role.PROCESS_OWNER: frozenset({*_READER, Permission.DRAW, Permission.DEPLOY, Permission.READ_AUDIT}),
        Role.OPERATOR: frozenset({*_READER, Permission.CANCEL, Permission.REPAIR, Permission.READ_AUDIT}),
        Role.AUDITOR: frozenset({*_READER, Permission.READ_AUDIT}),
        Role.INTEGRATOR: frozenset({*_READER, Permission.START, Permission.SEND_EVENTS, Permission.READ_AUDIT}),
        Role.ADMIN: frozenset({*_READER, Permission.DEPLOY, Permission.MANAGE_PEOPLE, Permission.MANAGE_TOKENS}),
        Role.SERVICE: frozenset(
            {
                *_READER,
                Permission.START,
                Permission.SEND_EVENTS,
                Permission.WORK,
                Permission.CREATE_REQUISITIONS,
                Permission.CANCEL_REQUISITIONS,
            }
        ),
    }
)


class UnknownRole(Exception):
    """There is no role "{role}". Choose among {known}."""

    code = "unknown_role"

    def __init__(self, role: str) -> None:
        self.role = role
        known = ", ".join(known.value for known in Role)
        super().__init__((type(self).__doc__ or "").format(role=role, known=known))


class PermissionDenied(Exception):
    """{name} may not do this: the permission "{permission}" is missing. Ask an administrator for {remedy}."""

    code = "permission_denied"

    def __init__(self, actor: Actor, permission: str) -> None:
        self.permission = permission
        self.name = actor.name
        self.roles = roles_with(permission)
        remedy = " or ".join(f"the role {role}" for role in self.roles) or "a role that holds it; none does yet"
        super().__init__((type(self).__doc__ or "").format(name=actor.name, permission=permission, remedy=remedy))


def permissions_of(roles: Iterable[str]) -> frozenset[str]:
    """Return what all roles together allow. Raises UnknownRole."""
    allowed: set[str] = set()
    for name in roles:
        try:
            allowed |= PERMISSIONS_OF[Role(name)]
        except ValueError:
            raise UnknownRole(name) from None
    return frozenset(allowed)


def roles_with(permission: str) -> tuple[str, ...]:
    """Return the roles that hold a permission."""
    return tuple(role.value for role, held in PERMISSIONS_OF.items() if permission in held)


def require(actor: Actor, permission: str) -> None:
    """Do nothing if an actor may do something. Raises PermissionDenied, which says what is missing and whom to ask."""
    if permission not in actor.permissions:
        raise PermissionDenied(actor, permission)
