"""What a benchmark says: one JSON line, with the budgets it is held to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.measuring import Phase
from bench.stores import Bytes


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The most that one figure may be (ARCHITECTURE.md, Budgets)."""

    what: str
    at_most: float
    measured: float

    @property
    def is_met(self) -> bool:
        """Whether the figure is within its budget."""
        return self.measured <= self.at_most


@dataclass(frozen=True, kw_only=True)
class Line:
    """One benchmark on one store.

    Attributes
    ----------
    cpu_ms
        Processor time per instance, its phases added up, the script sandbox's processes included.
    scripts_cpu_ms
        The part of it that the script sandbox's processes used.
    calibration_ms
        What the calibration took just before and after.
    more
        Further figures, of this benchmark alone.
    """

    bench: str
    store: str
    count: int
    per_second: float
    cpu_ms: float
    calibration_ms: float
    scripts_cpu_ms: float = 0.0
    bytes_: Bytes | None = None
    phases: Mapping[str, Phase] = field(default_factory=dict[str, Phase])
    budgets: tuple[Budget, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def missed(self) -> tuple[Budget, ...]:
        """Return the budgets that are not met."""
        return tuple(budget for budget in self.budgets if not budget.is_met)

    def report(self) -> dict[str, Any]:
        """Return the line as it is printed."""
        found: dict[str, Any] = {
            "bench": self.bench,
            "store": self.store,
            "count": self.count,
            "per_second": round(self.per_second, 1),
            "cpu_ms": round(self.cpu_ms, 3),
            "scripts_cpu_ms": round(self.scripts_cpu_ms, 3),
            "cpu_ratio": round(self.cpu_ms / self.calibration_ms, 4),
            "calibration_ms": round(self.calibration_ms, 2),
        }
        if self.bytes_ is not None:
            found |= {
                "bytes": self.bytes_.rows,
                "blob_bytes": self.bytes_.blobs,
                "audit_bytes": self.bytes_.audit,
            }
        if self.phases:
            found["phases"] = {name: phase.report() for name, phase in self.phases.items()}
        found |= self.more
        if self.budgets:
            found["budget"] = {budget.what: budget.at_most for budget in self.budgets}
            found["measured"] = {budget.what: round(budget.measured, 4) for budget in self.budgets}
            found["meets_budget"] = not self.missed
        return found
