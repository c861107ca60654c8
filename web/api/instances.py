"""``/instances``: start, find, look at, cancel and mend."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from engine.contract.ids import BusinessKey, WorkflowId, WorkflowType
from engine.runtime import InstanceFilter, Runtime
from engine.runtime.commands import CancelRequest, RepairRequest, StartRequest
from web.answers import json_answer
from web.api import answers
from web.api.idempotency import answered_once, request_key
from web.api.models import CancelInput, InstanceQuery, RepairInput, StartInput
from web.api.request_body import body_as, raw_body
from web.api.routes import Route, query_as
from web.signing_in import calling_actor
from web.tracing import trace_of_request

_COMMAND_REFUSALS = (400, 401, 403, 404, 409, 413, 422)


def instance_routes(runtime: Runtime) -> tuple[Route, ...]:
    """Return the routes over instances."""

    def start_instance() -> Response:
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

    def list_instances() -> Response:
        actor = calling_actor(runtime)
        query = query_as(InstanceQuery)
        wanted = InstanceFilter(
            workflow_type=query.workflow_type,
            business_status=query.business_status,
            execution_state=query.execution_state,
            business_key=query.business_key,
        )
        return json_answer(runtime.instances(actor, wanted, cursor=query.cursor, limit=query.limit))

    def show_instance(workflow_id: str) -> Response:
        return json_answer(runtime.instance(calling_actor(runtime), WorkflowId(workflow_id)))

    def cancel_instance(workflow_id: str) -> Response:
        actor = calling_actor(runtime)
        request = CancelRequest(workflow_id=WorkflowId(workflow_id), reason=body_as(CancelInput).reason)
        return answered_once(runtime, actor, lambda: json_answer(runtime.cancel(actor, request)))

    def repair_instance(workflow_id: str) -> Response:
        actor = calling_actor(runtime)
        given = body_as(RepairInput)
        request = RepairRequest(workflow_id=WorkflowId(workflow_id), **given.model_dump())
        return answered_once(runtime, actor, lambda: json_answer(runtime.repair(actor, request)))

    tag = "instances"
    return (
        Route(
            method="POST",
            path="/instances",
            view=start_instance,
            summary="Start an instance",
            description="A start whose business key or Idempotency-Key was used before answers with that instance.",
            tag=tag,
            body=StartInput,
            answers={200: answers.InstanceAnswer, 201: answers.InstanceAnswer},
            refusals=_COMMAND_REFUSALS,
            takes_key=True,
        ),
        Route(
            method="GET",
            path="/instances",
            view=list_instances,
            summary="List instances, the newest first",
            tag=tag,
            query=InstanceQuery,
            answers={200: answers.InstancePage},
            refusals=(401, 403, 422),
        ),
        Route(
            method="GET",
            path="/instances/<hex:workflow_id>",
            view=show_instance,
            summary="Show an instance",
            tag=tag,
            answers={200: answers.Instance},
            refusals=(401, 403, 404),
        ),
        Route(
            method="POST",
            path="/instances/<hex:workflow_id>/cancel",
            view=cancel_instance,
            summary="Cancel an instance",
            description="Before its write it ends at once; during it, the write is compensated where possible.",
            tag=tag,
            body=CancelInput,
            answers={200: answers.InstanceAnswer},
            refusals=_COMMAND_REFUSALS,
            takes_key=True,
        ),
        Route(
            method="POST",
            path="/instances/<hex:workflow_id>/repair",
            view=repair_instance,
            summary="Mend an instance",
            tag=tag,
            body=RepairInput,
            answers={200: answers.InstanceAnswer},
            refusals=_COMMAND_REFUSALS,
            takes_key=True,
        ),
    )
