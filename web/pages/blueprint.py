"""All pages as one blueprint: who reads, what may come from elsewhere, what browsers must hold to."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import quote

from flask import Blueprint, Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from web import problems
from web.pages import notices, refusals, request_forgery
from web.pages.assets import add_assets
from web.pages.inbox import inbox_pages
from web.pages.instance import instance_pages
from web.pages.instance_acts import instance_act_pages
from web.pages.me import my_pages
from web.pages.navigation import counts_of
from web.pages.page_route import PageRoute
from web.pages.people import people_pages, person_pages, token_pages
from web.pages.preferences import preference_pages
from web.pages.processes import process_pages
from web.pages.reader import find_reader, reader
from web.pages.render import see
from web.pages.sign_in import sign_in_pages
from web.pages.site import Site
from web.pages.start import start_pages
from web.pages.task import task_pages
from web.pages.welcome import welcome_pages
from web.pages.work import work_pages
from web.texts.language import set_up_languages
from web.texts.moments import ago, exact, lasting, set_zone
from web.texts.numbers import number

#: Where pages come from: each area gives its routes.
_AREAS: tuple[Callable[[Site], tuple[PageRoute, ...]], ...] = (
    sign_in_pages,
    welcome_pages,
    preference_pages,
    inbox_pages,
    task_pages,
    start_pages,
    work_pages,
    instance_pages,
    instance_act_pages,
    process_pages,
    people_pages,
    person_pages,
    token_pages,
    my_pages,
)
#: Answers to programs have no rail; the page of an instance has its statements for the instance.
_WITHOUT_COUNTS = frozenset(
    {"pages.instance", "pages.instance_drawing", "pages.instance_marks", "pages.process_drawing"}
)
#: What one form may send, in bytes: more than any form takes, so that a text too long is refused beside its field.
LARGEST_FORM = 4_000_000
#: Facts, section 5: neither htmx nor the viewer needs more.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


def page_routes(site: Site) -> tuple[PageRoute, ...]:
    """Return every page there is."""
    return tuple(route for area in _AREAS for route in area(site))


def _pages_blueprint(site: Site) -> Blueprint:
    blueprint = Blueprint("pages", __name__)
    routes = page_routes(site)
    public = {f"pages.{route.name}" for route in routes if route.is_public}

    def guard() -> None:
        request.max_content_length = LARGEST_FORM
        request.max_form_memory_size = LARGEST_FORM
        if request.method == "POST":
            request_forgery.check_origin()
        find_reader(site.runtime)
        if request.endpoint not in public:
            signed_in = reader()
            if request.method == "GET" and request.endpoint not in _WITHOUT_COUNTS:
                g.rail_counts = counts_of(site.runtime.waiting(signed_in.actor))
        if request.method == "POST":
            request_forgery.check_token()

    def seal(response: Response) -> Response:
        return _sealed(response, site)

    blueprint.before_request(guard)
    blueprint.after_request(seal)
    for route in routes:
        blueprint.add_url_rule(**route.rule)
    refusals.register(blueprint, site)
    return blueprint


def _sealed(response: Response, site: Site) -> Response:
    """Return an answer with what browsers must hold to, and the cookies that its page stands on."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    request_forgery.remember_visitor(response, site.settings)
    notices.forget(response)
    return response


def add_pages(application: Flask, site: Site, *, api_root: str) -> None:
    """Add all pages to an application; an unknown address outside the API is answered with a page, too.

    Who opens the address that a form is sent to, as after a session ended while sending, comes to the page above it.
    """
    set_up_languages(application)
    set_zone(application, site.settings.zone)
    application.jinja_env.filters.update(ago=ago, exact=exact, number=number, lasting=lasting)
    add_assets(application)
    application.register_blueprint(_pages_blueprint(site))
    answer_program = problems.by_http

    def by_http(error: HTTPException) -> Response:
        is_for_program = request.path.startswith(api_root + "/")
        if error.code == HTTPStatus.METHOD_NOT_ALLOWED.value and request.method == "GET" and not is_for_program:
            return see(quote(request.path.rpartition("/")[0]) or "/")
        if is_for_program or error.code != HTTPStatus.NOT_FOUND.value:
            return answer_program(error)
        find_reader(site.runtime)
        return _sealed(refusals.not_found(), site)

    application.register_error_handler(HTTPException, by_http)
