"""Making a function of a tree: each node becomes a closure over the closures of its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import singledispatch
from typing import TypeAlias

from engine.feel.run import Run
from engine.feel.tree import Node
from engine.feel.values import Value

Evaluate: TypeAlias = Callable[[Run], Value]


@dataclass(slots=True)
class Analysis:
    """What is learnt of one expression while its closures are made.

    Attributes
    ----------
    known
        The names that the scope was said to have.
    paths
        Dotted paths of the variables that are read from the scope.
    possible_paths
        Names inside a filter that are not known: a property of the item where it has one, else a variable.
    slot_count
        Number of bound variables.
    tested_reads
        How often ``?``, the value that a decision table's cell tests, is read.
    """

    known: frozenset[str]
    paths: set[str] = field(default_factory=set[str])
    possible_paths: set[str] = field(default_factory=set[str])
    slot_count: int = 0
    tested_reads: int = 0

    def slot(self) -> int:
        """Return the number of a new bound variable."""
        self.slot_count += 1
        return self.slot_count - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Bound:
    """Names that a place binds, and the slot that holds them.

    ``names`` are entries of the context in the slot where ``is_context``; the slot's own value otherwise. A filter's
    item ``is_open``: whatever name it has as a property is bound too, which only the evaluation can tell.
    """

    slot: int
    names: frozenset[str]
    is_context: bool = False
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands: the bindings around it, innermost last."""

    analysis: Analysis
    bindings: tuple[Bound, ...] = ()

    def within(self, *bindings: Bound) -> Place:
        """Return the place inside further bindings."""
        return Place(self.analysis, (*self.bindings, *bindings))

    def is_bound(self, name: str) -> bool:
        """Return whether a name is certainly bound by an enclosing part, not read from the scope."""
        return any(name in bound.names for bound in self.bindings)

    def is_open(self) -> bool:
        """Return whether names may be properties of a filter's item."""
        return any(bound.is_open for bound in self.bindings)


@singledispatch
def build(node: Node, place: Place) -> Evaluate:
    """Return the closure that evaluates a node. Raises TypeError for a node that no module registered."""
    raise TypeError(type(node).__name__)
