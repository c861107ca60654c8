"""The risk that facts alone prove: a scored table over what the supplier cannot write. A model may only raise it.

The weights are those of the reference process; each rule names the fact it reads, so that a reason can point at it.
What the supplier quotes or writes itself, such as its lead time, never feeds this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pydantic import Field

from engine.contract import Values
from service_tasks.whole_number import WholeNumber

Level = Literal["low", "medium", "high"]

#: From harmless to grave.
LEVELS: tuple[Level, ...] = ("low", "medium", "high")
#: Points from which on a level holds.
MEDIUM_FROM = 2
HIGH_FROM = 5


class SupplierFacts(Values):
    """What the buying company's own systems know about a supplier.

    Attributes
    ----------
    late_ratio
        Share of deliveries in the last year that came late, 0 to 1.
    average_delay_days
        Mean delay of the late ones.
    rating
        The buyer's mark, from A (best) to E.
    is_known
        Whether the supplier is on the list of approved suppliers.
    lead_time_days
        As quoted by the supplier: it explains, and never feeds the floor.
    """

    supplier_id: str = Field(min_length=1, max_length=40)
    late_ratio: Decimal = Field(ge=0, le=1)
    average_delay_days: Decimal = Field(ge=0)
    rating: Literal["A", "B", "C", "D", "E"]
    is_single_source: bool
    is_known: bool = True
    lead_time_days: WholeNumber | None = Field(default=None, ge=0)


@dataclass(frozen=True, kw_only=True)
class FloorRule:
    """One row of the table. ``sentence`` may use ``{value}``, the fact as a person reads it."""

    points: int
    fact: str
    sentence: str
    applies: Callable[[SupplierFacts], bool]


FLOOR_RULES: tuple[FloorRule, ...] = (
    FloorRule(
        points=2,
        fact="late_ratio",
        sentence="At least half of the deliveries came late ({value}).",
        applies=lambda facts: facts.late_ratio >= Decimal("0.5"),
    ),
    FloorRule(
        points=1,
        fact="late_ratio",
        sentence="At least one delivery in five came late ({value}).",
        applies=lambda facts: facts.late_ratio >= Decimal("0.2"),
    ),
    FloorRule(
        points=2,
        fact="average_delay_days",
        sentence="Late deliveries come a week late or more ({value} days).",
        applies=lambda facts: facts.average_delay_days >= 7,
    ),
    FloorRule(
        points=2,
        fact="rating",
        sentence="Purchasing rates the supplier {value}.",
        applies=lambda facts: facts.rating in ("D", "E"),
    ),
    FloorRule(
        points=1,
        fact="is_single_source",
        sentence="There is no other supplier for this material.",
        applies=lambda facts: facts.is_single_source,
    ),
)


def floor_points(facts: SupplierFacts) -> int:
    """Return the sum of the points of all rules that apply."""
    return sum(rule.points for rule in FLOOR_RULES if rule.applies(facts))


def level_of(points: int) -> Level:
    """Return the level that this many points make: medium from 2, high from 5."""
    if points >= HIGH_FROM:
        return "high"
    return "medium" if points >= MEDIUM_FROM else "low"


def risk_floor(facts: SupplierFacts) -> Level:
    """Return the lowest level that may be accepted for these facts, whatever a model says."""
    return level_of(floor_points(facts))


def graver(one: Level, other: Level) -> Level:
    """Return the graver of two levels."""
    return one if LEVELS.index(one) >= LEVELS.index(other) else other
