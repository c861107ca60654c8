"""The operation of the benchmarks: it computes nothing worth speaking of, so that the engine is what is measured."""

from __future__ import annotations

from engine.contract import Call, Effect, Values, operation


class Count(Values):
    """A whole number."""

    x: int


@operation("bench.increment", version=1, effect=Effect.PURE)
def increment(call: Call, count: Count) -> Count:
    """Add one."""
    del call
    return Count(x=count.x + 1)
