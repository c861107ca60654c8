"""Documents in other systems: one row per business intent, which outlives its job (W13)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import insert, select, update

from engine.contract.ids import IdempotencyKey, StepKey, TenantId, WorkflowId
from engine.store.statements import Change, Query, limit, new, same
from engine.store.tables import effect


class EffectState(StrEnum):
    """What is known of a document."""

    #: A request for it is intended or under way.
    SENT = "sent"
    #: A request left and nobody knows what became of it.
    UNKNOWN = "unknown"
    #: It exists.
    DONE = "done"
    #: It does not exist and no request for it is under way.
    ABSENT = "absent"
    #: It was undone.
    COMPENSATED = "compensated"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRow:
    """One business intent towards one system."""

    tenant_id: TenantId
    workflow_id: WorkflowId
    step_key: StepKey
    iteration: str
    intent: int
    system: str
    operation: str
    idempotency_key: IdempotencyKey
    state: EffectState
    arguments: bytes | None
    result: bytes | None
    updated_at: datetime


_OF_STEP = same(effect, "tenant_id", "workflow_id", "step_key", "iteration")

INSERT = Change("effect.insert", "Write down a new intent.", insert(effect))
SET_STATE = Change(
    "effect.set_state",
    "Write down what is known of a document. Parameters: tenant_id, workflow_id, step_key, iteration, intent,"
    " new_state, new_result, new_updated_at.",
    update(effect).where(*_OF_STEP, *same(effect, "intent")).values(new(effect, "state", "result", "updated_at")),
)
OF_STEP = Query(
    "effect.of_step",
    "All intents of a step, the first first. Parameters: tenant_id, workflow_id, step_key, iteration, limit.",
    select(effect).where(*_OF_STEP).order_by(effect.c.intent).limit(limit()),
    EffectRow,
)
OF_INSTANCE = Query(
    "effect.of_instance",
    "Documents of an instance. Parameters: tenant_id, workflow_id, limit.",
    select(effect)
    .where(*same(effect, "tenant_id", "workflow_id"))
    .order_by(effect.c.step_key, effect.c.iteration, effect.c.intent)
    .limit(limit()),
    EffectRow,
)
