"""One sentence about what was just done, carried over the redirect after it."""

from __future__ import annotations

import base64
import hashlib
import hmac

from flask import Response, g, request

from web.pages.reader import SESSION_COOKIE, reader_or_none
from web.pages.site import PageSettings

_COOKIE = "vermilion_notice"
_SECONDS_KEPT = 60
#: Browsers take 4 KB for a cookie with its name and attributes.
_LONGEST_BYTES = 1500


def _seal(text: bytes) -> str:
    secret = request.cookies.get(SESSION_COOKIE, "").encode()
    return hmac.new(secret, b"notice" + text, hashlib.sha256).hexdigest()


def carry(response: Response, settings: PageSettings, text: str) -> Response:
    """Let the next page of this reader say something. Returns the response."""
    content = text.encode()[:_LONGEST_BYTES]
    value = f"{base64.urlsafe_b64encode(content).decode()}.{_seal(content)}"
    response.set_cookie(
        _COOKIE,
        value,
        max_age=_SECONDS_KEPT,
        httponly=True,
        secure=settings.is_secure or request.is_secure,
        samesite="Lax",
    )
    return response


def carried() -> str:
    """Return what this page is to say, empty for nothing; it is said once."""
    value = request.cookies.get(_COOKIE, "")
    if not value or reader_or_none() is None:
        return ""
    g.notice_was_said = True
    encoded, _, seal = value.partition(".")
    try:
        content = base64.urlsafe_b64decode(encoded.encode())
    except ValueError:
        return ""
    return content.decode(errors="ignore") if hmac.compare_digest(seal.encode(), _seal(content).encode()) else ""


def forget(response: Response) -> None:
    """Take a notice that was said from the browser."""
    if g.get("notice_was_said"):
        response.delete_cookie(_COOKIE)
