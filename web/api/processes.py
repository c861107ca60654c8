"""``/processes``: what can be started."""

from __future__ import annotations

from flask import Response

from engine.contract.ids import WorkflowType
from engine.runtime import Runtime
from web.answers import json_answer
from web.api import answers
from web.api.routes import Route
from web.signing_in import calling_actor


def process_routes(runtime: Runtime) -> tuple[Route, ...]:
    """Return the routes over processes."""

    def list_processes() -> Response:
        return json_answer({"items": runtime.processes(calling_actor(runtime)), "next": None})

    def show_process(workflow_type: str) -> Response:
        return json_answer(runtime.process(calling_actor(runtime), WorkflowType(workflow_type)))

    return (
        Route(
            method="GET",
            path="/processes",
            view=list_processes,
            summary="List processes",
            tag="processes",
            answers={200: answers.ProcessPage},
        ),
        Route(
            method="GET",
            path="/processes/<type:workflow_type>",
            view=show_process,
            summary="Show a process",
            tag="processes",
            answers={200: answers.Process},
            refusals=(401, 403, 404),
        ),
    )
