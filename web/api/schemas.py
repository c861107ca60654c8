"""Request bodies for the OpenAPI document: our own reader keeps numbers exact, so the library must not read them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


def body_of(model: type[BaseModel], media_type: str = "application/json") -> dict[str, Any]:
    """Return the OpenAPI description of a JSON body."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": model.model_json_schema()}}}}
