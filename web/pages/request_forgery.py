"""Keeps other sites from acting in a reader's name: a token in every form, and a look at where a request comes from.

The token is computed from the browser's own secret (its session's, or before sign-in a visitor's cookie), so that no
row is stored for it (OWASP, Cross-Site Request Forgery Prevention: HMAC-based token pattern).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from http import HTTPStatus

from flask import Response, g, request
from markupsafe import Markup

from web.pages.reader import reader_or_none, session_secret
from web.pages.site import PageSettings
from web.problems import Refused

FIELD = "csrf_token"
VISITOR_COOKIE = "vermilion_visitor"
_PURPOSE = b"vermilion form"
_RANDOM_BYTES = 32


def _secret() -> str:
    if reader_or_none() is not None:
        return session_secret()
    if "visitor" not in g:
        known = request.cookies.get(VISITOR_COOKIE, "")
        g.visitor = known or secrets.token_urlsafe(_RANDOM_BYTES)
        g.is_new_visitor = not known
    secret: str = g.visitor
    return secret


def token() -> str:
    """Return the token that forms of this page carry."""
    return token_of(_secret())


def token_of(secret: str) -> str:
    """Return the token of a browser by its secret: that of its session, or of its visit."""
    return hmac.new(secret.encode(), _PURPOSE, hashlib.sha256).hexdigest()


def field() -> Markup:
    """Return the hidden field that every form that changes something holds."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, token())


def check_origin() -> None:
    """Refuse a request that another site made a browser send. Raises Refused, 403."""
    origin = request.headers.get("Origin")
    is_foreign = origin is not None and origin.partition("://")[2] != request.host
    if is_foreign or request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise _refused("foreign_origin", "This request came from another site. Nothing was changed.")


def check_token() -> None:
    """Refuse a form that is not of this browser's. Raises Refused, 403."""
    given = request.form.get(FIELD) or request.headers.get("X-CSRF-Token") or ""
    if not hmac.compare_digest(given.encode(), token().encode()):
        raise _refused(
            "old_form", "This page was made before you signed in, or its form is not ours. Open the page again."
        )


def _refused(code: str, sentence: str) -> Refused:
    return Refused(HTTPStatus.FORBIDDEN, code, sentence)


def remember_visitor(response: Response, settings: PageSettings) -> None:
    """Give a new visitor's browser the secret that its forms are bound to."""
    if g.get("is_new_visitor"):
        response.set_cookie(
            VISITOR_COOKIE,
            g.visitor,
            httponly=True,
            secure=settings.is_secure or request.is_secure,
            samesite="Lax",
        )
