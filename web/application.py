"""Makes the Flask application of the JSON API."""

from __future__ import annotations

from flask import Response
from flask_openapi3 import APIBlueprint, Info, OpenAPI
from pydantic import ValidationError

from engine.identity import Actor
from engine.runtime import Runtime
from web import access_log, problems
from web.api.events import events_blueprint
from web.api.instances import instances_blueprint
from web.api.processes import processes_blueprint
from web.api.request_body import LARGEST_BODY
from web.api.tasks import tasks_blueprint
from web.health import health_blueprint
from web.metrics import registry_of
from web.webhooks import EventSender, SignatureCheck

API_ROOT = "/api/v1"

_SECURITY_SCHEMES = {
    "token": {"type": "http", "scheme": "bearer"},
    "webhook": {"type": "apiKey", "in": "header", "name": "webhook-signature"},
}


def create_application(runtime: Runtime, *, senders: tuple[EventSender, ...], watcher: Actor) -> OpenAPI:
    """Return the application.

    Parameters
    ----------
    senders
        The systems that may send events.
    watcher
        The identity in whose name metrics are counted.
    """

    def on_invalid(error: ValidationError) -> Response:
        return problems.invalid_input(error)

    application = OpenAPI(
        "vermilion",
        info=Info(title="Vermilion", version="1", description="Start processes, send events, decide tasks."),
        security_schemes=_SECURITY_SCHEMES,
        validation_error_callback=on_invalid,
        validation_error_model=problems.Problem,
        doc_ui=False,
    )
    application.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    application.register_error_handler(ValidationError, on_invalid)
    problems.register(application)
    access_log.register(application)
    api: tuple[APIBlueprint, ...] = (
        events_blueprint(runtime, SignatureCheck(senders)),
        processes_blueprint(runtime),
        instances_blueprint(runtime),
        tasks_blueprint(runtime),
    )
    for blueprint in api:
        application.register_api(blueprint, url_prefix=API_ROOT)
    application.register_blueprint(health_blueprint(runtime, registry_of(runtime, watcher)))

    @application.route(f"{API_ROOT}/openapi.json")
    def describe() -> Response:  # pyright: ignore[reportUnusedFunction]
        return problems_free_json(application)

    return application


def problems_free_json(application: OpenAPI) -> Response:
    """Return the OpenAPI document."""
    return application.json.response(application.api_doc)  # pyright: ignore[reportReturnType]
