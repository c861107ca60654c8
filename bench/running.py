"""Runs one benchmark many times over and puts together what it cost per instance."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from bench.house import House
from bench.measuring import Phase, calibrate, sandbox_cpu
from bench.report import Budget, Line
from bench.stores import Bytes, Tables, fresh_tables
from engine.contract import Connection

#: Instances before the first one that counts: definitions are read, statements compiled, pages half full.
WARM_UP = 20


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a benchmark is given.

    Attributes
    ----------
    kind
        The kind of store.
    count
        How many instances to measure; None: the benchmark's own number.
    """

    kind: str
    count: int | None = None

    def tables(self) -> AbstractContextManager[Tables]:
        """Return a fresh place for tables. Entering raises NotReachable."""
        return fresh_tables(self.kind)

    def house(self, url: str, connections: tuple[Connection, ...] = ()) -> House:
        """Return the product on an empty database."""
        return House(url, connections)

    def instances(self, own: int) -> int:
        """Return how many instances to measure."""
        return self.count or own


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a number of instances cost together. ``bytes_`` per instance, times in milliseconds."""

    count: int
    calibration_ms: float
    scripts_cpu: float
    bytes_: Bytes

    def bytes_budget(self, kind: str, most: int) -> tuple[Budget, ...]:
        """Return the budget of stored bytes, which is one for SQLite files: servers keep room of their own."""
        if kind != "sqlite":
            return ()
        return (Budget(what="bytes", at_most=most, measured=self.bytes_.rows),)

    def line(
        self,
        bench: str,
        given: Given,
        phases: Mapping[str, Phase],
        *,
        budgets: tuple[Budget, ...] = (),
        more: Mapping[str, Any] | None = None,
    ) -> Line:
        """Return the line of a benchmark whose instances consist of these phases."""
        scripts = self.scripts_cpu / self.count
        wall = sum(statistics.fmean(phase.wall) for phase in phases.values())
        return Line(
            bench=bench,
            store=given.kind,
            count=self.count,
            per_second=1000 / wall,
            cpu_ms=sum(phase.cpu_ms for phase in phases.values()) + scripts,
            scripts_cpu_ms=scripts,
            calibration_ms=self.calibration_ms,
            bytes_=self.bytes_,
            phases=phases,
            budgets=budgets,
            more=more or {},
        )


def warm_up(run: Callable[[int], object], times: int = WARM_UP) -> None:
    """Run a few instances that do not count; their numbers are negative."""
    for number in range(-times, 0):
        run(number)


def run_counted(given: Given, size: Callable[[], Bytes], run: Callable[[int], object], own: int) -> Measured:
    """Run the instances that count, numbered from 0, between two calibrations; ``own`` is the benchmark's number."""
    count = given.instances(own)
    calibrations = [calibrate()]
    before, scripts = size(), sandbox_cpu()
    for number in range(count):
        run(number)
    scripts = sandbox_cpu() - scripts
    calibrations.append(calibrate())
    return Measured(
        count=count,
        calibration_ms=statistics.fmean(calibrations),
        scripts_cpu=scripts,
        bytes_=size().since(before, count),
    )
