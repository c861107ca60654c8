"""``/tasks``: what waits for people, and their decisions."""

from __future__ import annotations

from flask import Response

from engine.contract.ids import EventId, TaskId, WorkflowId
from engine.runtime import Runtime
from engine.runtime.commands import DecideRequest
from web.answers import json_answer
from web.api import answers
from web.api.idempotency import answered_once
from web.api.models import DecisionInput, PageQuery
from web.api.request_body import body_as
from web.api.routes import Route, query_as
from web.signing_in import calling_actor


def task_routes(runtime: Runtime) -> tuple[Route, ...]:
    """Return the routes over tasks."""

    def list_tasks() -> Response:
        actor = calling_actor(runtime)
        query = query_as(PageQuery)
        return json_answer(runtime.tasks(actor, cursor=query.cursor, limit=query.limit))

    def show_task(task_id: str) -> Response:
        return json_answer(runtime.task(calling_actor(runtime), TaskId(task_id)))

    def decide_task(task_id: str) -> Response:
        actor = calling_actor(runtime)
        given = body_as(DecisionInput)
        request = DecideRequest(
            task_id=TaskId(task_id),
            values=given.values,
            bound_digest=given.bound_digest,
            workflow_id=WorkflowId(given.workflow_id) if given.workflow_id is not None else None,
            event_id=EventId(given.event_id) if given.event_id is not None else None,
        )
        return answered_once(runtime, actor, lambda: json_answer(runtime.decide(actor, request)))

    tag = "tasks"
    return (
        Route(
            method="GET",
            path="/tasks",
            view=list_tasks,
            summary="List the tasks that the caller may decide",
            tag=tag,
            query=PageQuery,
            answers={200: answers.TaskPage},
            refusals=(401, 403, 422),
        ),
        Route(
            method="GET",
            path="/tasks/<hex:task_id>",
            view=show_task,
            summary="Show a task",
            tag=tag,
            answers={200: answers.Task},
            refusals=(401, 403, 404),
        ),
        Route(
            method="POST",
            path="/tasks/<hex:task_id>/decision",
            view=decide_task,
            summary="Decide a task",
            description="`bound_digest` is that of the task as it was shown: a decision on facts that changed since is "
            "refused. The same decision sent twice gets the first answer.",
            tag=tag,
            body=DecisionInput,
            answers={200: answers.DecisionAnswer},
            refusals=(400, 401, 403, 404, 409, 413, 422),
            takes_key=True,
        ),
    )
