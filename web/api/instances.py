"""``/instances``: start, find, look at, cancel and mend."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response
from flask_openapi3 import APIBlueprint, Tag

from engine.contract.ids import BusinessKey, WorkflowId, WorkflowType
from engine.runtime import Runtime
from engine.runtime.commands import CancelRequest, RepairRequest, StartRequest
from web.answers import json_answer
from web.api import answers
from web.api.idempotency import answered_once, request_key
from web.api.models import CancelInput, InstancePath, InstanceQuery, RepairInput, StartInput
from web.api.request_body import body_as, raw_body
from web.api.schemas import body_of
from web.problems import Problem
from web.signing_in import calling_actor
from web.tracing import trace_of_request

_TAG = Tag(name="instances", description="Instances of processes")
_REFUSALS = {400: Problem, 401: Problem, 403: Problem, 404: Problem, 409: Problem, 413: Problem, 422: Problem}


def instances_blueprint(runtime: Runtime) -> APIBlueprint:
    """Return the routes over instances."""
    blueprint = APIBlueprint("instances", __name__, abp_tags=[_TAG], abp_security=[{"token": []}])

    @blueprint.post(
        "/instances",
        summary="Start an instance",
        description="A start whose business key, or whose Idempotency-Key, was used before answers with that instance.",
        responses={200: answers.InstanceAnswer, 201: answers.InstanceAnswer, **_REFUSALS},
        openapi_extensions=body_of(StartInput),
    )
    def start_instance() -> Response:  # pyright: ignore[reportUnusedFunction]
        actor = calling_actor(runtime)
        given = body_as(StartInput)
        answer = runtime.start(
            actor,
            StartRequest(
                workflow_type=WorkflowType(given.workflow_type),
                business_key=BusinessKey(given.business_key) if given.business_key is not None else None,
                variables=given.variables,
                trace_id=trace_of_request(),
                request_key=request_key(raw_body()),
            ),
        )
        return json_answer(answer, HTTPStatus.CREATED if answer.is_new else HTTPStatus.OK)

    @blueprint.get(
        "/instances",
        summary="List instances",
        responses={200: answers.Page[answers.InstanceSummary], 401: Problem, 403: Problem, 422: Problem},
    )
    def list_instances(query: InstanceQuery) -> Response:  # pyright: ignore[reportUnusedFunction]
        page = runtime.instances(
            calling_actor(runtime),
            InstanceFilter(
                workflow_type=query.workflow_type,
                business_status=query.business_status,
                execution_state=query.execution_state,
                business_key=query.business_key,
            ),
            cursor=query.cursor,
            limit=query.limit,
        )
        return json_answer(page)

    @blueprint.get(
        "/instances/<workflow_id>", summary="Show an instance", responses={200: answers.Instance, **_REFUSALS}
    )
    def show_instance(path: InstancePath) -> Response:  # pyright: ignore[reportUnusedFunction]
        return json_answer(runtime.instance(calling_actor(runtime), WorkflowId(path.workflow_id)))

    @blueprint.post(
        "/instances/<workflow_id>/cancel",
        summary="Cancel an instance",
        description="Before its write it ends at once; while it is being carried out, it is compensated where possible.",
        responses={200: answers.InstanceAnswer, **_REFUSALS},
        openapi_extensions=body_of(CancelInput),
    )
    def cancel_instance(path: InstancePath) -> Response:  # pyright: ignore[reportUnusedFunction]
        actor = calling_actor(runtime)
        given = body_as(CancelInput)
        request = CancelRequest(workflow_id=WorkflowId(path.workflow_id), reason=given.reason)
        return answered_once(runtime, actor, lambda: json_answer(runtime.cancel(actor, request)))

    @blueprint.post(
        "/instances/<workflow_id>/repair",
        summary="Mend an instance",
        responses={200: answers.InstanceAnswer, **_REFUSALS},
        openapi_extensions=body_of(RepairInput),
    )
    def repair_instance(path: InstancePath) -> Response:  # pyright: ignore[reportUnusedFunction]
        actor = calling_actor(runtime)
        given = body_as(RepairInput)
        request = RepairRequest(
            workflow_id=WorkflowId(path.workflow_id),
            incident_id=given.incident_id,
            resolution=given.resolution,
            document=given.document,
            values=given.values,
            status=given.status,
            reason=given.reason,
        )
        return answered_once(runtime, actor, lambda: json_answer(runtime.repair(actor, request)))

    return blueprint
