"""A claimed job as its worker gets it; the intent of a write, which stands in the rows before its first byte (P6)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from engine.contract.call import Correlation
from engine.contract.ids import EventId, ExecutionId, IdempotencyKey, JobId, StepKey, WorkflowId
from engine.contract.keys import sent_key
from engine.contract.operation import Effect, Operation
from engine.contract.registry import OperationRegistry, UnknownOperation
from engine.model.iso_time import parse_duration
from engine.runtime.cause import Parameters
from engine.runtime.commands import ClaimedJob, EarlierIntent, JobKind
from engine.store import attempts, effects
from engine.store.effects import EffectRow, EffectState
from engine.store.instances import InstanceHead
from engine.store.sessions import WriteSession

#: Purpose of the attempt that calls the operation itself.
CALL = "call"
#: Purpose of a second call under the same claim, after a look-up had found nothing.
REPEAT = "repeat"

#: States of an effect of which nobody can say that no document stands behind it.
_UNCERTAIN = (EffectState.SENT, EffectState.UNKNOWN)
#: States in which a document stands, or may stand: no new version of its intent is sent beside it.
_STANDING = (*_UNCERTAIN, EffectState.DONE)
#: Versions of one intent that are looked at; a step with more has been sent back too often to go on by itself.
_MOST_INTENTS = 100


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Who claims a job, with which fencing number, and until when."""

    owner: str
    attempt: int
    claimed_at: datetime
    lease_until: datetime


def operation_of(registry: OperationRegistry, reference: str | None) -> Operation | None:
    """Return a job's operation; None for a job that calls none, or one that is not installed."""
    if reference is None:
        return None
    try:
        return registry.find(reference)
    except UnknownOperation:
        return None


def is_write(operation: Operation | None) -> bool:
    """Whether an operation changes a business system."""
    return operation is not None and operation.effect is Effect.WRITE


def intend(
    session: WriteSession, instance: InstanceHead, job: Parameters, claim: Claim
) -> tuple[bool, tuple[EarlierIntent, ...]]:
    """Write down that a write is about to be sent.

    Returns whether an earlier attempt may have done it, and the earlier versions of the intent that are not settled.
    """
    intent = intent_of(job)
    known = session.all(
        effects.OF_STEP,
        {
            "tenant_id": instance.tenant_id,
            "workflow_id": instance.workflow_id,
            "step_key": job["step_key"],
            "iteration": job["iteration"],
            "limit": _MOST_INTENTS,
        },
    )
    present = next((each for each in known if each.intent == intent), None)
    # Without a drawn intent each execution means another document, which may stand beside the earlier ones.
    unsettled_states = _STANDING if job["context"].get("is_versioned") else _UNCERTAIN
    unsettled = tuple(_earlier(each) for each in known if each.intent < intent and each.state in unsettled_states)
    must_look_up = bool(job["is_unknown"]) or (present is not None and present.state != EffectState.ABSENT)
    if present is None:
        session.run(effects.INSERT, _effect(instance, job, intent, claim.claimed_at))
    elif present.state == EffectState.ABSENT:
        session.run(
            effects.SET_STATE,
            {
                "tenant_id": instance.tenant_id,
                "workflow_id": instance.workflow_id,
                "step_key": job["step_key"],
                "iteration": job["iteration"],
                "intent": intent,
                "new_state": EffectState.SENT,
                "new_result": None,
                "new_updated_at": claim.claimed_at,
            },
        )
    session.run(attempts.INSERT, attempt_row(instance, job, claim, CALL))
    return must_look_up, unsettled


def intent_of(job: Parameters) -> int:
    """Return the N of a job's idempotency key."""
    return int(job["context"].get("intent", 1))


def attempt_row(instance: InstanceHead, job: Parameters, claim: Claim, purpose: str) -> dict[str, Any]:
    """Return the journal's row of one call that is about to be made."""
    arguments: bytes = job["arguments"] or b""
    return {
        "tenant_id": instance.tenant_id,
        "workflow_id": instance.workflow_id,
        "job_id": job["job_id"],
        "attempt": claim.attempt,
        "owner": claim.owner,
        "operation": job["operation"],
        "purpose": purpose,
        "sent_key": sent_key(IdempotencyKey(job["idempotency_key"])),
        "sent_digest": hashlib.sha256(arguments).hexdigest(),
        "intent_at": claim.claimed_at,
    }


def claimed_job(
    instance: InstanceHead,
    job: Parameters,
    claim: Claim,
    *,
    must_look_up: bool = False,
    unsettled: tuple[EarlierIntent, ...] = (),
) -> ClaimedJob:
    """Return a job as its worker gets it."""
    context = job["context"]
    timeout = context.get("timeout")
    return ClaimedJob(
        job_id=JobId(job["job_id"]),
        kind=JobKind(job["kind"]),
        owner=claim.owner,
        attempt=claim.attempt,
        lease_until=claim.lease_until,
        claimed_at=claim.claimed_at,
        correlation=Correlation(
            tenant_id=instance.tenant_id,
            workflow_id=WorkflowId(instance.workflow_id),
            business_key=instance.business_key,
            step_key=StepKey(job["step_key"]),
            execution_id=ExecutionId(job["job_id"]),
            trace_id=instance.trace_id,
            event_id=EventId(context["event_id"]) if "event_id" in context else None,
            approval_id=context.get("approval_id"),
        ),
        workflow_type=instance.workflow_type,
        iteration=job["iteration"],
        operation=job["operation"],
        arguments=(job["arguments"] or b"{}").decode(),
        idempotency_key=IdempotencyKey(job["idempotency_key"]),
        failure_count=job["failure_count"],
        must_look_up=must_look_up,
        unsettled=unsettled,
        retry_attempts=context.get("attempts"),
        timeout=parse_duration(timeout).total if timeout is not None else None,
    )


def lease_of(claimed: ClaimedJob) -> timedelta:
    """Return how long a claimed job's lease was when it was given."""
    return claimed.lease_until - claimed.claimed_at


def _earlier(row: EffectRow) -> EarlierIntent:
    return EarlierIntent(
        intent=row.intent,
        idempotency_key=row.idempotency_key,
        operation=row.operation,
        arguments=(row.arguments or b"{}").decode(),
    )


def _effect(instance: InstanceHead, job: Parameters, intent: int, now: datetime) -> dict[str, Any]:
    return {
        "tenant_id": instance.tenant_id,
        "workflow_id": instance.workflow_id,
        "step_key": job["step_key"],
        "iteration": job["iteration"],
        "intent": intent,
        "system": job["system"],
        "operation": job["operation"],
        "idempotency_key": job["idempotency_key"],
        "state": EffectState.SENT,
        "arguments": job["arguments"],
        "updated_at": now,
    }
