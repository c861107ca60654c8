"""Idempotency keys: one per business intent, the same for every retry (W13)."""

from __future__ import annotations

import hashlib

from engine.contract.ids import IdempotencyKey, TenantId, WorkflowId


def idempotency_key(
    tenant_id: TenantId, workflow_id: WorkflowId, step_key: str, iteration: str, intent: int
) -> IdempotencyKey:
    """Return the canonical key ``tenant:workflow_id:step_key:iteration:vN``.

    Raises
    ------
    ValueError
        When a part contains a colon, so that two intents could share a key. BPMN ids cannot (XML NCName).
    """
    if any(":" in part for part in (tenant_id, workflow_id, step_key, iteration)):
        raise ValueError(
            f"A part of an idempotency key must not contain a colon: {tenant_id}, {step_key}, {iteration}."
        )
    return IdempotencyKey(f"{tenant_id}:{workflow_id}:{step_key}:{iteration}:v{intent}")


def sent_key(key: IdempotencyKey) -> str:
    """Return what is sent over the wire: the first 32 hex digits of the key's SHA-256."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]
