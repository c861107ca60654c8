"""A route of the API: its view, and what the OpenAPI document says of it, in one place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar

from flask import Flask, Response, request
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from web.addresses import CONVERTERS
from web.problems import Problem

View = Callable[..., Response]
Model = TypeVar("Model", bound=BaseModel)

_PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
_TEMPLATE = "#/components/schemas/{model}"


@dataclass(frozen=True, kw_only=True)
class Route:
    """One method on one address.

    Attributes
    ----------
    path
        Flask's rule below the API's root, with the converters ``hex`` and ``type``.
    answers
        Model by status of every answer that is no refusal.
    refusals
        Statuses of the refusals, which are all ``Problem``.
    security
        Name of the security scheme; None for an open route.
    takes_key
        Whether an ``Idempotency-Key`` is honoured.
    """

    method: str
    path: str
    view: View
    summary: str
    tag: str
    answers: Mapping[int, type[BaseModel]]
    refusals: tuple[int, ...] = (401, 403)
    description: str = ""
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    media_type: str = "application/json"
    security: str | None = "token"
    takes_key: bool = False

    @property
    def name(self) -> str:
        """The operation's id."""
        return self.view.__name__

    def models(self) -> tuple[type[BaseModel], ...]:
        """Return the models its bodies are made of."""
        return (*self.answers.values(), *((self.body,) if self.body else ()))


def query_as(model: type[Model]) -> Model:
    """Return the request's query as ``model``. Raises pydantic's error that names the parameter."""
    return model.model_validate({name: request.args.get(name) for name in request.args})


def register(application: Flask, root: str, routes: tuple[Route, ...]) -> None:
    """Add routes to an application, below ``root``."""
    application.url_map.converters.update(CONVERTERS)
    for route in routes:
        application.add_url_rule(root + route.path, route.name, route.view, methods=[route.method])


@dataclass(frozen=True, kw_only=True)
class ApiDescription:
    """What the OpenAPI document says beside the routes."""

    title: str
    version: str
    description: str
    security_schemes: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])


def open_api(about: ApiDescription, root: str, routes: tuple[Route, ...]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of routes."""
    models = {model for route in routes for model in route.models()} | {Problem}
    ordered = sorted(models, key=lambda model: model.__name__)
    names, definitions = models_json_schema([(model, "serialization") for model in ordered], ref_template=_TEMPLATE)
    references = {model: names[model, "serialization"] for model in ordered}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        address = root + _PARAMETER.sub(r"{\2}", route.path)
        paths.setdefault(address, {})[route.method.lower()] = _operation(route, references)
    return {
        "openapi": "3.1.0",
        "info": {"title": about.title, "version": about.version, "description": about.description},
        "paths": paths,
        "components": {"schemas": definitions.get("$defs", {}), "securitySchemes": dict(about.security_schemes)},
    }


def _operation(route: Route, references: Mapping[type[BaseModel], Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "tags": [route.tag],
        "parameters": _parameters(route),
        "responses": {
            str(status): _content(HTTPStatus(status).phrase, "application/json", references[model])
            for status, model in route.answers.items()
        }
        | {
            str(status): _content(HTTPStatus(status).phrase, "application/problem+json", references[Problem])
            for status in (*route.refusals, 503)
        },
        "security": [{route.security: []}] if route.security else [],
    }
    if route.description:
        operation["description"] = route.description
    if route.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {route.media_type: {"schema": references[route.body]}},
        }
    return operation


def _content(description: str, media_type: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _parameters(route: Route) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "pattern": f"^{CONVERTERS[kind].regex}$"},
        }
        for kind, name in _PARAMETER.findall(route.path)
    ]
    if route.query is not None:
        schema = route.query.model_json_schema()
        parameters += [
            {"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": each}
            for name, each in schema["properties"].items()
        ]
    if route.takes_key:
        key = {"type": "string", "minLength": 1, "maxLength": 120, "pattern": "^[!-~]+$"}
        parameters.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": key})
    return parameters
