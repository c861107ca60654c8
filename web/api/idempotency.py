"""Idempotency-Key on POST: bound to the caller and to a fingerprint of the request."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from http import HTTPStatus

from flask import Response, request

from engine.identity import Actor
from engine.runtime import Runtime
from engine.runtime.commands import RequestKey
from web.api.request_body import raw_body
from web.problems import Refused

_LONGEST_KEY = 120


def request_key(body: bytes) -> RequestKey | None:
    """Return the request's Idempotency-Key with the fingerprint of method, path and body; None when none was sent.

    Raises
    ------
    Refused
        400 when the key is empty, too long, or holds other than visible ASCII characters.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not key or len(key) > _LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            "bad_idempotency_key",
            f"An Idempotency-Key has 1 to {_LONGEST_KEY} visible ASCII characters.",
            field="Idempotency-Key",
        )
    summary = hashlib.sha256(f"{request.method} {request.path}\n".encode() + body)
    return RequestKey(key=key, fingerprint=summary.hexdigest())


def answered_once(runtime: Runtime, actor: Actor, command: Callable[[], Response]) -> Response:
    """Carry out a command, or give a repeat of the same request its first answer.

    Raises
    ------
    KeyReused
        When the caller used the key for another request.
    """
    key = request_key(raw_body())
    if key is None:
        return command()
    known = runtime.recall(actor, key.key, key.fingerprint)
    if known is None:
        response = command()
        known = runtime.remember(
            actor, key.key, key.fingerprint, status_code=response.status_code, answer=response.get_data()
        )
    return Response(known.answer, status=known.status_code, content_type="application/json")
