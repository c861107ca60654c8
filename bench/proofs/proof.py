"""What a proof is: many units of work, each of which holds or does not, and a verdict over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

#: One finished unit, as it is kept between runs of a proof that was interrupted.
Line = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a proof shows.

    Attributes
    ----------
    counts
        How much was done, by name.
    wrong
        What did not hold, a sentence each; empty: everything held.
    """

    counts: Mapping[str, int]
    wrong: tuple[str, ...]


class Proof(Protocol):
    """A proof. Its units are done in any order, and none twice."""

    @property
    def name(self) -> str:
        """Its name on the command line, and that of its evidence."""
        ...

    @property
    def shows(self) -> str:
        """What it shows, in a sentence."""
        ...

    def run(self, done: Sequence[Line], folder: Path, seed: int) -> Iterator[Line]:
        """Do the units that are not in ``done``, in an empty ``folder``, and yield each as it is finished."""
        ...

    def verdict(self, lines: Sequence[Line]) -> Verdict:
        """Return what all units show together; one that is missing makes it not hold."""
        ...
