"""Signing in and out, with what was typed when a session ended."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response, request, url_for

from engine.identity import SignInDelayed, SignInRefused
from web.pages import kept_form, request_forgery
from web.pages.navigation import home_of
from web.pages.page_route import PageRoute
from web.pages.reader import SESSION_COOKIE, forget_session, read_as, reader_or_none, remember_session
from web.pages.render import render, see
from web.pages.site import Site
from web.texts.language import gettext
from web.texts.refusals import sentence


def sign_in_address(next_address: str) -> str:
    """Return the address of the sign-in page that goes on to another page."""
    return url_for("pages.sign_in", next=next_address) if next_address not in ("", "/") else url_for("pages.sign_in")


def own_address(address: str) -> str:
    """Return an address if it lies in this site, else nothing: nobody is sent elsewhere by a forged link."""
    is_own = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if is_own else ""


def sign_in_page(
    site: Site,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    next_address: str = "",
    kept: kept_form.Fields = (),
    login: str = "",
    refusal: str = "",
) -> Response:
    """Return the sign-in page. ``kept`` is what was typed on the page that asked for sign-in."""
    return render(
        "sign_in.html",
        status=status,
        title=gettext("Sign in"),
        next_address=next_address,
        kept=kept_form.carried(kept),
        login=login,
        refusal=refusal,
        demo=site.settings.demo,
    )


def sign_in_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the pages of signing in and out."""

    def show() -> Response:
        reader = reader_or_none()
        next_address = own_address(request.args.get("next", ""))
        if reader is not None:
            return see(next_address or home_of(reader))
        return sign_in_page(site, next_address=next_address)

    def sign_in() -> Response:
        login = request.form.get("login", "").strip()
        next_address = own_address(request.form.get("next", ""))
        kept = kept_form.kept_fields()
        try:
            opened = site.runtime.sign_in_with_password(
                site.settings.tenant_id, login, request.form.get("password", "")
            )
        except (SignInRefused, SignInDelayed) as refused:
            is_delayed = isinstance(refused, SignInDelayed)
            page = sign_in_page(
                site,
                status=HTTPStatus.TOO_MANY_REQUESTS if is_delayed else HTTPStatus.UNPROCESSABLE_ENTITY,
                next_address=next_address,
                kept=kept,
                login=login,
                refusal=sentence(refused),
            )
            if isinstance(refused, SignInDelayed):
                page.headers["Retry-After"] = str(refused.seconds)
            return page
        if kept and next_address:
            read_as(opened)
            page = render(
                "typed_again.html",
                title=gettext("You are signed in again"),
                next_address=next_address,
                kept=(*kept, (kept_form.RESTORED, "1"), (request_forgery.FIELD, request_forgery.token())),
            )
        else:
            page = see(next_address or home_of(opened.reader))
        remember_session(page, site.settings, opened.secret)
        return page

    def sign_in_or_show() -> Response:
        return sign_in() if request.method == "POST" else show()

    def sign_out() -> Response:
        secret = request.cookies.get(SESSION_COOKIE, "")
        if secret:
            site.runtime.sign_out(secret)
        answer = see(url_for("pages.home"))
        forget_session(answer)
        return answer

    def home() -> Response:
        reader = reader_or_none()
        if reader is not None:
            return see(home_of(reader))
        return see(url_for("pages.sign_in" if site.settings.demo is None else "pages.welcome"))

    return (
        PageRoute(path="/", name="home", view=home, is_public=True),
        PageRoute(path="/sign-in", name="sign_in", view=sign_in_or_show, methods=("GET", "POST"), is_public=True),
        PageRoute(path="/sign-out", name="sign_out", view=sign_out, methods=("POST",), is_public=True),
    )
