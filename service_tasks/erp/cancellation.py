"""Operations that undo a requisition by a business act, and find out whether it is undone."""

from __future__ import annotations

from pydantic import Field

from engine.contract import Call
from engine.contract.operation import Effect, Values, operation
from engine.contract.reconcile import Found, Lookup
from service_tasks.erp.answers import CancellationAnswer, CancellationsAnswer, requisition_path
from service_tasks.erp.values import Cancellation, CancellationRequest
from service_tasks.http import SystemClient


class _Reason(Values):
    reason: str = Field(min_length=1)


@operation(
    "erp.cancel_requisition",
    version=1,
    effect=Effect.WRITE,
    system="erp",
    reconcile="erp.find_cancellation",
    permission="requisition:cancel",
)
def cancel_requisition(call: Call, request: CancellationRequest) -> Cancellation:
    """Cancel a requisition. Cancelling one that is cancelled already changes nothing.

    Raises
    ------
    BusinessRuleViolated
        When it is ordered already: it is past undoing.
    NotFound
        When the ERP has none of this number.
    """
    address = requisition_path(request.number, "cancel")
    return SystemClient(call).write(address, CancellationAnswer, body=_Reason(reason=request.reason)).cancellation()


@operation("erp.find_cancellation", version=1, effect=Effect.READ, system="erp")
def find_cancellation(call: Call, lookup: Lookup) -> Found[Cancellation]:
    """Find out whether a requisition is cancelled, by its number: that proves it with and without keys."""
    number = CancellationRequest.model_validate_json(lookup.arguments).number
    found = SystemClient(call).get(requisition_path(number, "cancellation"), CancellationsAnswer).cancellation
    return Found[Cancellation](document=None if found is None else found.cancellation())
