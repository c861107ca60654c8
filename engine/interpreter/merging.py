"""Where branches meet: writes to different names merge, two different values for one name are a conflict.

Every split is a *fork* with a stamp of its own; a token remembers for each open fork which of its branches it stands
for, as a set of bits. Where two tokens stand for different branches of the same fork, what is younger than that fork
was written since they parted. This gives the three-way merge without keeping the tree of past tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from engine.interpreter.values import Value
from engine.interpreter.variables import Cell, Cells

#: Branches of a fork that a token stands for, and all branches of that fork, as bits.
Share = tuple[int, int]
#: Shares by the fork's stamp.
Forks = Mapping[int, Share]

#: Nothing is older: tokens without a common fork count everything that differs as written by both.
_NO_FORK = -1


class Conflict(Exception):
    """Two branches gave one variable different values."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Gathering:
    """What branches that meet bring along.

    Attributes
    ----------
    cells
        The merged variables.
    forks
        The forks that the merged token still stands in; a fork all of whose branches have met is over.
    """

    def __init__(self) -> None:
        self.cells: Cells = {}
        self.forks: dict[int, Share] = {}
        self.contributors: dict[str, Forks] = {}

    def add(self, cells: Mapping[str, Cell], forks: Forks) -> None:
        """Merge one more branch. Raises Conflict."""
        bases: dict[int, int] = {}
        for name, cell in cells.items():
            held = self.cells.get(name)
            if held is None or held.stamp == cell.stamp:
                if held is None:
                    self._take(cell, forks)
                continue
            contributor = self.contributors[name]
            base = bases.get(id(contributor))
            if base is None:
                base = bases[id(contributor)] = youngest_parting(contributor, forks)
            if held.stamp <= base:
                self._take(cell, forks)
            elif cell.stamp > base:
                self._settle(held, cell, forks)
        self._unite(forks)

    def _take(self, cell: Cell, forks: Forks) -> None:
        self.cells[cell.name] = cell
        self.contributors[cell.name] = forks

    def _settle(self, held: Cell, cell: Cell, forks: Forks) -> None:
        """Both branches wrote: equal values are no conflict; the one that claims less trust is kept."""
        if not is_same(held.value, cell.value):
            raise Conflict(cell.name)
        if _distrust(cell) > _distrust(held) or (_distrust(cell) == _distrust(held) and cell.stamp > held.stamp):
            self._take(cell, forks)

    def _unite(self, forks: Forks) -> None:
        for fork, (branches, whole) in forks.items():
            united = self.forks.get(fork, (0, whole))[0] | branches
            self.forks[fork] = (united, whole)

    def close_forks(self) -> dict[int, Share]:
        """Drop the forks whose branches have all met and return the rest."""
        self.forks = {fork: share for fork, share in self.forks.items() if share[0] != share[1]}
        return self.forks


def _distrust(cell: Cell) -> int:
    return 1 if cell.origin == "model" else 0


def youngest_parting(one: Forks, other: Forks) -> int:
    """Return the stamp of the youngest fork at which two tokens went different ways."""
    found = _NO_FORK
    for fork, (branches, _) in one.items():
        share = other.get(fork)
        if share is not None and share[0] != branches and fork > found:
            found = fork
    return found


def is_same(one: Value, other: Value) -> bool:
    """Whether two values are equal for FEEL: numbers by their amount, and a boolean is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(is_same(entry, other[key]) for key, entry in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, (int, Decimal)) and isinstance(other, (int, Decimal)):
        return one == other
    return type(one) is type(other) and one == other


def forget_closed_forks(holders: Iterable[dict[int, Share]]) -> None:
    """Drop every fork that all its remaining holders stand in with the same branches: nothing can part there again."""
    shares: dict[int, int] = {}
    parted: set[int] = set()
    known = list(holders)
    for forks in known:
        for fork, (branches, _) in forks.items():
            if shares.setdefault(fork, branches) != branches:
                parted.add(fork)
    for forks in known:
        for fork in [fork for fork in forks if fork not in parted]:
            del forks[fork]


def latest(branches: Iterable[Mapping[str, Cell]]) -> Cells:
    """Merge for showing only: of each variable the version written last."""
    merged: Cells = {}
    for cells in branches:
        for name, cell in cells.items():
            held = merged.get(name)
            if held is None or held.stamp < cell.stamp:
                merged[name] = cell
    return merged
