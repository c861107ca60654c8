"""What the risk analysis of a purchase is asked and what it answers. Every answer is a suggestion."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from engine.contract import Values
from service_tasks.ai.risk_floor import Level, SupplierFacts
from service_tasks.ai.untrusted import UntrustedText

#: What may be recommended. There is no "approve": approvals are people's, or a named rule's.
RecommendedAction = Literal["continue", "review", "escalate"]


class RiskCase(Values):
    """A purchase about to be decided.

    Attributes
    ----------
    amount
        In ``currency``.
    need_date
        When the material is needed; None when nobody said.
    notes
        Texts that outsiders wrote about this purchase. They are shown to the model as data and prove nothing.
    """

    material_id: str = Field(min_length=1, max_length=40)
    category: str = Field(min_length=1, max_length=40)
    quantity: Decimal = Field(gt=0)
    unit: str = Field(min_length=1, max_length=20)
    amount: Decimal = Field(ge=0)
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    supplier: SupplierFacts
    need_date: date | None = None
    notes: tuple[UntrustedText, ...] = ()


class Reason(Values):
    """One sentence with the ids of the facts that it rests on."""

    text: str = Field(min_length=1, max_length=300)
    evidence: tuple[str, ...] = Field(min_length=1, max_length=8)


class RiskOpinion(Values):
    """What a model, or the rules, may say about a case: the schema of the answer."""

    level: Level
    score: int = Field(ge=0, le=100)
    summary: str = Field(min_length=1, max_length=400)
    reasons: tuple[Reason, ...] = Field(min_length=1, max_length=8)
    recommended_action: RecommendedAction


class RiskReport(RiskOpinion):
    """An opinion with who gave it. There is no figure for confidence: nothing here could measure it.

    Attributes
    ----------
    engine, engine_version
        ``rules-v1`` stands for the deterministic analyst: no language model was used.
    is_fallback
        Whether the rules answered because the configured model could not; ``fallback_reason`` says why.
    flags
        What the approver should know: attempts in the notes, an opinion below the floor, unfounded evidence.
    """

    engine: str
    engine_version: str
    is_fallback: bool = False
    fallback_reason: str | None = None
    flags: tuple[str, ...] = ()


def facts_of(case: RiskCase) -> dict[str, object]:
    """Return the trusted facts of a case by their ids, for example ``supplier.late_ratio``; unknown ones are absent."""
    order = case.model_dump(exclude={"supplier", "notes"})
    supplier = case.supplier.model_dump()
    return {
        f"{part}.{name}": value
        for part, facts in (("order", order), ("supplier", supplier))
        for name, value in facts.items()
        if value is not None
    }
