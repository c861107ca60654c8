"""What `make test` runs: the checks of form first, then every test, in as many processes as there are cores."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"

CHECKS: tuple[tuple[str, list[str]], ...] = (
    ("style", [str(BIN / "ruff"), "check", "."]),
    ("format", [str(BIN / "ruff"), "format", "--check", "."]),
    ("walls between the rooms", [str(BIN / "lint-imports")]),
    ("types", [str(ROOT / "node_modules" / ".bin" / "pyright")]),
)


def _run(name: str, command: list[str]) -> bool:
    sys.stdout.write(f"== {name}\n")
    sys.stdout.flush()
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def main() -> int:
    """Run checks and tests; 0 when all passed. All checks run even when one fails."""
    parser = argparse.ArgumentParser(description="Run every check and test.")
    parser.add_argument("--only-checks", action="store_true", help="style, walls and types, no tests")
    options = parser.parse_args()
    failed = [name for name, command in CHECKS if not _run(name, command)]
    if not options.only_checks:
        processes = str(os.cpu_count() or 2)
        tests = [
            str(BIN / "python"),
            "-m",
            "pytest",
            "-n",
            processes,
            "--dist",
            "loadgroup",
            "-rs",
            "--durations",
            "10",
        ]
        if not _run("tests", tests):
            failed.append("tests")
    if failed:
        sys.stdout.write(f"\nFailed: {', '.join(failed)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
