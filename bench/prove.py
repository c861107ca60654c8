"""``python -m bench.prove [PROOF ...]``: runs the long proofs and writes ``docs/evidence/<proof>.json``.

An interrupted proof goes on where it stopped, as long as the commit is the same: every finished unit is kept at once.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.proofs import PROOFS, Proof
from bench.proofs.proof import Line, Verdict

ROOT = Path(__file__).resolve().parent.parent
EVIDENCE = ROOT / "docs" / "evidence"
#: Where finished units are kept between interrupted runs.
KEPT = ROOT / ".data" / "prove"
#: Findings that the evidence names at most; their number is always there.
_MOST_NAMED = 50
#: Seconds between two lines of progress.
_TELL_EVERY = 10.0


def main() -> int:
    """Run proofs. Exit code 1 when one does not hold."""
    parser = argparse.ArgumentParser(prog="python -m bench.prove", description=__doc__)
    parser.add_argument("proofs", nargs="*", metavar="PROOF", help=f"left out: all of {', '.join(PROOFS)}")
    parser.add_argument("--seed", type=int, default=1, help="of everything that a proof draws")
    parser.add_argument("--afresh", action="store_true", help="forget what an interrupted run has done")
    given = parser.parse_args()
    unknown = [name for name in given.proofs if name not in PROOFS]
    if unknown:
        parser.error(f"there is no proof {unknown[0]}; there are {', '.join(PROOFS)}")
    results = [_prove(PROOFS[name], given.seed, is_afresh=given.afresh) for name in given.proofs or PROOFS]
    return 0 if all(results) else 1


def _prove(proof: Proof, seed: int, *, is_afresh: bool) -> bool:
    """Run one proof to its end and write its evidence; return whether it holds."""
    commit = _git("rev-parse", "HEAD")
    kept = KEPT / f"{proof.name}-{commit[:12]}-{seed}.jsonl"
    if is_afresh:
        kept.unlink(missing_ok=True)
    done = _read(kept)
    _tell(f"{proof.name}: {proof.shows}")
    if done:
        _tell(f"{proof.name}: goes on after {len(done)} lines")
    lines = [*done, *_run(proof, done, kept, seed)]
    verdict = proof.verdict(lines)
    file = EVIDENCE / f"{proof.name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(_evidence(proof, commit, seed, lines, verdict), indent=2, ensure_ascii=False) + "\n")
    kept.unlink(missing_ok=True)
    for each in verdict.wrong[:_MOST_NAMED]:
        _tell(f"{proof.name}: {each}")
    _tell(f"{proof.name}: {'holds' if not verdict.wrong else 'DOES NOT HOLD'}, {dict(verdict.counts)}")
    return not verdict.wrong


def _run(proof: Proof, done: Sequence[Line], kept: Path, seed: int) -> list[Line]:
    """Run what is left, keeping each line as it comes."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh: list[Line] = []
    began = told = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"vermilion-{proof.name}-") as folder, kept.open("a") as file:
        for line in proof.run(done, Path(folder), seed):
            fresh.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
            if time.monotonic() - told > _TELL_EVERY:
                told = time.monotonic()
                _tell(f"{proof.name}: {len(done) + len(fresh)} lines after {told - began:.0f} s")
    return fresh


def _evidence(proof: Proof, commit: str, seed: int, lines: Sequence[Line], verdict: Verdict) -> dict[str, Any]:
    return {
        "proof": proof.name,
        "shows": proof.shows,
        "verdict": "holds" if not verdict.wrong else "does not hold",
        "commit": commit,
        # Changes outside the evidence itself: then the commit alone does not say what was proved.
        "uncommitted": bool(_git("status", "--porcelain", "--", ".", ":!docs/evidence")),
        "command": f"python -m bench.prove {proof.name} --seed {seed}",
        "seed": seed,
        "counts": dict(verdict.counts),
        "wrong_count": len(verdict.wrong),
        "wrong": verdict.wrong[:_MOST_NAMED],
        "unit_seconds": round(sum(line.get("seconds", 0.0) for line in lines), 1),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
    }


def _read(kept: Path) -> list[Line]:
    """Return the finished units; a line that was cut off when the run was interrupted is left out."""
    if not kept.exists():
        return []
    whole = [text for text in kept.read_text().splitlines(keepends=True) if text.endswith("\n")]
    kept.write_text("".join(whole))
    return [json.loads(text) for text in whole]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
