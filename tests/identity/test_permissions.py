"""Roles are bundles of permissions; a refusal says what is missing and whom to ask."""

from __future__ import annotations

import pytest

from engine.contract.ids import PersonId, TenantId
from engine.identity import (
    PERMISSIONS_OF,
    Actor,
    Permission,
    PermissionDenied,
    Role,
    UnknownRole,
    permissions_of,
    require,
)


def actor(*roles: str) -> Actor:
    return Actor(
        tenant_id=TenantId("main"),
        person_id=PersonId("0" * 32),
        name="Eve Example",
        permissions=permissions_of(roles),
        groups=frozenset(),
    )


#: Who may do what, written out: a change of policy must be made twice.
MAY = {
    Permission.READ_PROCESSES: set(Role),
    Permission.READ_INSTANCES: set(Role),
    Permission.READ_TASKS: set(Role),
    Permission.DRAW: {Role.ANALYST, Role.PROCESS_OWNER},
    Permission.DEPLOY: {Role.PROCESS_OWNER, Role.ADMIN},
    Permission.START: {Role.REQUESTER, Role.INTEGRATOR, Role.SERVICE},
    Permission.CANCEL: {Role.REQUESTER, Role.OPERATOR},
    Permission.REPAIR: {Role.OPERATOR},
    Permission.DECIDE: {Role.APPROVER},
    Permission.SEND_EVENTS: {Role.INTEGRATOR, Role.SERVICE},
    Permission.WORK: {Role.SERVICE},
    Permission.READ_AUDIT: {Role.PROCESS_OWNER, Role.OPERATOR, Role.AUDITOR, Role.INTEGRATOR},
    Permission.MANAGE_PEOPLE: {Role.ADMIN},
    Permission.MANAGE_TOKENS: {Role.ADMIN},
    Permission.CREATE_REQUISITIONS: {Role.SERVICE},
    Permission.CANCEL_REQUISITIONS: {Role.SERVICE},
}


@pytest.mark.parametrize("permission", list(Permission))
def test_who_holds_a_permission(permission: Permission) -> None:
    assert {role for role, held in PERMISSIONS_OF.items() if permission in held} == MAY[permission]


def test_several_roles_add_up() -> None:
    both = actor("requester", "approver")

    require(both, Permission.START)
    require(both, "task:decide")


def test_a_refusal_tells_what_is_missing_and_whom_to_ask() -> None:
    with pytest.raises(PermissionDenied) as caught:
        require(actor("auditor"), Permission.DEPLOY)

    assert str(caught.value) == (
        'Eve Example may not do this: the permission "process:deploy" is missing. '
        "Ask an administrator for the role process_owner or the role admin."
    )
    assert (caught.value.permission, caught.value.roles) == ("process:deploy", ("process_owner", "admin"))


def test_a_permission_that_no_role_holds_is_refused_to_all() -> None:
    with pytest.raises(PermissionDenied, match="none does yet"):
        require(actor(*Role), "payment:release")


def test_nobody_without_a_role_may_do_anything() -> None:
    with pytest.raises(PermissionDenied):
        require(actor(), Permission.READ_PROCESSES)


def test_an_unknown_role_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownRole, match=r'no role "boss".*requester, approver'):
        permissions_of(["boss"])
