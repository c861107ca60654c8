"""Refusals as RFC 9457 problem details: a sentence a person understands, a stable code, never a stack trace."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
import structlog
from flask import Flask, Response, request
from pydantic import BaseModel, Field, ValidationError
from werkzeug.exceptions import HTTPException

from engine.identity import NotSignedIn, PermissionDenied
from engine.runtime import StoreBusy, StoreFull, StoreUnavailable, TextRefused, errors

_log: Any = structlog.get_logger(__name__)


class Problem(BaseModel):
    """A refusal (RFC 9457).

    ``code`` is stable and for programs; ``detail`` is for people; ``field`` names the place in the input, if one is
    at fault; ``retryable`` says whether the same request may succeed later.
    """

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    field: str | None = None
    retryable: bool = False
    request_id: str | None = Field(default=None)


class Refused(Exception):
    """A refusal of the border itself: what arrived cannot be handed to the runtime."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        detail: str,
        *,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.field = field
        self.headers = dict(headers or {})


def problem_response(
    status: HTTPStatus,
    code: str,
    detail: str,
    *,
    field: str | None = None,
    retryable: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a problem as ``application/problem+json``."""
    problem = Problem(
        title=status.phrase,
        status=status.value,
        code=code,
        detail=detail,
        field=field,
        retryable=retryable,
        request_id=request.headers.get("X-Request-Id"),
    )
    body = orjson.dumps(problem.model_dump(exclude_none=True))
    response = Response(body, status=status.value, content_type="application/problem+json")
    response.headers.update(dict(headers or {}))
    return response


def invalid_input(error: ValidationError) -> Response:
    """Turn pydantic's first complaint into a problem that names the place."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "body"
    return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_input", f"{place}: {first['msg']}.", field=place)


#: HTTP status by the runtime's stable refusal codes; every other refusal is 422.
_STATUS_OF_REFUSAL: Mapping[str, HTTPStatus] = {
    "not_your_task": HTTPStatus.FORBIDDEN,
    "unknown_process": HTTPStatus.NOT_FOUND,
    "unknown_task": HTTPStatus.NOT_FOUND,
    "unknown_instance": HTTPStatus.NOT_FOUND,
    "unknown_person": HTTPStatus.NOT_FOUND,
    "event_conflict": HTTPStatus.CONFLICT,
    "not_this_instance": HTTPStatus.CONFLICT,
    "already_decided": HTTPStatus.CONFLICT,
    "instance_not_waiting": HTTPStatus.CONFLICT,
    "decision_conflict": HTTPStatus.CONFLICT,
    "facts_changed": HTTPStatus.CONFLICT,
    "cannot_cancel": HTTPStatus.CONFLICT,
    "cannot_repair": HTTPStatus.CONFLICT,
    "key_reused": HTTPStatus.UNPROCESSABLE_ENTITY,
    "too_many_writers": HTTPStatus.SERVICE_UNAVAILABLE,
}


def status_of(refusal: errors.Refused) -> HTTPStatus:
    """Return the HTTP status of a refusal by the runtime."""
    return _STATUS_OF_REFUSAL.get(refusal.code, HTTPStatus.UNPROCESSABLE_ENTITY)


def by_http(error: HTTPException) -> Response:
    """Answer what the web framework refuses: an unknown address, another method."""
    status = HTTPStatus(error.code or 500)
    return problem_response(status, status.phrase.lower().replace(" ", "_"), error.description or status.phrase)


def register(application: Flask) -> None:
    """Answer every refusal, and every surprise, with a problem."""

    def refused(error: Refused) -> Response:
        return problem_response(error.status, error.code, error.detail, field=error.field, headers=error.headers)

    def not_signed_in(error: NotSignedIn) -> Response:
        return problem_response(
            HTTPStatus.UNAUTHORIZED, "not_signed_in", str(error), headers={"WWW-Authenticate": "Bearer"}
        )

    def denied(error: PermissionDenied) -> Response:
        return problem_response(HTTPStatus.FORBIDDEN, "permission_denied", str(error))

    def by_runtime(error: errors.Refused) -> Response:
        status = status_of(error)
        return problem_response(
            status,
            error.code,
            error.message,
            field=error.fields.get("field"),
            retryable=status is HTTPStatus.SERVICE_UNAVAILABLE,
        )

    def by_store(error: StoreBusy | StoreFull | StoreUnavailable) -> Response:
        _log.error("store_failed", path=request.path, reason=str(error))
        sentence = " ".join((inspect.getdoc(type(error)) or "").split())
        return problem_response(
            HTTPStatus.SERVICE_UNAVAILABLE, "store_unavailable", sentence, retryable=True, headers={"Retry-After": "5"}
        )

    def by_text(error: TextRefused) -> Response:
        return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, "text_refused", str(error))

    def surprise(error: Exception) -> Response:
        _log.error("request_failed", path=request.path, exc_info=error)
        return problem_response(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "internal_error",
            "Something went wrong on our side. Nothing of this request was lost or done halfway; try it again, and "
            "tell the operator if it happens again.",
            retryable=True,
        )

    application.register_error_handler(Refused, refused)
    application.register_error_handler(NotSignedIn, not_signed_in)
    application.register_error_handler(PermissionDenied, denied)
    application.register_error_handler(errors.Refused, by_runtime)
    for kind in (StoreBusy, StoreFull, StoreUnavailable):
        application.register_error_handler(kind, by_store)
    application.register_error_handler(TextRefused, by_text)
    application.register_error_handler(HTTPException, by_http)
    application.register_error_handler(Exception, surprise)
