"""Operation ``erp.preflight_requisition``: before a requisition is written, what the ERP already has and can answer."""

from __future__ import annotations

from typing import Literal

from engine.contract import BusinessRuleViolated, Call, NotPermitted, idempotency_key, sent_key
from engine.contract.operation import Effect, Values, operation
from service_tasks.erp.answers import find_by_key, has_keys, proves_absence, search
from service_tasks.erp.values import Preflight, PreflightQuestion
from service_tasks.http import SystemClient, path


class _Identity(Values, extra="ignore"):
    name: str
    may_create: bool
    keeps_keys: bool
    search: Literal["immediate", "lagging"]


@operation("erp.preflight_requisition", version=1, effect=Effect.READ, system="erp", permission="requisition:create")
def preflight_requisition(call: Call, question: PreflightQuestion) -> Preflight:
    """Find out whether this intent has its document already, and whether a lost answer could be verified.

    Source: PROCUREMENT, step 9, checks 5 to 7. The key is the one that the create step will send.

    Raises
    ------
    NotPermitted
        When the ERP lets the service identity create no requisitions.
    BusinessRuleViolated
        When a lost answer could not be verified: nothing is sent, an operator mends the connection and tries again.
    """
    client = SystemClient(call)
    identity = client.get(path("v1", "identity"), _Identity)
    if not identity.may_create:
        raise NotPermitted(
            f"The ERP lets {identity.name} create no requisitions. Ask its administrator for that permission."
        )
    is_by_key = has_keys(call.connection)
    if is_by_key and not identity.keeps_keys:
        raise _cannot_verify(
            "The ERP keeps no keys, but the connection says it does. Set its recognition to search_only."
        )
    if is_by_key:
        ids = call.correlation
        key = idempotency_key(ids.tenant_id, ids.workflow_id, question.step_key, question.iteration, question.intent)
        return Preflight(existing=find_by_key(client, sent_key(key)), can_verify=True)
    existing = search(client, reference=question.reference)
    if proves_absence(call.connection) and identity.search == "lagging":
        raise _cannot_verify(
            "The ERP's search lags behind, but the connection says it is complete. Unset search_is_complete."
        )
    return Preflight(existing=existing, can_verify=True)


def _cannot_verify(why: str) -> BusinessRuleViolated:
    return BusinessRuleViolated(f"Rule answer_can_be_verified: {why}")
