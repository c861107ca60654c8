"""How much one advance and one instance may do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds that turn endless loops into an incident instead of a stuck worker.

    Attributes
    ----------
    steps_per_advance
        Nodes that one advance may run before it returns capped; the caller then sends ``Continue``.
    steps_per_instance
        Nodes that one instance may run in its life.
    depth
        Sub-processes and calls that may be open inside one another.
    instances
        Instances that one multi-instance activity may have.
    tokens
        Tokens that one instance may have after an advance.
    """

    steps_per_advance: int = 2_000
    steps_per_instance: int = 250_000
    depth: int = 50
    instances: int = 10_000
    tokens: int = 30_000
