"""Makes a page of a template, with what every page shows."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from flask import Response, g, make_response, redirect, render_template, request, url_for

from web.pages import notices, request_forgery
from web.pages.navigation import places
from web.pages.reader import reader_or_none
from web.texts.language import current_language

THEME_COOKIE = "theme"
THEMES = ("system", "light", "dark")


def current_theme() -> str:
    """Return the theme that the reader chose on this device; ``system`` follows the device."""
    chosen = request.cookies.get(THEME_COOKIE, "system")
    return chosen if chosen in THEMES else "system"


def render(template: str, *, status: HTTPStatus = HTTPStatus.OK, title: str, **context: Any) -> Response:
    """Return a page.

    Parameters
    ----------
    template
        Path below ``web/templates``.
    title
        What the page is about, for the browser's title and the heading.
    """
    text = render_template(
        template,
        title=title,
        reader=reader_or_none(),
        navigation=places(reader_or_none(), g.get("rail_counts", {})),
        language=current_language(),
        theme=current_theme(),
        csrf_field=request_forgery.field,
        notice=notices.carried(),
        here=request.full_path.rstrip("?") if request.method == "GET" else url_for("pages.home"),
        **context,
    )
    response = make_response(text, status.value)
    response.headers["Cache-Control"] = "no-store"
    return response


def see(address: str) -> Response:
    """Send the browser on to a page after a POST (RFC 9110, 15.4.4), so that reloading repeats nothing."""
    response = make_response(redirect(address, HTTPStatus.SEE_OTHER.value))
    response.headers["Cache-Control"] = "no-store"
    return response
