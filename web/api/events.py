"""``POST /events``: business events from other systems, signed."""

from __future__ import annotations

import hashlib

from flask import Response, request
from flask_openapi3 import APIBlueprint, Tag

from engine.contract.ids import EventId
from engine.runtime import Runtime
from engine.runtime.commands import ReceivedEvent
from web.answers import json_answer
from web.api import answers
from web.api.models import CloudEvent
from web.api.request_body import raw_body, read_json
from web.problems import Problem
from web.tracing import trace_of_request
from web.webhooks import SignatureCheck

_TAG = Tag(name="events", description="Business events from other systems (CloudEvents, Standard Webhooks)")


def events_blueprint(runtime: Runtime, signatures: SignatureCheck) -> APIBlueprint:
    """Return the routes that receive events."""
    blueprint = APIBlueprint("events", __name__, abp_tags=[_TAG])

    @blueprint.post(
        "/events",
        summary="Receive an event",
        description="A repeat of an event that was received before gets the first answer again.",
        responses={200: answers.EventAnswer, 400: Problem, 401: Problem, 409: Problem, 413: Problem, 422: Problem},
        openapi_extensions={
            "requestBody": {
                "required": True,
                "content": {"application/cloudevents+json": {"schema": CloudEvent.model_json_schema()}},
            }
        },
        security=[{"webhook": []}],
    )
    def receive_event() -> Response:  # pyright: ignore[reportUnusedFunction]
        body = raw_body()
        sender = signatures.sender_of(body, dict(request.headers))
        event = CloudEvent.model_validate(read_json(body))
        answer = runtime.receive(
            sender.actor,
            ReceivedEvent(
                source=event.source,
                event_id=EventId(event.id),
                event_type=event.type,
                occurred_at=event.time,
                data=event.data,
                body_digest=hashlib.sha256(body).hexdigest(),
                trace_id=trace_of_request(),
            ),
        )
        return json_answer(answer)

    return blueprint
