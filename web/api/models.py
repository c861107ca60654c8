"""The shapes of the API's inputs and answers, as the OpenAPI document shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

HexId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", description="32 lowercase hex digits")]
Name = Annotated[str, Field(min_length=1, max_length=120)]


class Input(BaseModel):
    """Base of what is sent to us: nothing undeclared is accepted."""

    model_config = ConfigDict(extra="forbid")


class CloudEvent(BaseModel):
    """A CloudEvents 1.0 event in JSON structured mode. Extension attributes are accepted and kept out."""

    model_config = ConfigDict(extra="ignore")

    specversion: Annotated[str, Field(pattern=r"^1\.0$")]
    id: Name
    source: Annotated[str, Field(min_length=1, max_length=190)]
    type: Name
    time: datetime | None = None
    datacontenttype: Annotated[str, Field(pattern=r"^application/json")] = "application/json"
    data: dict[str, Any]


class StartInput(Input):
    """Start a process by hand."""

    workflow_type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,62}$")]
    business_key: Annotated[str, Field(min_length=1, max_length=190)] | None = None
    variables: dict[str, Any] = Field(default_factory=dict)


class DecisionInput(Input):
    """Decide a task: the form's values, and the digest of what was shown when the person decided."""

    values: dict[str, Any]
    bound_digest: Annotated[str, Field(max_length=64)]
    workflow_id: HexId | None = None
    event_id: Name | None = None


class CancelInput(Input):
    """Cancel an instance, with a reason that the audit trail keeps."""

    reason: Annotated[str, Field(min_length=3, max_length=500)]


class RepairInput(Input):
    """Mend an instance: apply again what an incident kept, or say what became of an unknown outcome."""

    incident_id: HexId | None = None
    resolution: Annotated[str, Field(pattern=r"^(found|absent)$")] | None = None
    document: str | None = None
    values: dict[str, Any] = Field(default_factory=dict)
    status: str | None = None
    reason: Annotated[str, Field(min_length=3, max_length=500)]


class PageQuery(BaseModel):
    """Which part of a list: ``cursor`` is the ``next`` of the answer before."""

    model_config = ConfigDict(extra="forbid")

    cursor: Annotated[str, Field(max_length=200)] | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class InstanceQuery(PageQuery):
    """Filters of the list of instances."""

    workflow_type: Annotated[str, Field(max_length=64)] | None = None
    business_status: Annotated[str, Field(max_length=40)] | None = None
    execution_state: Annotated[str, Field(pattern=r"^(running|waiting|paused|incident|finished)$")] | None = None
    business_key: Annotated[str, Field(max_length=190)] | None = None
