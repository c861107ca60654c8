"""``python -m bench``: measures Vermilion and holds it to its budgets; one JSON line per benchmark and store."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from bench.catalogue import BENCHMARKS, ON_SQLITE_ALONE
from bench.measuring import calibrate, resident_megabytes
from bench.report import Line
from bench.running import Given
from bench.stores import KINDS, NotReachable
from vermilion.logs import log_to_stderr


def main() -> int:
    """Run benchmarks and print their lines. Exit code 1 when a budget is missed."""
    given = _arguments()
    log_to_stderr(is_verbose=False)
    calibrations = [calibrate()]
    missed = False
    for line in _lines(given, calibrations):
        missed = missed or bool(line.missed)
        _print(line.report())
        for budget in line.missed:
            sys.stderr.write(
                f"Budget missed: {line.bench} on {line.store}: {budget.what} is {budget.measured:g}, "
                f"at most {budget.at_most:g}.\n"
            )
    _print(
        {
            "bench": "calibration",
            "cpu_ms": round(statistics.median([*calibrations, calibrate()]), 2),
            "of": "sum(i*i for i in range(10**6))",
            "python": platform.python_version(),
            "processors": os.cpu_count(),
            "load": [round(each, 2) for each in os.getloadavg()],
            "resident_mb": resident_megabytes(),
        }
    )
    return 1 if missed else 0


def _lines(given: argparse.Namespace, calibrations: list[float]) -> Iterator[Line]:
    """Run what was asked for; a store that cannot be reached is said so once, and left out."""
    names = [given.only] if given.only else list(BENCHMARKS)
    for kind in [given.store] if given.store else KINDS:
        for name in names:
            if name in ON_SQLITE_ALONE and kind != "sqlite":
                continue
            try:
                line = BENCHMARKS[name](Given(kind=kind, count=given.count))
            except NotReachable as error:
                _print({"bench": name, "store": kind, "skipped": str(error).strip()})
                break
            calibrations.append(line.calibration_ms)
            yield line


def _print(content: Mapping[str, Any]) -> None:
    print(json.dumps(content), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=main.__doc__)
    parser.add_argument("--only", choices=sorted(BENCHMARKS), help="run one benchmark")
    parser.add_argument("--store", choices=KINDS, help="run on one kind of database; else on all that can be reached")
    parser.add_argument("--count", type=int, help="measure so many instances instead of each benchmark's own number")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
