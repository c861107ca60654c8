"""``/healthz``, ``/readyz``, ``/metrics``: what machines that watch over us ask."""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from engine.runtime import Runtime
from web.answers import json_answer


def health_blueprint(runtime: Runtime, metrics: CollectorRegistry) -> Blueprint:
    """Return the routes of health and metrics; they need no sign-in and tell nothing about any instance."""
    blueprint = Blueprint("health", __name__)

    @blueprint.get("/healthz")
    def is_alive() -> Response:  # pyright: ignore[reportUnusedFunction]
        return json_answer({"status": "ok"})

    @blueprint.get("/readyz")
    def is_ready() -> Response:  # pyright: ignore[reportUnusedFunction]
        reason = runtime.why_not_ready()
        if reason is not None:
            return json_answer({"status": "not ready", "detail": reason}, HTTPStatus.SERVICE_UNAVAILABLE)
        return json_answer({"status": "ok"})

    @blueprint.get("/metrics")
    def show_metrics() -> Response:  # pyright: ignore[reportUnusedFunction]
        return Response(generate_latest(metrics), content_type=CONTENT_TYPE_LATEST)

    return blueprint
