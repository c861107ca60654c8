"""Where branches meet: writes to different names merge, two different values for one name are a conflict.

Every split is a *fork* with a stamp of its own; a token remembers for each open fork which of its branches it stands
for, as a set of bits, and every version of a variable remembers this of the token that wrote it. Two versions are in
conflict when their writers had parted: when they stood for different branches of one fork. Otherwise the younger was
written by somebody who knew, or could have known, the older. This gives the three-way merge without keeping the tree
of past tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from engine.contract.origin import Origin
from engine.interpreter.values import Value
from engine.interpreter.variables import Cell, Cells, Forks, Share


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
        The forks that the merged token stands in.
    """

    def __init__(self) -> None:
        self.cells: Cells = {}
        self.forks: dict[int, Share] = {}

    def add(self, cells: Mapping[str, Cell], forks: Forks) -> None:
        """Merge one more branch. Raises Conflict."""
        for name, cell in cells.items():
            held = self.cells.get(name)
            if held is None or (held.stamp != cell.stamp and _prevails(cell, held)):
                self.cells[name] = cell
        for fork, (branches, whole) in forks.items():
            united = self.forks.get(fork, (0, whole))[0] | branches
            self.forks[fork] = (united, whole)

    def open_forks(self) -> dict[int, Share]:
        """Return the forks that the merged token still stands in: one whose branches have all met is over."""
        return {fork: share for fork, share in self.forks.items() if share[0] != share[1]}


def _prevails(cell: Cell, held: Cell) -> bool:
    """Return whether a version takes the place of another of the same variable. Raises Conflict.

    Equal values written on both sides are no conflict; the version that claims less trust is kept.
    """
    if not have_parted(cell.forks, held.forks):
        return cell.stamp > held.stamp
    if not is_same(cell.value, held.value):
        raise Conflict(cell.name)
    is_suggestion, was_suggestion = cell.origin is Origin.MODEL, held.origin is Origin.MODEL
    return cell.stamp > held.stamp if is_suggestion == was_suggestion else is_suggestion


def have_parted(one: Forks, other: Forks) -> bool:
    """Return whether two writers stood for different branches of one fork."""
    if not one or not other:
        return False
    return any(fork in other and not share[0] & other[fork][0] for fork, share in one.items())


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


def forget_closed_forks(tokens: Iterable[dict[int, Share]], versions: Iterable[dict[int, Share]]) -> None:
    """Drop every fork at which nothing can part any more.

    That is one in which no token stands, and one in which all tokens and versions stand for the same branches.
    """
    standing, written = list(tokens), list(versions)
    shares: dict[int, int] = {}
    parted: set[int] = set()
    held = {fork for forks in standing for fork in forks}
    for forks in (*standing, *written):
        for fork, (branches, _) in forks.items():
            if shares.setdefault(fork, branches) != branches:
                parted.add(fork)
    kept = parted & held
    for forks in (*standing, *written):
        for fork in [fork for fork in forks if fork not in kept]:
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
