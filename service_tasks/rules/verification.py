"""Operation ``rules.verify_requisition``: whether the document in the ERP is what was approved and sent."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from engine.contract import Call, idempotency_key, sent_key
from engine.contract.operation import Effect, Values, operation
from service_tasks.erp.values import Requisition, RequisitionDraft
from service_tasks.rules.words import Text, plain
from service_tasks.whole_number import WholeNumber


class VerificationQuestion(Values):
    """What was sent, and the document as read back.

    Attributes
    ----------
    step_key, iteration, intent
        Of the write, for the key that the document must carry where the ERP keeps one.
    reads
        How often the document was read back before this time.
    """

    sent: RequisitionDraft
    document: Requisition
    step_key: str = Field(min_length=1)
    iteration: str = "0"
    intent: WholeNumber = Field(ge=1)
    reads: WholeNumber = Field(default=0, ge=0)


class Mismatch(Values):
    """One field that is not as it was sent."""

    field: str
    sent: str
    found: str


class Verification(Values):
    """The result.

    Attributes
    ----------
    outcome
        verified: it stands as sent. pending: as sent, but not confirmed yet. refused: the ERP will not carry it out.
        differs: at least one field is not as sent, or somebody cancelled it.
    reads
        How often the document was read back, this time included.
    """

    outcome: Literal["verified", "pending", "refused", "differs"]
    mismatches: tuple[Mismatch, ...]
    reads: int
    reason: Text


@operation("rules.verify_requisition", version=1, effect=Effect.PURE)
def verify_requisition(call: Call, question: VerificationQuestion) -> Verification:
    """Compare material, supplier, quantity, unit, amount, currency and key of the document with what was sent.

    Source: PROCUREMENT, step 11; SUCCEEDED needs the document itself (W4).
    """
    sent, document = question.sent, question.document
    key = sent_key(
        idempotency_key(
            call.correlation.tenant_id,
            call.correlation.workflow_id,
            question.step_key,
            question.iteration,
            question.intent,
        )
    )
    compared = (
        ("material_id", sent.material_id, document.material_id),
        ("supplier_id", sent.supplier_id, document.supplier_id),
        ("quantity", plain(sent.quantity), plain(document.quantity)),
        ("unit", sent.unit, document.unit),
        ("amount", plain(sent.amount), plain(document.amount)),
        ("currency", sent.currency, document.currency),
        ("key", key, document.key if document.key is not None else key),
    )
    mismatches = tuple(Mismatch(field=field, sent=was, found=found) for field, was, found in compared if was != found)
    if document.status == "cancelled":
        mismatches = (*mismatches, Mismatch(field="status", sent="accepted", found="cancelled"))
    return Verification(
        outcome=_outcome(document, mismatches),
        mismatches=mismatches,
        reads=question.reads + 1,
        reason=_reason(document, mismatches),
    )


def _outcome(
    document: Requisition, mismatches: tuple[Mismatch, ...]
) -> Literal["verified", "pending", "refused", "differs"]:
    if document.status == "refused":
        return "refused"
    if mismatches:
        return "differs"
    return "pending" if document.status == "accepted" else "verified"


def _reason(document: Requisition, mismatches: tuple[Mismatch, ...]) -> Text:
    number = document.number
    if document.status == "refused":
        why = document.reason or "-"
        return Text(en=f"The ERP refused {number}: {why}", zh=f"ERP 拒绝了 {number}：{why}")
    if mismatches:
        listed = [f"{each.field} {each.sent} -> {each.found}" for each in mismatches]
        return Text(
            en=f"{number} is not as it was sent: {', '.join(listed)}.",
            zh=f"{number} 与发送内容不一致：{'，'.join(listed)}。",
        )
    if document.status == "accepted":
        return Text(en=f"The ERP has {number} and has not confirmed it.", zh=f"ERP 已收到 {number}，尚未确认。")
    return Text(en=f"{number} stands in the ERP as it was approved.", zh=f"{number} 已在 ERP 中生效，与审批内容一致。")
