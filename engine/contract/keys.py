"""Keys: idempotency keys, one per business intent and the same for every retry (W13); how a value becomes a key."""

from __future__ import annotations

import hashlib
from decimal import Decimal

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


def key_text(value: object) -> str | None:
    """Return the text under which a value is compared as a business or correlation key; None when it is no key.

    Two values are one key when FEEL calls them equal: 7, 7.0 and 7.00 are, exactly at any length. Space around a text
    says nothing. A truth value, a date, a list and an empty text are no key.
    """
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return None
    text = format(value, "f") if isinstance(value, Decimal) else str(value)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
