"""Who may sign in to a system, and with which token."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

#: What each caller may do at first; the administrator may do everything.
_RIGHTS: Mapping[str, frozenset[str]] = {
    "service": frozenset({"read", "write"}),
    "reader": frozenset({"read"}),
    "admin": frozenset({"read", "write", "admin"}),
}


@dataclass(kw_only=True)
class Tokens:
    """A system's sign-in tokens: one each for the product's service, for a program that only reads, for the admin."""

    service: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    reader: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    admin: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    rights: dict[str, frozenset[str]] = field(default_factory=lambda: dict(_RIGHTS))

    def caller(self, authorization: str | None) -> str | None:
        """Return who signs in with this ``Authorization`` header; None for nobody known."""
        given = (authorization or "").removeprefix("Bearer ").encode()
        for name in _RIGHTS:
            if hmac.compare_digest(given, str(getattr(self, name)).encode()):
                return name
        return None

    def may(self, caller: str, access: str) -> bool:
        """Tell whether the caller has this access."""
        return access in self.rights[caller]

    def set_write(self, is_allowed: bool) -> None:
        """Give the product's service the right to write, or take it away."""
        self.rights["service"] = frozenset({"read", "write"} if is_allowed else {"read"})
