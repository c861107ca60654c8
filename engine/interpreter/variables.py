"""Process variables with their versions and origins, local to a branch until it joins.

A variable's value is never changed in place: writing makes a new :class:`Cell`. Branches may therefore share cells,
and a cell's stamp, unique in its instance, tells whether two branches hold the same version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from engine.contract.origin import Origin
from engine.interpreter.failures import UnstorableValue
from engine.interpreter.values import Value

#: Branches of a fork that a token stands for, and all branches of that fork, as bits.
Share = tuple[int, int]
#: Shares by the fork's stamp.
Forks = Mapping[int, Share]

#: Values nested deeper than this are refused: reading them would recurse too far.
MAXIMUM_DEPTH = 200
#: Numbers of a larger or smaller magnitude are refused: written out, they would fill the memory (decimal128's range).
LARGEST_EXPONENT = 6144
#: Bits of the largest integer: 4,000 digits, which Python still writes and reads.
_MOST_BITS = 13_288
#: Bytes that one value may take, about: a row holds 16 MB, and a small value that holds one list many times in another
#: can stand for more than any memory.
LARGEST_VALUE = 8_000_000
_BYTES_OF_A_PART = 32


@dataclass(frozen=True, slots=True)
class Cell:
    """One version of one variable.

    Attributes
    ----------
    stamp
        When it was written, in the instance's own count of writes and forks.
    is_exact_json
        The value consists of JSON's own kinds and needs no tags in the stored state.
    forks
        The branches that its writer stood for.
    """

    name: str
    value: Value
    stamp: int
    origin: Origin
    source: str
    is_exact_json: bool
    forks: dict[int, Share] = field(default_factory=dict[int, Share], compare=False)


Cells = dict[str, Cell]


class Variables(Mapping[str, Value]):
    """The values of cells, as expressions and scripts read them; later layers win over earlier ones."""

    __slots__ = ("_layers",)

    def __init__(self, *layers: Mapping[str, Cell]) -> None:
        self._layers = layers[::-1]

    def __getitem__(self, name: str) -> Value:
        for layer in self._layers:
            if name in layer:
                return layer[name].value
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(name in layer for layer in self._layers)

    def __iter__(self) -> Iterator[str]:
        if len(self._layers) == 1:
            return iter(self._layers[0])
        return iter({name: None for layer in self._layers[::-1] for name in layer})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def cells(self) -> Cells:
        """Return the cell of every variable that is seen."""
        merged: Cells = {}
        for layer in reversed(self._layers):
            merged.update(layer)
        return merged

    def origin(self, names: Iterable[str]) -> list[Origin]:
        """Return the origins of those of the named variables that exist."""
        found: list[Origin] = []
        for name in names:
            for layer in self._layers:
                if name in layer:
                    found.append(layer[name].origin)
                    break
        return found


class CopiedVariables(Mapping[str, Value]):
    """Variables handed to code that might change what it is given: each value is a copy of its own."""

    __slots__ = ("_variables",)

    def __init__(self, variables: Variables) -> None:
        self._variables = variables

    def __getitem__(self, name: str) -> Value:
        return _copied(self._variables[name])

    def __contains__(self, name: object) -> bool:
        return name in self._variables

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)


def _copied(value: Value) -> Value:
    if isinstance(value, Mapping):
        return {key: _copied(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_copied(item) for item in value]
    return value


def storable(value: object) -> tuple[Value, bool]:
    """Return a deep copy of a value in the kinds that variables may hold, and whether JSON holds it as it is.

    Tuples become lists and binary floats the decimal number that they are written as.

    Raises
    ------
    UnstorableValue
        For any other kind, a number without a value or outside every reasonable size, a moment without a time zone, a
        text that is no Unicode, or nesting beyond ``MAXIMUM_DEPTH``, or
        more than ``LARGEST_VALUE``.
    """
    return _storable(value, 0, [LARGEST_VALUE])


def _storable(value: object, depth: int, room: list[int]) -> tuple[Value, bool]:
    kind = type(value)
    room[0] -= _BYTES_OF_A_PART
    if room[0] < 0:
        raise UnstorableValue(f"A value takes more than {LARGEST_VALUE:,} bytes.")
    if kind is str:
        return _measured_text(cast(str, value), room)
    if value is None or kind is bool:
        return cast("bool | None", value), True
    if kind is int:
        return _integer(cast(int, value))
    if depth > MAXIMUM_DEPTH:
        raise UnstorableValue(f"A value is nested more than {MAXIMUM_DEPTH} levels deep.")
    if isinstance(value, Mapping):
        return _context(cast(Mapping[object, object], value), depth, room)
    if isinstance(value, (list, tuple)):
        items = [_storable(item, depth + 1, room) for item in cast(Sequence[object], value)]
        return [item for item, _ in items], all(is_exact for _, is_exact in items)
    return _scalar(value), False


def _measured_text(value: str, room: list[int]) -> tuple[str, bool]:
    room[0] -= len(value)
    if room[0] < 0:
        raise UnstorableValue(f"A value takes more than {LARGEST_VALUE:,} bytes.")
    return _text(value)


def _context(value: Mapping[object, object], depth: int, room: list[int]) -> tuple[Value, bool]:
    copied: dict[str, Value] = {}
    is_exact = True
    for key, entry in value.items():
        if not isinstance(key, str):
            raise UnstorableValue(f"A context has the key {key!r}, which is no text.")
        _measured_text(key, room)
        copied[key], is_exact_entry = _storable(entry, depth + 1, room)
        is_exact = is_exact and is_exact_entry
    return copied, is_exact


def _integer(value: int) -> tuple[int, bool]:
    if value.bit_length() > _MOST_BITS:
        raise UnstorableValue("An integer has more than 4,000 digits.")
    return value, -(2**53) <= value <= 2**53


def _text(value: str) -> tuple[str, bool]:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UnstorableValue("A text holds half of a character pair, which is no Unicode text.") from None
    return value, not value.startswith("\x1f")


def _scalar(value: object) -> Value:
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise UnstorableValue(f"{value} is no number that can be kept.")
        if abs(value.adjusted()) > LARGEST_EXPONENT:
            raise UnstorableValue(f"A number is beyond ten to the power of {LARGEST_EXPONENT}.")
        return value
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise UnstorableValue(f"The moment {value.isoformat()} names no time zone.")
        return value
    if isinstance(value, (date, time, timedelta)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return _integer(int(value))[0]
    raise UnstorableValue(f"A process variable cannot hold a {type(value).__name__}.")
