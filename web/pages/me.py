"""The reader's own page: who they are here, their groups, and their password."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response, request, url_for

from engine.identity import PasswordRefused, SignInDelayed, WrongPassword
from web.pages import notices
from web.pages.kept_form import is_restored
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import render, see
from web.pages.site import Site
from web.texts.language import gettext
from web.texts.refusals import sentence


def my_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the reader's own page."""

    def page(*, refusal: str = "", status: HTTPStatus = HTTPStatus.OK) -> Response:
        signed_in = reader()
        return render(
            "me.html",
            status=status,
            title=signed_in.actor.name,
            signed_in=signed_in,
            groups=sorted(signed_in.actor.groups),
            refusal=refusal,
        )

    def show_or_change() -> Response:
        if request.method != "POST" or is_restored():
            return page()
        sent = request.form
        if sent.get("new_password") != sent.get("new_password_again"):
            return page(
                refusal=gettext("The new password was typed in two ways. Nothing was changed; type it again."),
                status=HTTPStatus.UNPROCESSABLE_ENTITY,
            )
        try:
            site.runtime.change_own_password(reader(), sent.get("old_password", ""), sent.get("new_password", ""))
        except (PasswordRefused, WrongPassword, SignInDelayed) as refused:
            return page(refusal=sentence(refused), status=HTTPStatus.UNPROCESSABLE_ENTITY)
        said = gettext("Your password is changed. Wherever else you were signed in, you have to sign in again.")
        return notices.carry(see(url_for("pages.me")), site.settings, said)

    return (PageRoute(path="/me", name="me", view=show_or_change, methods=("GET", "POST")),)
