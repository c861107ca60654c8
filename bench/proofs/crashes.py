"""A purchase is killed by SIGKILL at each passing of each named point, and started again."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.proofs.proof import Line, Verdict
from tests.promises.journeys import JOURNEYS, POINTS

#: Into how many processes the runs of one journey are dealt.
_PARTS = 2


@dataclass(frozen=True, kw_only=True)
class Crashes:
    """Every passing of every point of every journey, a run each. Nothing in it is drawn, so the seed has no effect."""

    name: str = "crashes"
    shows: str = (
        "SIGKILL at each passing of each named point of a purchase and a new start: one document, the same business "
        "transitions, nothing stuck."
    )

    def run(self, done: Sequence[Line], folder: Path, seed: int) -> Iterator[Line]:
        """Run the journeys side by side, one process for each processor."""
        del seed
        lines: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        tasks = [(name, part) for name in JOURNEYS for part in range(_PARTS)]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for name, part in tasks:
                pool.submit(_run_part, name, part, done, folder, lines)
            waiting = len(tasks)
            while waiting:
                line = lines.get()
                if line is None:
                    waiting -= 1
                else:
                    yield line

    def verdict(self, lines: Sequence[Line]) -> Verdict:
        """Join the runs: every point passed, every passing killed, nothing wrong."""
        passed: dict[str, dict[str, int]] = {line["journey"]: line["points"] for line in lines if "points" in line}
        runs = {(line["journey"], line["point"], line["number"]): line["wrong"] for line in lines if "point" in line}
        wrong = [f"{line['journey']}: {line['failed']}" for line in lines if "failed" in line]
        wrong += [f"the journey {name} was not played" for name in JOURNEYS if name not in passed]
        found = {point for points in passed.values() for point in points}
        wrong += [f"{point} was never passed" for point in POINTS if point not in found]
        for name, points in passed.items():
            for point, count in points.items():
                missing = [number for number in range(1, count + 1) if (name, point, number) not in runs]
                wrong += [f"{name} was not killed at {point}#{number}" for number in missing]
        for (name, point, number), findings in runs.items():
            wrong += [f"{name} killed at {point}#{number}: {each}" for each in findings]
        counts = {"journeys": len(passed), "points": len(found), "runs": len(runs)}
        return Verdict(counts=counts, wrong=tuple(wrong))


def _run_part(name: str, part: int, done: Sequence[Line], folder: Path, lines: queue.SimpleQueue[Line | None]) -> None:
    """Run a part of a journey in a process of its own, and pass its lines on; None when it has ended."""
    place = folder / f"{name}-{part}"
    place.mkdir()
    known = [f"{each['point']}#{each['number']}" for each in done if each["journey"] == name and "point" in each]
    (place / "done.txt").write_text("\n".join(known))
    command = [sys.executable, "-m", "tests.promises.crash_worker", "--journey", name, "--part", f"{part}/{_PARTS}"]
    options = ["--folder", str(place), "--done", str(place / "done.txt")]
    try:
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for text in process.stdout:
                line: dict[str, object] = json.loads(text)
                lines.put({"journey": name, **line})
        # Exit code 1 comes with lines that say what was wrong.
        if process.returncode not in (0, 1):
            lines.put({"journey": name, "failed": f"its process ended with {process.returncode}"})
    finally:
        lines.put(None)


CRASHES = Crashes()
