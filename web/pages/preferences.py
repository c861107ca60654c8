"""Language and theme, chosen on any page; back to that page afterwards."""

from __future__ import annotations

from flask import Response, request, url_for

from web.pages.page_route import PageRoute
from web.pages.reader import reader_or_none
from web.pages.render import THEME_COOKIE, THEMES, see
from web.pages.sign_in import own_address
from web.pages.site import Site
from web.texts.language import LANGUAGE_COOKIE, LANGUAGES

_SECONDS_KEPT = 365 * 24 * 3600


def preference_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return what the buttons of the top bar send to."""

    def back() -> Response:
        return see(own_address(request.form.get("back", "")) or url_for("pages.home"))

    def remember(response: Response, cookie: str, value: str) -> Response:
        response.set_cookie(
            cookie,
            value,
            max_age=_SECONDS_KEPT,
            httponly=True,
            secure=site.settings.is_secure or request.is_secure,
            samesite="Lax",
        )
        return response

    def language() -> Response:
        wanted = request.form.get("language", "")
        if wanted not in LANGUAGES:
            return back()
        reader = reader_or_none()
        if reader is not None:
            site.runtime.change_own_language(reader.actor, wanted)
        return remember(back(), LANGUAGE_COOKIE, wanted)

    def theme() -> Response:
        wanted = request.form.get("theme", "")
        return remember(back(), THEME_COOKIE, wanted) if wanted in THEMES else back()

    return (
        PageRoute(path="/language", name="language", view=language, methods=("POST",), is_public=True),
        PageRoute(path="/theme", name="theme", view=theme, methods=("POST",), is_public=True),
    )
