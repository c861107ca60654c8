"""Operations that create, find and read a requisition."""

from __future__ import annotations

from engine.contract import Call
from engine.contract.operation import Effect, operation
from engine.contract.reconcile import Found, Lookup
from service_tasks.erp.answers import (
    RequisitionAnswer,
    find_by_key,
    has_keys,
    proves_absence,
    requisition_path,
    search,
)
from service_tasks.erp.values import VOID, Requisition, RequisitionDraft, RequisitionQuestion
from service_tasks.http import SystemClient, path


@operation(
    "erp.create_requisition",
    version=1,
    effect=Effect.WRITE,
    system="erp",
    reconcile="erp.find_requisition",
    compensate="erp.cancel_requisition",
    permission="requisition:create",
)
def create_requisition(call: Call, draft: RequisitionDraft) -> Requisition:
    """Create a purchase requisition. The ERP answers that it has accepted it, and confirms or refuses it later.

    Raises
    ------
    BusinessRuleViolated
        When the ERP refuses for sure; nothing was created.
    OutcomeUnknown
        When the request left and no answer came.
    """
    return SystemClient(call).write(path("v1", "requisitions"), RequisitionAnswer, body=draft).requisition()


@operation("erp.find_requisition", version=1, effect=Effect.READ, system="erp")
def find_requisition(call: Call, lookup: Lookup) -> Found[Requisition]:
    """Find the requisition of a write whose answer was lost, by its key or by the declared search.

    A cancelled or refused document is found too: it was created, and its key is used up.
    """
    client = SystemClient(call)
    if has_keys(call.connection):
        return _found(find_by_key(client, lookup.sent_key), is_certain=True)
    draft = RequisitionDraft.model_validate_json(lookup.arguments)
    document = search(client, reference=draft.reference, material_id=draft.material_id)
    return _found(document, is_certain=document is not None or proves_absence(call.connection))


def _found(document: Requisition | None, *, is_certain: bool) -> Found[Requisition]:
    is_void = document is not None and document.status in VOID
    return Found[Requisition](document=document, is_certain=is_certain, is_void=is_void)


@operation("erp.read_requisition", version=1, effect=Effect.READ, system="erp")
def read_requisition(call: Call, question: RequisitionQuestion) -> Requisition:
    """Read a requisition as it stands.

    Raises
    ------
    NotFound
        When the ERP has none of this number.
    """
    return SystemClient(call).get(requisition_path(question.number), RequisitionAnswer).requisition()
