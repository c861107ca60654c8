"""``/processes``: what can be started."""

from __future__ import annotations

from flask import Response
from flask_openapi3 import APIBlueprint, Tag

from engine.contract.ids import WorkflowType
from engine.runtime import Runtime
from web.answers import json_answer
from web.api import answers
from web.api.models import ProcessPath
from web.problems import Problem
from web.signing_in import calling_actor

_TAG = Tag(name="processes", description="Deployed processes by their current version")


def processes_blueprint(runtime: Runtime) -> APIBlueprint:
    """Return the routes over processes."""
    blueprint = APIBlueprint("processes", __name__, abp_tags=[_TAG], abp_security=[{"token": []}])

    @blueprint.get(
        "/processes",
        summary="List processes",
        responses={200: answers.Page[answers.Process], 401: Problem, 403: Problem},
    )
    def list_processes() -> Response:  # pyright: ignore[reportUnusedFunction]
        processes = runtime.processes(calling_actor(runtime))
        return json_answer({"items": processes, "next": None})

    @blueprint.get(
        "/processes/<workflow_type>",
        summary="Show a process",
        responses={200: answers.Process, 401: Problem, 403: Problem, 404: Problem},
    )
    def show_process(path: ProcessPath) -> Response:  # pyright: ignore[reportUnusedFunction]
        return json_answer(runtime.process(calling_actor(runtime), WorkflowType(path.workflow_type)))

    return blueprint
