"""Refusals and surprises as pages: what is wrong, what was kept, what to do; never a stack trace."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

import structlog
from flask import Blueprint, Response, request
from werkzeug.exceptions import HTTPException

from engine.identity import LoginTaken, PasswordRefused, PermissionDenied, SessionEnded, UnknownRole, WrongPassword
from engine.runtime import StoreBusy, StoreFull, StoreUnavailable, TextRefused, errors
from web.pages import kept_form
from web.pages.render import render, see
from web.pages.sign_in import sign_in_address, sign_in_page
from web.pages.site import Site
from web.problems import Refused, status_of
from web.texts.language import gettext
from web.texts.refusals import sentence

_log = structlog.get_logger(__name__)


def refusal_page(status: HTTPStatus, text: str) -> Response:
    """Return a page that says why not."""
    titles = {
        HTTPStatus.FORBIDDEN: gettext("You may not do this"),
        HTTPStatus.NOT_FOUND: gettext("There is nothing here"),
        HTTPStatus.CONFLICT: gettext("This is no longer possible"),
    }
    title = titles.get(status) or (
        gettext("This did not work") if status.value >= HTTPStatus.INTERNAL_SERVER_ERROR else gettext("Not like this")
    )
    return render("refusal.html", status=status, title=title, sentence=text)


def not_found() -> Response:
    """Return the page for an address where nothing is."""
    return refusal_page(
        HTTPStatus.NOT_FOUND, gettext("The address is wrong, or what was here is gone. Go on from one of the places.")
    )


def _by_border(error: Refused) -> Response:
    return refusal_page(error.status, gettext(error.detail))


def _denied(error: PermissionDenied) -> Response:
    return refusal_page(HTTPStatus.FORBIDDEN, sentence(error))


def _by_runtime(error: errors.Refused) -> Response:
    return refusal_page(status_of(error), sentence(error))


def _by_identity(error: Exception) -> Response:
    return refusal_page(HTTPStatus.UNPROCESSABLE_ENTITY, sentence(error))


def _by_store(error: StoreBusy | StoreFull | StoreUnavailable) -> Response:
    _log.error("store_failed", path=request.path, reason=str(error))
    page = refusal_page(HTTPStatus.SERVICE_UNAVAILABLE, sentence(error))
    page.headers["Retry-After"] = "5"
    return page


def _by_http(error: HTTPException) -> Response:
    status = HTTPStatus(error.code or 500)
    if status is HTTPStatus.NOT_FOUND:
        return not_found()
    if status is HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        text = gettext("That was too much at once. Go back: what you typed still stands there; shorten it.")
        return refusal_page(status, text)
    return refusal_page(status, gettext("The page cannot be used like this. Go on from one of the places."))


def _surprise(error: Exception) -> Response:
    _log.error("page_failed", path=request.path, exc_info=error)
    return refusal_page(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        gettext(
            "Something went wrong on our side. Nothing was done halfway; try it again, and tell the operator if it "
            "happens again."
        ),
    )


def register(blueprint: Blueprint, site: Site) -> None:
    """Answer every refusal of a page view, and every surprise, with a page."""

    def signed_out(_error: SessionEnded) -> Response:
        if request.method == "POST":
            return sign_in_page(
                site,
                status=HTTPStatus.UNAUTHORIZED,
                next_address=request.path,
                kept=kept_form.fields_to_keep(),
            )
        return see(sign_in_address(request.full_path.rstrip("?")))

    handlers: tuple[tuple[type[Exception], Callable[..., Response]], ...] = (
        (SessionEnded, signed_out),
        (Refused, _by_border),
        (PermissionDenied, _denied),
        (errors.Refused, _by_runtime),
        (StoreBusy, _by_store),
        (StoreFull, _by_store),
        (StoreUnavailable, _by_store),
        (TextRefused, _by_identity),
        (LoginTaken, _by_identity),
        (UnknownRole, _by_identity),
        (PasswordRefused, _by_identity),
        (WrongPassword, _by_identity),
        (HTTPException, _by_http),
        (Exception, _surprise),
    )
    for kind, answer in handlers:
        blueprint.register_error_handler(kind, answer)
