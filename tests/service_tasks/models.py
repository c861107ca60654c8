"""Models that play every failure of the real ones behind the port."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from service_tasks.ai import AIRequest, ModelFault, RejectedAnswer, RiskCase, SupplierFacts, TextAnswer, UntrustedText


class Scripted:
    """A text model that says what it is told, in turn; its last line again and again."""

    def __init__(self, *lines: str | ModelFault, tokens: int = 100, cost_micros: int | None = 10) -> None:
        self._lines = list(lines)
        self._tokens = tokens
        self._cost_micros = cost_micros
        self.rejected: list[tuple[RejectedAnswer, ...]] = []
        self.asked: list[AIRequest[Any]] = []

    @property
    def model(self) -> str:
        """Its name."""
        return "scripted-1"

    def answer(self, request: AIRequest[Any], rejected: tuple[RejectedAnswer, ...], timeout: timedelta) -> TextAnswer:
        """Say the next line."""
        self.asked.append(request)
        self.rejected.append(rejected)
        line = self._lines.pop(0) if len(self._lines) > 1 else self._lines[0]
        if isinstance(line, ModelFault):
            raise line
        return TextAnswer(
            text=line.encode(), prompt_tokens=self._tokens, completion_tokens=7, cost_micros=self._cost_micros
        )


def opinion(**changes: Any) -> str:
    """Return a valid answer, with changes; a change to ``...`` leaves the member out."""
    members: dict[str, Any] = {
        "level": "medium",
        "score": 40,
        "summary": "Some risk.",
        "reasons": [{"text": "Late now and then.", "evidence": ["supplier.late_ratio"]}],
        "recommended_action": "review",
        **changes,
    }
    return json.dumps({name: value for name, value in members.items() if value is not ...})


GOOD = SupplierFacts(
    supplier_id="S-1",
    late_ratio=Decimal("0.02"),
    average_delay_days=Decimal(1),
    rating="A",
    is_single_source=False,
    lead_time_days=7,
)


def case(supplier: Mapping[str, Any] | None = None, *notes: str, **changes: Any) -> RiskCase:
    """Return a harmless purchase with changed facts and notes from outside."""
    values: dict[str, Any] = {
        "material_id": "MAT-001",
        "category": "raw",
        "quantity": Decimal(400),
        "unit": "pc",
        "amount": Decimal("920.00"),
        "currency": "EUR",
        "supplier": GOOD.model_copy(update=dict(supplier or {})),
        "notes": tuple(UntrustedText(text_id=f"note.{number}", text=text) for number, text in enumerate(notes)),
        **changes,
    }
    return RiskCase(**values)
