"""All benchmarks by name, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bench.benchmarks import fifteen, growth, human, human_http, idle, procurement, w7
from bench.report import Line
from bench.running import Given

Benchmark = Callable[[Given], Line]

#: The pure interpreter costs the same on every database: it runs on SQLite alone.
ON_SQLITE_ALONE = frozenset({"interpreter15"})

BENCHMARKS: Mapping[str, Benchmark] = {
    "human": human.measure,
    "human_http": human_http.measure,
    **{name: growth.measure(name) for name in growth.SHAPES},
    "W7-jobs": w7.measure("w7_jobs"),
    "W7-scripts": w7.measure("w7_scripts"),
    "fifteen": fifteen.measure_stored,
    "interpreter15": fifteen.measure_interpreter,
    "idle": idle.measure,
    "procurement": procurement.measure,
}
