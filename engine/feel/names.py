"""Names with spaces and symbols, found as the longest name that the scope knows (DMN 1.5, 10.3.1.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.feel.errors import FeelSyntaxError
from engine.feel.tokens import Token, tokenize

#: Words that end a name which the scope does not know.
RESERVED = frozenset(
    {
        "and",
        "between",
        "else",
        "every",
        "false",
        "for",
        "function",
        "if",
        "in",
        "instance",
        "null",
        "or",
        "return",
        "satisfies",
        "some",
        "then",
        "true",
    }
)

#: Words that can stand inside a name the scope does not know, but never begin an operator there.
_OPENERS = frozenset({"every", "false", "for", "function", "if", "null", "some", "true"})


@dataclass(slots=True)
class _Branch:
    name: str | None = None
    following: dict[str, _Branch] = field(default_factory=dict[str, "_Branch"])


class KnownNames:
    """The names that may be read at a place, by their tokens."""

    def __init__(self, names: Iterable[str]) -> None:
        self._root = _Branch()
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Make a name known; one that cannot be tokenised is left out, it can never be written either."""
        try:
            tokens = tokenize(name)[:-1]
        except FeelSyntaxError:
            return
        if tokens:
            branch = self._root
            for token in tokens:
                branch = branch.following.setdefault(token.text, _Branch())
            branch.name = name

    def longest(self, tokens: Sequence[Token], index: int) -> tuple[str, int] | None:
        """Return the longest known name from a token on, and the index behind it."""
        found: tuple[str, int] | None = None
        branch: _Branch | None = self._root
        while tokens[index].kind in ("name", "number", "symbol"):
            branch = branch.following.get(tokens[index].text)
            if branch is None:
                break
            index += 1
            if branch.name is not None:
                found = branch.name, index
        return found


def words(tokens: Sequence[Token], index: int) -> tuple[str, int]:
    """Return the words that follow each other from a token on, joined to one name, and the index behind them."""
    parts = [tokens[index].text]
    index += 1
    while tokens[index].kind == "name" and (tokens[index].text not in RESERVED or tokens[index].text in _OPENERS):
        parts.append(tokens[index].text)
        index += 1
    return " ".join(parts), index


def normalised(text: str) -> str:
    """Return a name with its runs of white space made one space each."""
    return " ".join(text.split())
