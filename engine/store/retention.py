"""History has a time to live (P12): finished instances whose retention is over are removed with all they left.

So has what no instance owns: received events, kept messages, sent messages, answered requests,
ended sessions.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Table, bindparam, delete, func, select

from engine.contract.ids import TenantId, WorkflowId
from engine.store.clock import now_for_scan
from engine.store.columns import Duration
from engine.store.statements import Change, Query, limit, same
from engine.store.tables import (
    api_request,
    approval,
    attempt,
    audit,
    blob,
    business_field,
    early_message,
    effect,
    failed_sign_in,
    inbox,
    incident,
    instance,
    model_call,
    outbox,
    step,
    web_session,
)


@dataclass(frozen=True, kw_only=True)
class Passing:
    """Rows of one kind that live for a period from an instant of theirs on, removed in batches.

    Attributes
    ----------
    name
        Their table.
    reached
        The instant up to which the next batch goes; None: nothing is old enough. Parameters: keep, limit.
    remove
        Removes a batch. Parameter: until.
    """

    name: str
    reached: Query[datetime]
    remove: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """A finished instance that need not be kept any longer."""

    tenant_id: TenantId
    workflow_id: WorkflowId


EXPIRED = Query(
    "instance.expired",
    "Finished instances whose retention is over, over all tenants. Parameter: limit.",
    select(instance.c.tenant_id, instance.c.workflow_id)
    .where(instance.c.expires_at <= now_for_scan(), instance.c.finished_at.is_not(None))
    .order_by(instance.c.expires_at)
    .limit(limit()),
    Expired,
)


def _removal(table: Table) -> Change:
    return Change(
        f"{table.name}.remove",
        "Remove what an expired instance left. Parameters: tenant_id, workflow_id.",
        delete(table).where(*same(table, "tenant_id", "workflow_id")),
    )


#: Run all of them in one unit of work; the instance itself comes last.
REMOVALS = tuple(
    _removal(table)
    for table in (
        approval,
        attempt,
        audit,
        blob,
        business_field,
        effect,
        incident,
        model_call,
        outbox,
        step,
        instance,
    )
)


def _passing(since: Column[datetime]) -> Passing:
    table = since.table
    oldest = (
        select(since)
        .where(since <= now_for_scan() - bindparam("keep", type_=Duration))
        .order_by(since)
        .limit(limit())
        .subquery()
    )
    return Passing(
        name=table.name,
        reached=Query(
            f"{table.name}.old_until",
            "The instant up to which the oldest rows are removed in one batch. Parameters: keep, limit.",
            select(func.max(oldest.c[since.name]).label("until")),
            datetime,
        ),
        remove=Change(
            f"{table.name}.remove_old",
            "Remove the oldest rows. Parameter: until.",
            delete(table).where(since <= bindparam("until", type_=since.type)),
        ),
    )


RECEIVED_EVENTS = _passing(inbox.c.received_at)
KEPT_MESSAGES = _passing(early_message.c.received_at)
SENT_MESSAGES = _passing(outbox.c.sent_at)
ANSWERED_REQUESTS = _passing(api_request.c.created_at)
ENDED_SESSIONS = _passing(web_session.c.expires_at)
FAILED_SIGN_INS = _passing(failed_sign_in.c.failed_at)
