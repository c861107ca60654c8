"""``POST /events``: business events from other systems, signed."""

from __future__ import annotations

import hashlib

from flask import Response, request

from engine.contract.ids import EventId
from engine.runtime import Runtime
from engine.runtime.commands import ReceivedEvent
from web.answers import json_answer
from web.api import answers
from web.api.models import CloudEvent
from web.api.request_body import raw_body, read_json
from web.api.routes import Route
from web.tracing import trace_of_request
from web.webhooks import SignatureCheck


def event_routes(runtime: Runtime, signatures: SignatureCheck) -> tuple[Route, ...]:
    """Return the route that receives events."""

    def receive_event() -> Response:
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

    return (
        Route(
            method="POST",
            path="/events",
            view=receive_event,
            summary="Receive an event",
            description="CloudEvents 1.0 in JSON, signed per Standard Webhooks. A repeat gets the first answer again.",
            tag="events",
            body=CloudEvent,
            media_type="application/cloudevents+json",
            answers={200: answers.EventAnswer},
            refusals=(400, 401, 403, 409, 413, 422),
            security="webhook",
        ),
    )
