"""Instances: the row that every command reads first and changes last, under its version."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Integer, bindparam, insert, select, update

from engine.contract.ids import (
    BusinessKey,
    DefinitionId,
    ExecutionId,
    PersonId,
    StepKey,
    TenantId,
    TraceId,
    WorkflowId,
    WorkflowType,
)
from engine.store.statements import Change, Query, before, limit, new, same
from engine.store.tables import instance


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceHead:
    """An instance without its state."""

    tenant_id: TenantId
    workflow_id: WorkflowId
    workflow_type: WorkflowType
    definition_id: DefinitionId
    business_key: BusinessKey | None
    held_key: BusinessKey | None
    business_status: str | None
    execution_state: str
    version: int
    current_step: StepKey | None
    retry_count: int
    parent_workflow_id: WorkflowId | None
    parent_wait_id: ExecutionId | None
    started_by: PersonId
    trace_id: TraceId
    deadline_at: datetime | None
    cancel_reason: str | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceRow(InstanceHead):
    """An instance with its state, as the interpreter packed it."""

    state_format: int
    state: bytes


_HEAD = [column for column in instance.c if column.name not in ("state", "state_format")]
_IS_THIS = same(instance, "tenant_id", "workflow_id")

#: What an advance may change: ``UPDATE`` takes each as a parameter ``new_<column>``.
CHANGED = (
    "definition_id",
    "business_status",
    "execution_state",
    "current_step",
    "retry_count",
    "cancel_reason",
    "updated_at",
    "finished_at",
    "expires_at",
    "state_format",
    "state",
)

INSERT = Change("instance.insert", "Start instances.", insert(instance))
BY_ID = Query(
    "instance.by_id",
    "One instance with its state. Parameters: tenant_id, workflow_id.",
    select(instance).where(*_IS_THIS),
    InstanceRow,
    tells_time=True,
)
HEAD = Query(
    "instance.head",
    "One instance without its state. Parameters: tenant_id, workflow_id.",
    select(*_HEAD).where(*_IS_THIS),
    InstanceHead,
    tells_time=True,
)
BY_HELD_KEY = Query(
    "instance.by_held_key",
    "The instance that holds a business key. Parameters: tenant_id, workflow_type, held_key.",
    select(*_HEAD).where(
        *same(instance, "tenant_id", "workflow_type", "held_key"),
    ),
    InstanceHead,
    tells_time=True,
)
UPDATE = Change(
    "instance.update",
    "Store an advance if nobody was faster; 0 rows: read again. Parameters: tenant_id, workflow_id, expected_version"
    " and new_<column> for each column of CHANGED.",
    update(instance)
    .where(*_IS_THIS, instance.c.version == bindparam("expected_version", type_=Integer))
    .values(
        {
            instance.c.version: instance.c.version + 1,
            **new(instance, *CHANGED),
        }
    ),
)
RELEASE_KEY = Change(
    "instance.release_key",
    "An operator frees a business key. Parameters: tenant_id, workflow_id, expected_version.",
    update(instance)
    .where(*_IS_THIS, instance.c.version == bindparam("expected_version", type_=Integer))
    .values({instance.c.version: instance.c.version + 1, instance.c.held_key: None}),
)

# --- lists -------------------------------------------------------------------------------------------------------

CHILDREN = Query(
    "instance.children",
    "Instances that an instance called. Parameters: tenant_id, parent_workflow_id, before, limit.",
    select(*_HEAD)
    .where(*same(instance, "tenant_id", "parent_workflow_id"), before(instance.c.workflow_id))
    .order_by(instance.c.workflow_id.desc())
    .limit(limit()),
    InstanceHead,
)
WITH_KEY_PREFIX = Query(
    "instance.with_key_prefix",
    "Instances whose held business key begins with a text, by key. Parameters: tenant_id, workflow_type, low, high,"
    " limit; low and high from business_fields.prefix_range.",
    select(*_HEAD)
    .where(
        *same(instance, "tenant_id", "workflow_type"),
        instance.c.held_key >= bindparam("low", type_=instance.c.held_key.type),
        instance.c.held_key < bindparam("high", type_=instance.c.held_key.type),
    )
    .order_by(instance.c.held_key)
    .limit(limit()),
    InstanceHead,
    tells_time=True,
)


def listing(
    *, workflow_type: str | None = None, business_status: str | None = None, execution_state: str | None = None
) -> tuple[Query[InstanceHead], dict[str, Any]]:
    """Return the list of instances, newest first, with its parameters but ``tenant_id``, ``before`` and ``limit``.

    Each filter has an index: type, type with business status, execution state. A business status without its type has
    none, and commands refuse it; other combinations read along the most selective of these.
    """
    given = {"workflow_type": workflow_type, "business_status": business_status, "execution_state": execution_state}
    filters = {name: value for name, value in given.items() if value is not None}
    return _listing(tuple(filters)), filters


@cache
def _listing(filters: tuple[str, ...]) -> Query[InstanceHead]:
    return Query(
        "instance.list" + "".join(f"_by_{name}" for name in filters),
        "Instances, newest first; parameters from listing, tenant_id, before, limit.",
        select(*_HEAD)
        .where(*same(instance, "tenant_id", *filters), before(instance.c.workflow_id))
        .order_by(instance.c.workflow_id.desc())
        .limit(limit()),
        InstanceHead,
        tells_time=True,
    )
