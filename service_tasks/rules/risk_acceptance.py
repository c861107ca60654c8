"""Operation ``rules.accept_risk``: the one place where a risk suggestion becomes a value that decisions may read."""

from __future__ import annotations

from engine.contract import Call
from engine.contract.operation import Effect, Values, operation
from engine.contract.origin import Origin
from service_tasks.ai.risk_floor import Level, graver, risk_floor
from service_tasks.ai.risk_report import RiskCase, RiskReport, facts_of
from service_tasks.rules.words import Text

#: An opinion below what the facts prove.
BELOW_FLOOR = "model_below_floor"
#: Evidence that names no fact of the case.
NOT_GROUNDED = "evidence_not_grounded"
#: An opinion that recommends to go on although it, or the facts, say more than low.
ACTION_BELOW_LEVEL = "action_below_level"


class RiskQuestion(Values):
    """The case as the facts state it, and what was suggested about it."""

    case: RiskCase
    suggestion: RiskReport


class AcceptedRisk(Values):
    """The risk that was accepted.

    Attributes
    ----------
    level
        The graver of ``floor`` and ``suggested``.
    flags
        Where the suggestion disagrees with the facts, and what the analysis itself raised.
    rule
        The name under which it was accepted.
    """

    level: Level
    floor: Level
    suggested: Level
    flags: tuple[str, ...]
    rule: str = "risk_floor"
    reason: Text = Text(en="", zh="")


@operation(
    "rules.accept_risk",
    version=1,
    effect=Effect.PURE,
    origin=Origin.RULE,
    accepts_suggestions=frozenset({"suggestion"}),
)
def accept_risk(call: Call, question: RiskQuestion) -> AcceptedRisk:
    """Accept a risk: the suggestion may raise what the facts prove, never lower it.

    Source: PROCUREMENT, step 6: ``risk = max(floor from facts, suggestion)``. Nothing but the level and the flags is
    taken over from a suggestion; figures stay those of the systems.
    """
    del call
    suggestion = question.suggestion
    floor = risk_floor(question.case.supplier)
    level = graver(floor, suggestion.level)
    known = frozenset(facts_of(question.case))
    cited = {each for reason in suggestion.reasons for each in reason.evidence}
    holds = (
        (BELOW_FLOOR, level != suggestion.level),
        (NOT_GROUNDED, not cited <= known),
        (ACTION_BELOW_LEVEL, suggestion.recommended_action == "continue" and level != "low"),
    )
    found = [name for name, is_so in holds if is_so]
    return AcceptedRisk(
        level=level,
        floor=floor,
        suggested=suggestion.level,
        flags=tuple(dict.fromkeys([*suggestion.flags, *found])),
        reason=Text(
            en=f"Facts prove {floor}, {suggestion.engine} suggests {suggestion.level}: accepted as {level}.",
            zh=f"事实下限为 {floor}，{suggestion.engine} 建议 {suggestion.level}：按 {level} 接受。",
        ),
    )
