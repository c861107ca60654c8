"""Who may do what: people, service identities, roles, permissions, tokens."""

from __future__ import annotations

from engine.identity.actor import Actor
from engine.identity.passwords import PasswordRefused, WrongPassword
from engine.identity.people import (
    LoginTaken,
    NewPerson,
    Person,
    actor_of,
    add_person,
    change_person,
    find_person,
    list_people,
    seed_people,
)
from engine.identity.permissions import (
    PERMISSIONS_OF,
    Permission,
    PermissionDenied,
    Role,
    UnknownRole,
    permissions_of,
    require,
    roles_with,
)
from engine.identity.tokens import IssuedToken, NotSignedIn, actor_for_token, issue_token, list_tokens, revoke_token
from engine.identity.web_sessions import OpenedSession, SessionEnded, SignedIn, SignInDelayed, SignInRefused

__all__ = [
    "PERMISSIONS_OF",
    "Actor",
    "IssuedToken",
    "LoginTaken",
    "NewPerson",
    "NotSignedIn",
    "OpenedSession",
    "PasswordRefused",
    "Permission",
    "PermissionDenied",
    "Person",
    "Role",
    "SessionEnded",
    "SignInDelayed",
    "SignInRefused",
    "SignedIn",
    "UnknownRole",
    "WrongPassword",
    "actor_for_token",
    "actor_of",
    "add_person",
    "change_person",
    "find_person",
    "issue_token",
    "list_people",
    "list_tokens",
    "permissions_of",
    "require",
    "revoke_token",
    "roles_with",
    "seed_people",
]
