"""The shipped processes as the tests read them."""

from __future__ import annotations

from pathlib import Path

PROCESSES = Path(__file__).parents[2] / "processes"


def files_of(key: str) -> dict[str, bytes]:
    """Return the files of a shipped process by their path inside its folder."""
    folder = PROCESSES / key
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }
