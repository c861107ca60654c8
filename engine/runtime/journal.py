"""What is written of one attempt beside its result: the journal of calls, the document's state, requests to models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.runtime.apply import keep_blob
from engine.runtime.claimed import CALL
from engine.runtime.commands import ClaimedJob, ModelCallRecord
from engine.store import attempts, effects, model_calls, steps
from engine.store.effects import EffectState
from engine.store.sessions import WriteSession
from engine.store.steps import StepStatus

DONE = "done"
FOUND = "found"
FAILED = "failed"
RETRIED = "retried"
UNKNOWN = "unknown"
NOT_SENT = "not_sent"
LATE = "late"
_LONGEST_MESSAGE = 500


@dataclass(frozen=True, kw_only=True)
class Note:
    """What became of one attempt. ``error`` is its code and message, empty when it succeeded."""

    claimed: ClaimedJob
    outcome: str
    now: datetime
    error: str = ""
    writes: bool = False


def write_attempt(session: WriteSession, note: Note) -> None:
    """Write down what became of an attempt: at a write's intent, or as a row of its own for anything else."""
    claimed = note.claimed
    if claimed.operation is None:
        return
    if note.writes:
        session.run(attempts.OUTCOME, {**_this_attempt(claimed), "purpose": CALL, **_outcome(note)})
        return
    session.run(
        attempts.INSERT,
        {
            **_this_attempt(claimed),
            "owner": claimed.owner,
            "operation": claimed.operation,
            "purpose": CALL,
            # What only reads or computes is not looked up by key, and its key stands in its step's row.
            "sent_key": "",
            "intent_at": claimed.claimed_at,
            "outcome": note.outcome,
            "answered_at": note.now,
            "error_message": note.error[:_LONGEST_MESSAGE] or None,
        },
    )


def settle_attempts(session: WriteSession, note: Note) -> None:
    """Write down the outcome of every attempt of a job that was not known until now."""
    claimed = note.claimed
    session.run(
        attempts.SETTLE,
        {
            "tenant_id": claimed.correlation.tenant_id,
            "workflow_id": claimed.correlation.workflow_id,
            "job_id": claimed.job_id,
            **_outcome(note),
        },
    )


def write_effect(
    session: WriteSession,
    claimed: ClaimedJob,
    state: EffectState,
    now: datetime,
    *,
    result: bytes | None = None,
    intent: int | None = None,
) -> int:
    """Write down what is known of a job's document, or of an earlier intent's; returns the rows matched."""
    own = int(claimed.idempotency_key.rsplit(":v", 1)[1])
    return session.run(
        effects.SET_STATE,
        {
            "tenant_id": claimed.correlation.tenant_id,
            "workflow_id": claimed.correlation.workflow_id,
            "step_key": claimed.correlation.step_key,
            "iteration": claimed.iteration,
            "intent": own if intent is None else intent,
            "new_state": state,
            "new_result": result,
            "new_updated_at": now,
        },
    )


def mark_step(
    session: WriteSession,
    claimed: ClaimedJob,
    status: StepStatus,
    *,
    error_code: str | None = None,
    message: str | None = None,
    failures: int = 0,
) -> None:
    """Note how an open step stands; ``failures`` are added to those that the job had at its claim."""
    session.run(
        steps.MARK,
        {
            "tenant_id": claimed.correlation.tenant_id,
            "workflow_id": claimed.correlation.workflow_id,
            "execution_id": claimed.correlation.execution_id,
            "new_status": status,
            "new_error_code": error_code,
            "new_error_message": message[:_LONGEST_MESSAGE] if message is not None else None,
            "new_failure_count": claimed.failure_count + failures,
        },
    )


def write_model_calls(
    session: WriteSession, claimed: ClaimedJob, calls: Sequence[ModelCallRecord], now: datetime
) -> None:
    """Record requests to models, their texts as blobs (W5)."""
    tenant_id, workflow_id = claimed.correlation.tenant_id, claimed.correlation.workflow_id

    def kept(purpose: str, content: bytes) -> str:
        return keep_blob(session, tenant_id, workflow_id, purpose, content, now)

    for call in calls:
        session.run(
            model_calls.INSERT,
            {
                **_this_attempt(claimed),
                "provider": call.provider,
                "model": call.model,
                "status": call.status,
                "request_digest": kept("model_request", call.request),
                "response_digest": None if call.response is None else kept("model_response", call.response),
                "prompt_tokens": call.prompt_tokens,
                "completion_tokens": call.completion_tokens,
                "cost_micros": call.cost_micros,
                "called_at": now,
            },
        )


def _this_attempt(claimed: ClaimedJob) -> dict[str, Any]:
    return {
        "tenant_id": claimed.correlation.tenant_id,
        "workflow_id": claimed.correlation.workflow_id,
        "job_id": claimed.job_id,
        "attempt": claimed.attempt,
    }


def _outcome(note: Note) -> dict[str, Any]:
    return {
        "new_outcome": note.outcome,
        "new_answered_at": note.now,
        "new_error_message": note.error[:_LONGEST_MESSAGE] or None,
    }
