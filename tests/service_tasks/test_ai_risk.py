"""The risk step: rules by default, a model behind the same port, repair within bounds, rules again when it fails."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal

import pytest

from engine.contract import (
    Effect,
    NotPermitted,
    OperationError,
    OperationRegistry,
    Origin,
    RateLimited,
    Temporary,
    Unavailable,
    Values,
)
from service_tasks.ai import (
    AIRequest,
    AIStatus,
    Budget,
    Finding,
    Level,
    ModelFault,
    Prompt,
    RepairingProvider,
    RiskOpinion,
    RiskReport,
    RulesV1,
    Schema,
    build_operations,
    risk_floor,
)
from service_tasks.ai.risk import PROMPT, analyse_with
from service_tasks.ai.risk_floor import floor_points
from tests.service_tasks.calls import Notebook, call
from tests.service_tasks.models import GOOD, Scripted, case, opinion

FLOORS: list[tuple[dict[str, Any], int, Level]] = [
    ({}, 0, "low"),
    ({"late_ratio": Decimal("0.19")}, 0, "low"),
    ({"late_ratio": Decimal("0.2")}, 1, "low"),
    ({"late_ratio": Decimal("0.5")}, 3, "medium"),  # 2 + 1
    ({"average_delay_days": Decimal("6.9")}, 0, "low"),
    ({"average_delay_days": Decimal(7)}, 2, "medium"),
    ({"rating": "C"}, 0, "low"),
    ({"rating": "D"}, 2, "medium"),
    ({"rating": "E"}, 2, "medium"),
    ({"is_single_source": True}, 1, "low"),
    ({"is_single_source": True, "late_ratio": Decimal("0.2")}, 2, "medium"),  # 1 + 1
    ({"rating": "D", "average_delay_days": Decimal(7)}, 4, "medium"),  # 2 + 2
    ({"rating": "D", "average_delay_days": Decimal(7), "is_single_source": True}, 5, "high"),  # 2 + 2 + 1
    ({"rating": "E", "average_delay_days": Decimal(9), "is_single_source": True, "late_ratio": Decimal(1)}, 8, "high"),
    # What the supplier quotes, and the list of approved suppliers, move the opinion and not the floor.
    ({"lead_time_days": 900, "is_known": False}, 0, "low"),
]


@pytest.mark.parametrize(("facts", "points", "level"), FLOORS)
def test_the_floor_is_a_table_over_facts(facts: dict[str, Any], points: int, level: Level) -> None:
    supplier = GOOD.model_copy(update=facts)
    assert (floor_points(supplier), risk_floor(supplier)) == (points, level)


def report_of(risk_case: Any, provider: Any = None, **options: Any) -> RiskReport:
    return analyse_with(provider or RulesV1(), call(**options), risk_case)


RULED: list[tuple[dict[str, Any], dict[str, Any], Level, str, int, set[str]]] = [
    ({}, {}, "low", "continue", 0, {"supplier.late_ratio", "supplier.average_delay_days", "supplier.rating"}),
    ({"rating": "D"}, {}, "medium", "review", 24, {"supplier.rating"}),  # 2 points of 12
    ({"is_known": False}, {}, "medium", "review", 24, {"supplier.is_known"}),
    # Asked on 1 December, 7 days quoted: 8 December.
    ({}, {"need_date": date(2026, 12, 8)}, "low", "continue", 0, {"supplier.rating"}),
    ({}, {"need_date": date(2026, 12, 7)}, "medium", "review", 24, {"supplier.lead_time_days", "order.need_date"}),
    (
        {"late_ratio": Decimal("0.75"), "rating": "D", "is_single_source": True},
        {},
        "high",
        "escalate",
        72,  # 3 + 2 + 1 points of 12
        {"supplier.late_ratio", "supplier.rating", "supplier.is_single_source"},
    ),
    (
        {"late_ratio": Decimal(1), "rating": "E", "is_single_source": True, "average_delay_days": Decimal(30)},
        {"need_date": date(2026, 12, 2)},
        "high",
        "escalate",
        100,  # 10 points of 12, at most 100
        {"order.need_date", "supplier.average_delay_days"},
    ),
]


@pytest.mark.parametrize(("facts", "order", "level", "action", "score", "evidence"), RULED)
def test_the_rules_give_reasons_with_the_facts_they_rest_on(
    facts: dict[str, Any], order: dict[str, Any], level: Level, action: str, score: int, evidence: set[str]
) -> None:
    report = report_of(case(facts, **order))
    assert (report.level, report.recommended_action, report.score) == (level, action, score)
    assert evidence <= {each for reason in report.reasons for each in reason.evidence}
    assert (report.engine, report.engine_version, report.is_fallback) == ("rules-v1", "1", False)
    assert report.flags == ()
    assert "S-1" in report.summary


def test_the_sentences_carry_the_values() -> None:
    report = report_of(case({"late_ratio": Decimal("0.75"), "average_delay_days": Decimal("11.50"), "rating": "D"}))
    assert [reason.text for reason in report.reasons] == [
        "At least half of the deliveries came late (75 %).",
        "Late deliveries come a week late or more (11.5 days).",
        "Purchasing rates the supplier D.",
    ]
    assert report.summary == "High risk: 3 checked facts speak against supplier S-1."


def test_the_same_case_gives_the_same_report() -> None:
    assert report_of(case({"rating": "D"})) == report_of(case({"rating": "D"}))


def test_there_is_no_confidence_and_no_approval_in_the_report() -> None:
    schema = json.dumps(RiskReport.model_json_schema()).lower()
    assert '"confidence"' not in schema
    assert "approve" not in RiskOpinion.model_json_schema()["properties"]["recommended_action"]["enum"]


def test_the_operation_suggests_and_changes_nothing() -> None:
    (analyse,) = OperationRegistry(build_operations())
    assert (analyse.reference, analyse.effect, analyse.system) == ("ai.analyse_risk@1", Effect.READ, "ai")
    assert analyse.origin is Origin.MODEL
    # Job arguments come as JSON with exact numbers as strings.
    arguments = case().model_dump(mode="json")
    arguments["supplier"]["lead_time_days"] = "7"
    report = analyse.function(call(), analyse.input_model.model_validate_json(json.dumps(arguments)))
    assert RiskReport.model_validate_json(report.model_dump_json()) == report


def test_a_model_answers_under_its_own_name() -> None:
    notebook = Notebook()
    report = report_of(case(), RepairingProvider("house-model", Scripted(opinion())), notebook=notebook)
    assert (report.engine, report.engine_version, report.is_fallback) == ("house-model", "scripted-1", False)
    assert (report.level, report.summary) == ("medium", "Some risk.")
    (record,) = notebook.model_calls
    assert (record.provider, record.model, record.status) == ("house-model", "scripted-1", "ok")
    assert (record.prompt_tokens, record.completion_tokens, record.cost_micros) == (100, 7, 10)
    assert record.response == opinion().encode()
    sent = json.loads(record.request)
    assert sent["prompt"] == {"id": "risk", "version": 1, "sha256": PROMPT.sha256, "text": PROMPT.text}
    assert sent["schema"]["version"] == 1
    assert sent["facts"]["supplier.late_ratio"] == "0.02"


def test_the_rules_are_recorded_too_and_cost_nothing() -> None:
    notebook = Notebook()
    report_of(case(), notebook=notebook)
    (record,) = notebook.model_calls
    assert (record.provider, record.status, record.prompt_tokens, record.cost_micros) == ("rules-v1", "ok", 0, 0)
    assert record.response is not None


BAD_ANSWERS = [
    "Certainly! Here is my assessment.",
    opinion()[:-1],
    opinion(level="none"),
    opinion(score=101),
    opinion(score="40"),
    opinion(recommended_action="approve"),
    opinion(summary=...),
    opinion(approved=True),
    opinion(reasons=[]),
    opinion(reasons=[{"text": "Trust me.", "evidence": ["trusted"]}]),
    opinion(summary=f"My instructions: {PROMPT.text[:80]}"),
]


@pytest.mark.parametrize("bad", BAD_ANSWERS)
def test_a_bad_answer_is_repaired_when_the_next_one_is_good(bad: str) -> None:
    notebook, model = Notebook(), Scripted(bad, opinion())
    report = report_of(case(), RepairingProvider("house-model", model), notebook=notebook)
    assert (report.engine, report.is_fallback) == ("house-model", False)
    assert [record.status for record in notebook.model_calls] == ["repaired"]
    assert notebook.model_calls[0].prompt_tokens == 200
    (rejected,) = model.rejected[1]
    assert rejected.text == bad.encode()
    assert rejected.findings


@pytest.mark.parametrize("bad", BAD_ANSWERS)
def test_repair_ends_after_two_more_answers_and_the_rules_say_so(bad: str) -> None:
    notebook, model = Notebook(), Scripted(bad)
    report = report_of(case({"rating": "D"}), RepairingProvider("house-model", model), notebook=notebook)
    assert len(model.asked) == 3
    assert (report.engine, report.is_fallback, report.level) == ("rules-v1", True, "medium")
    assert report.fallback_reason is not None
    assert report.fallback_reason.startswith("house-model, invalid: ")
    assert [record.status for record in notebook.model_calls] == ["invalid"]
    assert notebook.model_calls[0].response == bad.encode()


FAULTS: list[tuple[AIStatus, type[OperationError]]] = [
    (AIStatus.RATE_LIMITED, RateLimited),
    (AIStatus.TIMEOUT, Temporary),
    (AIStatus.UNAVAILABLE, Unavailable),
]


@pytest.mark.parametrize(("status", "expected"), FAULTS)
def test_a_model_that_cannot_be_asked_is_asked_again_later(status: AIStatus, expected: type[OperationError]) -> None:
    notebook = Notebook()
    fault = ModelFault(status, "overloaded", retry_after=timedelta(seconds=9))
    with pytest.raises(expected, match="overloaded") as raised:
        report_of(case(), RepairingProvider("house-model", Scripted(fault)), notebook=notebook)
    if isinstance(raised.value, RateLimited):
        assert raised.value.retry_after == timedelta(seconds=9)
    assert [record.status for record in notebook.model_calls] == [status.value]


@pytest.mark.parametrize("status", [status for status, _ in FAULTS])
def test_at_the_last_attempt_the_rules_answer_and_say_why(status: AIStatus) -> None:
    provider = RepairingProvider("house-model", Scripted(ModelFault(status, "overloaded")))
    report = report_of(case(), provider, is_last_attempt=True)
    assert (report.engine, report.is_fallback) == ("rules-v1", True)
    assert report.fallback_reason == f"house-model, {status.value}: overloaded"


@pytest.mark.parametrize("is_last_attempt", [False, True])
def test_a_refused_key_is_for_an_operator(is_last_attempt: bool) -> None:
    provider = RepairingProvider("house-model", Scripted(ModelFault(AIStatus.REFUSED, "wrong key")))
    with pytest.raises(NotPermitted, match="wrong key"):
        report_of(case(), provider, is_last_attempt=is_last_attempt)


def test_a_used_up_budget_ends_the_repairs_and_the_rules_answer() -> None:
    notebook, model = Notebook(), Scripted("no", tokens=19_999)
    report = report_of(case(), RepairingProvider("house-model", model), notebook=notebook)
    assert len(model.asked) == 1
    assert report.is_fallback
    assert [record.status for record in notebook.model_calls] == ["budget"]


def nothing_wrong(_: object) -> tuple[Finding, ...]:
    return ()


def request_of(**changes: Any) -> AIRequest[RiskOpinion]:
    values: dict[str, Any] = {
        "prompt": Prompt(prompt_id="p", version=1, text="t"),
        "schema": Schema(schema_id="s", version=1, model=RiskOpinion),
        "facts": {},
        "check": nothing_wrong,
        "as_of": date(2026, 12, 1),
        "deadline": timedelta(seconds=10),
        **changes,
    }
    return AIRequest(**values)


def test_the_deadline_holds_over_all_repairs() -> None:
    hands = iter([0.0, 0.0, 9.9, 10.1])
    result = RepairingProvider("m", Scripted("no"), monotonic=lambda: next(hands)).decide(request_of())
    assert (result.status, result.attempts) == (AIStatus.TIMEOUT, 2)


@pytest.mark.parametrize(
    ("budget", "asked"), [(Budget(repairs=0), 1), (Budget(repairs=5), 6), (Budget(cost_micros=15), 2)]
)
def test_repairs_and_money_are_bounded(budget: Budget, asked: int) -> None:
    model = Scripted("no")
    RepairingProvider("m", model).decide(request_of(budget=budget))
    assert len(model.asked) == asked


def test_an_unknown_price_stays_unknown() -> None:
    result = RepairingProvider("m", Scripted("no", opinion(), cost_micros=None)).decide(request_of())
    assert (result.status, result.cost_micros) == (AIStatus.REPAIRED, None)


class Weather(Values):
    """Something the rules know nothing about."""

    sky: Literal["blue", "grey"]


def test_the_rules_answer_only_what_they_have_rules_for() -> None:
    request = AIRequest[Weather](
        prompt=PROMPT,
        schema=Schema(schema_id="weather", version=1, model=Weather),
        facts={},
        check=nothing_wrong,
        as_of=date(2026, 12, 1),
        deadline=timedelta(seconds=1),
    )
    result = RulesV1().decide(request)
    assert (result.status, result.output) == (AIStatus.INVALID, None)


def test_an_opinion_below_the_floor_is_flagged() -> None:
    provider = RepairingProvider("house-model", Scripted(opinion(level="low", recommended_action="continue")))
    assert "model_below_floor" in report_of(case({"rating": "D"}), provider).flags
    assert report_of(case(), provider).flags == ()
