"""Open waits for messages, found by message name and correlation key."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from engine.contract.ids import ExecutionId, StepKey, TenantId, WorkflowId
from engine.store.statements import Change, Query, limit, same
from engine.store.tables import subscription


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionRow:
    """A wait for a message; ``subscription_id`` is the interpreter's wait."""

    tenant_id: TenantId
    subscription_id: ExecutionId
    workflow_id: WorkflowId
    step_key: StepKey
    message_name: str
    correlation_key: str


_OF_INSTANCE = same(subscription, "tenant_id", "workflow_id")

INSERT = Change("subscription.insert", "Open waits for messages.", insert(subscription))
MATCHING = Query(
    "subscription.matching",
    "Who waits for a message, the first that began first. Parameters: tenant_id, message_name, correlation_key, limit.",
    select(subscription)
    .where(
        *same(subscription, "tenant_id", "message_name", "correlation_key"),
    )
    .order_by(subscription.c.subscription_id)
    .limit(limit()),
    SubscriptionRow,
    tells_time=True,
)
OF_INSTANCE = Query(
    "subscription.of_instance",
    "Messages an instance waits for. Parameters: tenant_id, workflow_id.",
    select(subscription).where(*_OF_INSTANCE),
    SubscriptionRow,
)
DELETE = Change(
    "subscription.delete",
    "Close a wait for a message. Parameters: tenant_id, subscription_id.",
    delete(subscription).where(
        *same(subscription, "tenant_id", "subscription_id"),
    ),
)
DELETE_OF_INSTANCE = Change(
    "subscription.delete_of_instance",
    "Close all waits for messages of an instance. Parameters: tenant_id, workflow_id.",
    delete(subscription).where(*_OF_INSTANCE),
)
