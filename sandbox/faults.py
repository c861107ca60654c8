"""Fault switches: make a named operation fail in a named way so many times."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

from sandbox.data import Record

#: delay: does the work, answers late. rate_limited: 429 with Retry-After. unavailable: 503. wrong_json: does the work,
#: answers with broken or foreign JSON in turn. cut_before: closes the connection instead of working.
#: cut_after: does the work, closes the connection instead of answering.
FaultName = Literal["delay", "rate_limited", "unavailable", "wrong_json", "cut_before", "cut_after"]


class FaultOrder(Record):
    """What ``POST /faults`` takes.

    ``seconds`` is how late a delayed answer comes; ``retry_after`` what a 429 asks for, in whole seconds.
    """

    operation: str
    name: FaultName
    count: int = 1
    seconds: float = 2.0
    retry_after: int = 1


@dataclass(kw_only=True)
class Fault:
    """One switch with its counts."""

    order: FaultOrder
    remaining: int
    fired: int = 0


class Faults:
    """All switches of one system, kept in memory: a restart repairs everything."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: list[Fault] = []

    def set(self, order: FaultOrder) -> None:
        """Arm a switch, after those that are armed already."""
        with self._lock:
            self._all.append(Fault(order=order, remaining=order.count))

    def take(self, operation: str) -> tuple[FaultOrder, int] | None:
        """Fire the oldest armed switch of the operation: its order, and how often it has fired, this time included."""
        with self._lock:
            for fault in self._all:
                if fault.order.operation == operation and fault.remaining > 0:
                    fault.remaining -= 1
                    fault.fired += 1
                    return fault.order, fault.fired
        return None

    def counts(self) -> list[dict[str, str | int]]:
        """Return every switch with what it has fired and what remains."""
        with self._lock:
            return [
                {"operation": f.order.operation, "name": f.order.name, "remaining": f.remaining, "fired": f.fired}
                for f in self._all
            ]

    def clear(self) -> None:
        """Forget all switches and counts."""
        with self._lock:
            self._all.clear()
