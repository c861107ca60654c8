"""What commands work with: the store, the interpreter, the operations, the definitions; given once, at the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.contract.registry import OperationRegistry
from engine.interpreter import Interpreter
from engine.model import Definition
from engine.runtime.cause import NewId
from engine.runtime.definitions import Definitions
from engine.runtime.errors import TooManyWriters
from engine.store import Store
from engine.store.failures import StoreBusy

#: How often a command starts over because somebody else was faster.
MOST_TRIES = 20

#: Told of jobs that can be claimed now, after the commit. A wake-up may be lost: due jobs are found by scanning.
Bell = Callable[[Sequence[str]], None]
#: Reads and checks the files of a process; raises DefinitionRefused with every finding.
Check = Callable[[Mapping[str, bytes]], Definition]
Answer = TypeVar("Answer")


class Overtaken(Exception):
    """Somebody else changed the instance in between. The command reads it again and decides again (W6)."""


@dataclass(frozen=True, kw_only=True)
class Rooms:
    """The parts of the engine that every command needs."""

    store: Store
    interpreter: Interpreter
    registry: OperationRegistry
    definitions: Definitions
    new_id: NewId
    bell: Bell
    check: Check


def starting_over(once: Callable[[], Answer]) -> Answer:
    """Run a command until nobody was faster than its reading, at most ``MOST_TRIES`` times.

    Raises
    ------
    TooManyWriters
        When others were faster each time.
    """
    for _ in range(MOST_TRIES):
        try:
            return once()
        except (Overtaken, StoreBusy):
            continue
    raise TooManyWriters


def no_bell(job_ids: Sequence[str]) -> None:
    """Wake nobody."""
    del job_ids
