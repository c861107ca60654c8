"""The parts of a parsed expression; ``position`` is where each begins in the text."""

from __future__ import annotations

from dataclasses import dataclass

from engine.feel.types import Type
from engine.feel.values import Value


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression."""

    position: int


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A value; ``fault`` says why a literal like ``@"2026-02-30"`` is null."""

    value: Value
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A variable or a function, by its whole name."""

    name: str


@dataclass(frozen=True, slots=True)
class Path(Node):
    """``base.name``."""

    base: Node
    name: str


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """``base[condition]``."""

    base: Node
    condition: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``function(arguments)``; either list is empty."""

    function: Node
    positional: tuple[Node, ...]
    named: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Negation(Node):
    """``-operand``."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """``left sign right`` with ``+ - * / **``."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """``left sign right`` with ``= != < <= > >=``."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """A conjunction (``and``) or disjunction (``or``) of two or more operands."""

    sign: str
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Between(Node):
    """``value between low and high``."""

    value: Node
    low: Node
    high: Node


@dataclass(frozen=True, slots=True)
class OperatorTest(Node):
    """A unary test like ``< 5``."""

    sign: str
    endpoint: Node


@dataclass(frozen=True, slots=True)
class Membership(Node):
    """``value in tests``: one of the tests, an operator test or an expression, is satisfied."""

    value: Node
    tests: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Tests(Node):
    """The unary tests of a decision table's cell; none at all is ``-``."""

    tests: tuple[Node, ...]
    is_negated: bool


@dataclass(frozen=True, slots=True)
class InstanceOf(Node):
    """``value instance of type``."""

    value: Node
    type: Type


@dataclass(frozen=True, slots=True)
class If(Node):
    """``if condition then consequence else alternative``."""

    condition: Node
    consequence: Node
    alternative: Node


@dataclass(frozen=True, slots=True)
class Iterator(Node):
    """``name in source`` or ``name in source..end``."""

    name: str
    source: Node
    end: Node | None


@dataclass(frozen=True, slots=True)
class For(Node):
    """``for iterators return body``; ``reads_partial``: the body may read the results so far."""

    iterators: tuple[Iterator, ...]
    body: Node
    reads_partial: bool


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    """``some`` or ``every`` over all combinations of the iterators."""

    is_every: bool
    iterators: tuple[Iterator, ...]
    condition: Node


@dataclass(frozen=True, slots=True)
class FunctionLiteral(Node):
    """``function(parameters) body``."""

    parameters: tuple[tuple[str, Type], ...]
    body: Node


@dataclass(frozen=True, slots=True)
class ListLiteral(Node):
    """``[items]``."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ContextLiteral(Node):
    """``{key: value}``; later entries may read earlier ones."""

    entries: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class RangeLiteral(Node):
    """``[start..end]`` with each end open or closed; ``is_comparison``: written as ``(> start)`` or ``(= both)``."""

    start: Node | None
    end: Node | None
    start_included: bool
    end_included: bool
    is_comparison: bool = False
