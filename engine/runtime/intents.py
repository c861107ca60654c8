"""What a worker writes down between its claim and the outcome: a second sending, the fate of an earlier intent."""

from __future__ import annotations

from datetime import timedelta

from engine.contract.keys import sent_key
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.runtime.apply import write_audit
from engine.runtime.claimed import REPEAT
from engine.runtime.commands import ClaimedJob, EarlierIntent
from engine.runtime.encoding import digest
from engine.runtime.journal import write_effect
from engine.runtime.rooms import Rooms
from engine.store import attempts, instances, jobs
from engine.store.effects import EffectState
from engine.store.sessions import WriteSession


def intend_again(rooms: Rooms, actor: Actor, claimed: ClaimedJob) -> bool:
    """Write down, before its first byte, that a write is sent a second time under this claim.

    False: the lease was lost, and nothing may be sent. Raises PermissionDenied.
    """
    require(actor, Permission.WORK)
    correlation = claimed.correlation
    with rooms.store.writing("intent") as session:
        if not _is_mine(session, claimed):
            session.abandon()
            return False
        session.run(
            attempts.INSERT_IF_ABSENT,
            {
                "tenant_id": correlation.tenant_id,
                "workflow_id": correlation.workflow_id,
                "job_id": claimed.job_id,
                "attempt": claimed.attempt,
                "owner": claimed.owner,
                "operation": claimed.operation,
                "purpose": REPEAT,
                "sent_key": sent_key(claimed.idempotency_key),
                "sent_digest": digest(claimed.arguments.encode()),
                "intent_at": session.now(),
            },
        )
        write_effect(session, claimed, EffectState.SENT, session.now())
    return True


def settle(
    rooms: Rooms,
    actor: Actor,
    claimed: ClaimedJob,
    earlier: EarlierIntent,
    document: str | None,
    *,
    is_void: bool = False,
) -> bool:
    """Write down what became of an earlier version of a job's intent: its document as JSON, or None for none.

    ``is_void``: the document stands no longer there, and a new version may be sent beside it.

    False: the lease was lost. Raises PermissionDenied.
    """
    require(actor, Permission.WORK)
    correlation = claimed.correlation
    with rooms.store.writing("intent") as session:
        if not _is_mine(session, claimed):
            session.abandon()
            return False
        now = session.now()
        standing = EffectState.COMPENSATED if is_void else EffectState.DONE
        state = EffectState.ABSENT if document is None else standing
        result = None if document is None else document.encode()
        write_effect(session, claimed, state, now, result=result, intent=earlier.intent)
        head = session.one(instances.HEAD, {"tenant_id": correlation.tenant_id, "workflow_id": correlation.workflow_id})
        if head is not None:
            detail = {
                "element": correlation.step_key,
                "idempotency_key": earlier.idempotency_key,
                "state": state,
            }
            write_audit(session, head, "intent_settled", actor.person_id, detail, rooms.new_id, now)
    return True


def _is_mine(session: WriteSession, claimed: ClaimedJob) -> bool:
    """Whether the claim still holds; the job's row stays locked by this unit of work."""
    terms = {"job_id": claimed.job_id, "by": claimed.owner, "claim": claimed.attempt}
    lease: timedelta = claimed.lease_until - claimed.claimed_at
    return session.run(jobs.HEARTBEAT, {**terms, "lease": lease}) == 1
