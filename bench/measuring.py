"""Measures what something costs: processor time of this process and of the script sandbox, wall time, statements."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.store import Store
from engine.store.counting import Counts

#: Name of the sandbox's worker processes, as the kernel knows it.
_SANDBOX = "monty"
#: The calculation that processor time is compared with, so that figures of different machines can be compared.
_CALIBRATION_SIZE = 10**6

#: Consecutive runs in a block, and how many blocks there are at least.
_BLOCK = 25
_LEAST_BLOCKS = 6


def calibrate(times: int = 5) -> float:
    """Return the processor time in milliseconds of ``sum(i*i for i in range(10**6))``: the median of ``times``."""
    samples: list[float] = []
    for _ in range(times):
        began = time.process_time()
        sum(i * i for i in range(_CALIBRATION_SIZE))
        samples.append((time.process_time() - began) * 1000)
    return statistics.median(samples)


def sandbox_cpu() -> float:
    """Return the processor time in milliseconds that the script sandbox's processes have used so far.

    Linux only; 0 where the kernel does not tell.
    """
    own = Path(f"/proc/{os.getpid()}/task")
    nanoseconds = 0
    try:
        for thread in own.iterdir():
            for child in (thread / "children").read_text().split():
                if Path(f"/proc/{child}/comm").read_text().strip() == _SANDBOX:
                    parts = Path(f"/proc/{child}/task").iterdir()
                    nanoseconds += sum(int((part / "schedstat").read_text().split()[0]) for part in parts)
    except (OSError, ValueError, IndexError):
        return 0.0
    return nanoseconds / 1e6


@dataclass(kw_only=True)
class Phase:
    """What one phase of a benchmark cost, run by run. Times in milliseconds.

    ``scripts`` is what the script sandbox's processes used, where a benchmark looks at it run by run.
    """

    cpu: list[float] = field(default_factory=list[float])
    wall: list[float] = field(default_factory=list[float])
    counts: list[Counts] = field(default_factory=list[Counts])
    scripts: list[float] = field(default_factory=list[float])

    @contextmanager
    def measured(self, store: Store) -> Generator[None]:
        """Measure one run."""
        with store.counting() as counts:
            began, cpu_began = time.perf_counter(), time.process_time()
            yield
            cpu, wall = time.process_time() - cpu_began, time.perf_counter() - began
        self.cpu.append(cpu * 1000)
        self.wall.append(wall * 1000)
        self.counts.append(counts)

    @property
    def statements(self) -> int:
        """Return the most statements that one run needed."""
        return max(counts.statements for counts in self.counts)

    @property
    def commits(self) -> int:
        """Return the most commits that one run needed."""
        return max(counts.commits for counts in self.counts)

    @property
    def cpu_ms(self) -> float:
        """Return the mean processor time in the best block of consecutive runs.

        Neighbours on the machine empty caches and so only ever add to a block; the engine's own collections of
        garbage happen in every one.
        """
        size = max(1, min(_BLOCK, len(self.cpu) // _LEAST_BLOCKS))
        starts = range(0, len(self.cpu) - size + 1, size)
        return min(statistics.fmean(self.cpu[start : start + size]) for start in starts)

    def report(self) -> dict[str, object]:
        """Return the phase as a benchmark's line shows it."""
        return {
            "statements": self.statements,
            "commits": self.commits,
            "rollbacks": max(counts.rollbacks for counts in self.counts),
            "cpu_ms": round(self.cpu_ms, 3),
            "p50_ms": round(statistics.median(self.wall), 2),
            "p95_ms": round(percentile(self.wall, 95), 2),
        }


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that ``percent`` of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * percent // 100) - 1))]


def resident_megabytes() -> float | None:
    """Return the memory that this process holds now, in MB; None where the kernel does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
