"""Makes the Flask application: the JSON API for programs, and the pages for people."""

from __future__ import annotations

from flask import Flask, Response
from pydantic import ValidationError

from engine.identity import Actor
from engine.runtime import Runtime
from web import access_log, problems
from web.answers import json_answer
from web.api import routes
from web.api.events import event_routes
from web.api.instances import instance_routes
from web.api.processes import process_routes
from web.api.request_body import LARGEST_BODY
from web.api.tasks import task_routes
from web.health import health_blueprint
from web.metrics import registry_of
from web.pages.blueprint import add_pages
from web.pages.site import PageSettings, Site
from web.webhooks import EventSender, SignatureCheck

API_ROOT = "/api/v1"

_ABOUT = routes.ApiDescription(
    title="Vermilion",
    version="1",
    description="Start processes, send events, decide tasks, see and mend instances. Exact numbers travel as strings.",
    security_schemes={
        "token": {"type": "http", "scheme": "bearer"},
        "webhook": {"type": "apiKey", "in": "header", "name": "webhook-signature"},
    },
)


def create_application(
    runtime: Runtime, *, pages: PageSettings, senders: tuple[EventSender, ...], watcher: Actor
) -> Flask:
    """Return the application.

    Parameters
    ----------
    pages
        What differs between installations in what people see.
    senders
        The systems that may send events.
    watcher
        The identity in whose name metrics are counted.
    """
    application = Flask("web", static_folder=None)
    application.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    application.register_error_handler(ValidationError, problems.invalid_input)
    problems.register(application)
    access_log.register(application)
    api = (
        *event_routes(runtime, SignatureCheck(senders)),
        *process_routes(runtime),
        *instance_routes(runtime),
        *task_routes(runtime),
    )
    routes.register(application, API_ROOT, api)
    document = routes.open_api(_ABOUT, API_ROOT, api)

    def describe_api() -> Response:
        return json_answer(document)

    application.add_url_rule(f"{API_ROOT}/openapi.json", "describe_api", describe_api)
    application.register_blueprint(health_blueprint(runtime, registry_of(runtime, watcher)))
    add_pages(application, Site(runtime=runtime, settings=pages), api_root=API_ROOT)
    return application
