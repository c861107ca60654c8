"""Who reads the page: the session behind the cookie, looked up once per request."""

from __future__ import annotations

from flask import Response, g, request

from engine.identity import OpenedSession, SessionEnded, SignedIn
from engine.runtime import Runtime
from web.pages.site import PageSettings

SESSION_COOKIE = "vermilion_session"
#: A session ends on the server; the cookie may live as long as the longest of them, in seconds.
_COOKIE_AGE = 12 * 3600


def find_reader(runtime: Runtime) -> None:
    """Look the reader of this request up; nobody when there is no cookie or its session ended."""
    secret = request.cookies.get(SESSION_COOKIE, "")
    g.reader = None
    if secret:
        try:
            g.reader = runtime.reader(secret)
        except SessionEnded:
            g.had_session = True


def read_as(opened: OpenedSession) -> None:
    """Let the rest of this request be read by whoever just signed in."""
    g.reader = opened.reader
    g.session_secret = opened.secret


def session_secret() -> str:
    """Return the secret of the session that this request reads with; empty for none."""
    secret: str = g.get("session_secret") or request.cookies.get(SESSION_COOKIE, "")
    return secret


def reader_or_none() -> SignedIn | None:
    """Return who reads this page, None for nobody."""
    found: SignedIn | None = g.get("reader")
    return found


def reader() -> SignedIn:
    """Return who reads this page. Raises SessionEnded for nobody."""
    found = reader_or_none()
    if found is None:
        raise SessionEnded
    return found


def remember_session(response: Response, settings: PageSettings, secret: str) -> None:
    """Give the browser its session."""
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=_COOKIE_AGE,
        httponly=True,
        secure=settings.is_secure or request.is_secure,
        samesite="Lax",
    )


def forget_session(response: Response) -> None:
    """Take the session from the browser."""
    response.delete_cookie(SESSION_COOKIE)
