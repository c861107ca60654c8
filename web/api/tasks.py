"""``/tasks``: what waits for people, and their decisions."""

from __future__ import annotations

from flask import Response
from flask_openapi3 import APIBlueprint, Tag

from engine.contract.ids import EventId, TaskId, WorkflowId
from engine.runtime import Runtime
from engine.runtime.commands import DecideRequest
from web.answers import json_answer
from web.api import answers
from web.api.models import DecisionInput, PageQuery, TaskPath
from web.api.idempotency import answered_once
from web.api.request_body import body_as
from web.api.schemas import body_of
from web.problems import Problem
from web.signing_in import calling_actor

_TAG = Tag(name="tasks", description="Tasks of people")
_REFUSALS = {400: Problem, 401: Problem, 403: Problem, 404: Problem, 409: Problem, 413: Problem, 422: Problem}


def tasks_blueprint(runtime: Runtime) -> APIBlueprint:
    """Return the routes over tasks."""
    blueprint = APIBlueprint("tasks", __name__, abp_tags=[_TAG], abp_security=[{"token": []}])

    @blueprint.get(
        "/tasks",
        summary="List the tasks that the caller may decide",
        responses={200: answers.Page[answers.TaskSummary], 401: Problem, 403: Problem, 422: Problem},
    )
    def list_tasks(query: PageQuery) -> Response:  # pyright: ignore[reportUnusedFunction]
        return json_answer(runtime.tasks(calling_actor(runtime), cursor=query.cursor, limit=query.limit))

    @blueprint.get("/tasks/<task_id>", summary="Show a task", responses={200: answers.Task, **_REFUSALS})
    def show_task(path: TaskPath) -> Response:  # pyright: ignore[reportUnusedFunction]
        return json_answer(runtime.task(calling_actor(runtime), TaskId(path.task_id)))

    @blueprint.post(
        "/tasks/<task_id>/decision",
        summary="Decide a task",
        description="`bound_digest` is the one of the task as it was shown: a decision on facts that have changed since "
        "is refused. The same decision sent twice gets the first answer.",
        responses={200: answers.DecisionAnswer, **_REFUSALS},
        openapi_extensions=body_of(DecisionInput),
    )
    def decide_task(path: TaskPath) -> Response:  # pyright: ignore[reportUnusedFunction]
        actor = calling_actor(runtime)
        given = body_as(DecisionInput)
        request = DecideRequest(
            task_id=TaskId(path.task_id),
            values=given.values,
            bound_digest=given.bound_digest,
            workflow_id=WorkflowId(given.workflow_id) if given.workflow_id is not None else None,
            event_id=EventId(given.event_id) if given.event_id is not None else None,
        )
        return answered_once(runtime, actor, lambda: json_answer(runtime.decide(actor, request)))

    return blueprint
