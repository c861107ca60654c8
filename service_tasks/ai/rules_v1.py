"""``rules-v1``, the deterministic analyst: default engine, floor and fallback. No language model is used.

It scores the table of ``risk_floor`` and two signals on top, which may only raise the level. Its sentences are
templates, and its evidence are the ids of the facts that it read.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any, cast

from service_tasks.ai.port import AIRequest, AIResult, AIStatus, Finding, Output
from service_tasks.ai.risk_floor import FLOOR_RULES, Level, SupplierFacts, floor_points, level_of
from service_tasks.ai.risk_report import Reason, RecommendedAction, RiskOpinion

NAME = "rules-v1"
VERSION = "1"

#: One point of the table in the report's score of 0 to 100.
SCORE_PER_POINT = 12
#: Points of a signal that is not part of the floor.
SIGNAL_POINTS = 2

_ACTIONS: dict[Level, RecommendedAction] = {"low": "continue", "medium": "review", "high": "escalate"}
_FLOOR_FACTS = tuple(dict.fromkeys(f"supplier.{rule.fact}" for rule in FLOOR_RULES))


class RulesV1:
    """The deterministic analyst behind the port of the models."""

    @property
    def name(self) -> str:
        """The engine's name on pages and in records."""
        return NAME

    @property
    def version(self) -> str:
        """The number of these rules."""
        return VERSION

    def decide(self, request: AIRequest[Output]) -> AIResult[Output]:
        """Answer a request for a risk opinion; any other is ``invalid``, because no rule exists for it."""
        if not issubclass(request.schema.model, RiskOpinion):
            finding = Finding(code="no_rule", sentence=f"{NAME} has no rules for {request.schema.schema_id}.")
            return AIResult(status=AIStatus.INVALID, provider=NAME, model=NAME, findings=(finding,), cost_micros=0)
        opinion = analyse_risk(request.facts, request.as_of)
        return AIResult(
            status=AIStatus.OK,
            provider=NAME,
            model=NAME,
            output=request.schema.model.model_validate(opinion.model_dump()),
            raw=opinion.model_dump_json().encode(),
            cost_micros=0,
        )


def analyse_risk(facts: Any, as_of: date) -> RiskOpinion:
    """Return the rules' opinion on the facts of a purchase, as ``facts_of`` names them."""
    supplier = SupplierFacts.model_validate(
        {name.removeprefix("supplier."): value for name, value in facts.items() if name.startswith("supplier.")}
    )
    signals = _signals(supplier, cast(date | None, facts.get("order.need_date")), as_of)
    points = floor_points(supplier) + SIGNAL_POINTS * len(signals)
    level = level_of(points)
    reasons = (*_floor_reasons(supplier), *signals)
    return RiskOpinion(
        level=level,
        score=min(100, SCORE_PER_POINT * points),
        summary=_summary(level, supplier, len(reasons)),
        reasons=reasons
        or (Reason(text="None of the checked facts speaks against this supplier.", evidence=_FLOOR_FACTS),),
        recommended_action=_ACTIONS[level],
    )


def _floor_reasons(supplier: SupplierFacts) -> tuple[Reason, ...]:
    """Return one reason per fact: of two rules about the same fact the first, which is the stricter."""
    found: dict[str, Reason] = {}
    for rule in FLOOR_RULES:
        if rule.applies(supplier) and rule.fact not in found:
            sentence = rule.sentence.format(value=_readable(rule.fact, getattr(supplier, rule.fact)))
            found[rule.fact] = Reason(text=sentence, evidence=(f"supplier.{rule.fact}",))
    return tuple(found.values())


def _signals(supplier: SupplierFacts, need_date: date | None, as_of: date) -> tuple[Reason, ...]:
    signals: list[Reason] = []
    if not supplier.is_known:
        signals.append(
            Reason(text="The supplier is not on the list of approved suppliers.", evidence=("supplier.is_known",))
        )
    if supplier.lead_time_days is not None and need_date is not None:
        arrival = as_of + timedelta(days=supplier.lead_time_days)
        if arrival > need_date:
            text = f"The quoted lead time ends on {arrival.isoformat()}, after the need date {need_date.isoformat()}."
            signals.append(Reason(text=text, evidence=("supplier.lead_time_days", "order.need_date")))
    return tuple(signals)


def _summary(level: Level, supplier: SupplierFacts, reasons: int) -> str:
    if reasons == 0:
        return f"Low risk: none of the checked facts speaks against supplier {supplier.supplier_id}."
    facts = "one checked fact speaks" if reasons == 1 else f"{reasons} checked facts speak"
    return f"{level.capitalize()} risk: {facts} against supplier {supplier.supplier_id}."


def _readable(fact: str, value: object) -> str:
    if isinstance(value, Decimal):
        return f"{value * 100:.0f} %" if fact == "late_ratio" else f"{value.normalize():f}"
    return str(value)
