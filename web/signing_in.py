"""Who is calling: a bearer token on every request of the JSON API."""

from __future__ import annotations

from http import HTTPStatus

from flask import request

from engine.identity import Actor
from engine.runtime import Runtime
from web.problems import Refused

#: Schemes are case-insensitive (RFC 9110, 11.1).
_SCHEME = "bearer "


def calling_actor(runtime: Runtime) -> Actor:
    """Return the identity behind this request's bearer token.

    Raises
    ------
    Refused
        401 when no token came along.
    NotSignedIn
        When the token is unknown, expired or revoked.
    """
    header = request.headers.get("Authorization", "")
    if not header.lower().startswith(_SCHEME):
        raise Refused(
            HTTPStatus.UNAUTHORIZED,
            "not_signed_in",
            "Send a token: `Authorization: Bearer …`. An administrator makes one with `vermilion token LOGIN`.",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return runtime.sign_in(header[len(_SCHEME) :].strip())
