"""Who is calling: a bearer token on every request of the JSON API."""

from __future__ import annotations

from http import HTTPStatus

from flask import request

from engine.identity import Actor
from engine.runtime import Runtime
from web.problems import Refused

_SCHEME = "Bearer "


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
    if not header.startswith(_SCHEME):
        raise Refused(
            HTTPStatus.UNAUTHORIZED,
            "not_signed_in",
            "Send a token: `Authorization: Bearer …`. An administrator makes one with `vermilion token LOGIN`.",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return runtime.sign_in(header[len(_SCHEME) :].strip())
