"""Passwords, kept as Argon2id hashes (RFC 9106, section 4, second recommended option)."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

#: Fewest characters of a password (NIST SP 800-63B-4 asks for 15 where nothing else protects, 8 beside a second
#: factor; the delay after failures stands between).
SHORTEST = 12
#: More would only cost time.
LONGEST = 1_000
_hasher = PasswordHasher()


class PasswordRefused(Exception):
    """The password cannot be used: it needs {shortest} to {longest} characters. Nothing was changed; choose another."""

    code = "password_refused"

    def __init__(self) -> None:
        self.fields = {"shortest": str(SHORTEST), "longest": str(LONGEST)}
        super().__init__((type(self).__doc__ or "").format_map(self.fields))


class WrongPassword(Exception):
    """The present password is not right. Nothing was changed; type it again."""

    code = "wrong_password"

    def __init__(self) -> None:
        super().__init__((type(self).__doc__ or "").strip())


def hashed(password: str) -> str:
    """Return what is stored of a password. Takes tens of milliseconds. Raises PasswordRefused."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise PasswordRefused
    return _hasher.hash(password)


@cache
def _nobodys() -> str:
    return _hasher.hash("the password of nobody")


def fits(stored: str | None, password: str) -> bool:
    """Whether a password is the one of a stored hash; costs the same time when there is none."""
    try:
        return _hasher.verify(stored or _nobodys(), password[: LONGEST + 1]) and stored is not None
    except (VerificationError, InvalidHashError):
        return False
