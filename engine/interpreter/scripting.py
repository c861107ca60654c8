"""The port through which the interpreter runs the script tasks' Python; ``engine.scripts`` is behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from engine.interpreter.values import Value


class ScriptFailed(Exception):
    """The script stopped with an error. The message names the line and what went wrong; correct the script."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, kw_only=True)
class ScriptResult:
    """``written`` are the variables the script set, ``read`` the names it read: what it wrote carries their taint."""

    written: Mapping[str, Value]
    read: frozenset[str]


class ScriptRunner(Protocol):
    """Runs one script in a sandbox with time and memory limits."""

    def run(
        self, script: str, variables: Mapping[str, Value], *, new_id: str, now: datetime | None = None
    ) -> ScriptResult:
        """Run a script over variables, which may be changed in place.

        ``new_id`` is what the script's ``new_id()`` returns first; its randomness follows from it too. ``now`` is what
        its clock shows; None is the real time.

        Raises
        ------
        ScriptFailed
            When the script raises, exceeds a limit, or leaves a value that cannot be stored.
        """
        ...
