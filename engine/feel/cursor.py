"""Going through the tokens of an expression, with the names that are known where the cursor stands."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from engine.feel import limits
from engine.feel.errors import FeelSyntaxError
from engine.feel.names import RESERVED, KnownNames, normalised, words
from engine.feel.tokens import Token, tokenize
from engine.feel.types import SIMPLE, Type, simple_type


class Cursor:
    """A place in the tokens of one text."""

    def __init__(self, text: str, names: KnownNames, function_names: KnownNames) -> None:
        if len(text) > limits.TEXT_LENGTH:
            raise FeelSyntaxError(
                text[:100], 0, f"the expression has {len(text):,} characters, more than {limits.TEXT_LENGTH:,}"
            )
        self.text = text
        self.tokens = tokenize(text)
        self.index = 0
        self.depth = 0
        self.names = names
        self.function_names = function_names

    @property
    def token(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.index]

    def at(self, *texts: str) -> bool:
        """Return whether one of these symbols or words comes next."""
        token = self.tokens[self.index]
        return token.text in texts and token.kind in ("symbol", "name")

    def take(self, *texts: str) -> bool:
        """Go past one of these symbols or words if it comes next."""
        if self.at(*texts):
            self.index += 1
            return True
        return False

    def expect(self, *texts: str) -> Token:
        """Go past one of these symbols or words. Raises FeelSyntaxError when something else comes next."""
        token = self.token
        if not self.take(*texts):
            raise self.unexpected(f"expected {' or '.join(texts)}")
        return token

    def unexpected(self, wanted: str) -> FeelSyntaxError:
        """Return the error for the token that comes next."""
        token = self.token
        found = "the expression ends" if token.kind == "end" else f"found {token.text[:40]!r}"
        return FeelSyntaxError(self.text, token.position, f"{wanted}, but {found}")

    @contextmanager
    def deeper(self, levels: int = 1) -> Generator[None]:
        """Go into nested parts. Raises FeelSyntaxError where they are nested too deep."""
        self.depth += levels
        if self.depth > limits.DEPTH:
            raise FeelSyntaxError(self.text, self.token.position, f"more than {limits.DEPTH} parts inside each other")
        try:
            yield
        finally:
            self.depth -= levels

    def name(self) -> str:
        """Go past a name that is read: the longest known one, else the words up to the next operator."""
        known = self.names.longest(self.tokens, self.index)
        function = self.function_names.longest(self.tokens, self.index)
        if function and self.tokens[function[1]].text == "(" and (known is None or function[1] > known[1]):
            known = function
        if known is None or self._goes_on(known[1]):
            if self.token.kind != "name" or self.token.text in RESERVED:
                raise self.unexpected("expected a name")
            known = words(self.tokens, self.index)
        name, self.index = known
        return name

    def _goes_on(self, index: int) -> bool:
        following = self.tokens[index]
        return following.kind == "name" and following.text not in RESERVED and self.tokens[index - 1].kind == "name"

    def member_name(self) -> str:
        """Go past the name behind a dot."""
        known = self.names.longest(self.tokens, self.index)
        if known is None or self._goes_on(known[1]):
            if self.token.kind != "name":
                raise self.unexpected("expected a name after the dot")
            known = words(self.tokens, self.index)
        name, self.index = known
        return name

    def new_name(self, *ends: str) -> str:
        """Go past a name that is being defined, up to one of the ends, and make it known."""
        start = self.index
        while not self.at(*ends) and self.token.kind in ("name", "number", "symbol"):
            self.index += 1
        if start == self.index or self.tokens[start].kind != "name":
            self.index = start
            raise self.unexpected("expected a new name")
        name = normalised(self.text[self.tokens[start].position : self.tokens[self.index - 1].end])
        if self.index - start > 1:
            self.names.add(name)
        return name

    def type(self) -> Type:
        """Go past a type (DMN 1.5, grammar rule 52)."""
        with self.deeper():
            if self.token.kind != "name":
                raise self.unexpected("expected a type")
            name, self.index = self._type_name()
            if not self.at("<"):
                return simple_type(name)
            return self._type_with_parts(name)

    def _type_name(self) -> tuple[str, int]:
        for spelling in SIMPLE:
            parts = spelling.split()
            if [token.text for token in self.tokens[self.index : self.index + len(parts)]] == parts and len(parts) > 1:
                return spelling, self.index + len(parts)
        name, index = words(self.tokens, self.index)
        while self.tokens[index].text == "." and self.tokens[index + 1].kind == "name":
            part, index = words(self.tokens, index + 1)
            name = f"{name}.{part}"
        return name, index

    def _type_with_parts(self, name: str) -> Type:
        self.expect("<")
        if name in ("list", "range"):
            item = self.type()
            self.expect(">")
            return Type(name, item=item)
        if name == "context":
            entries: list[tuple[str, Type]] = []
            while not self.at(">"):
                key = self.new_name(":", ">")
                self.expect(":")
                entries.append((key, self.type()))
                if not self.take(","):
                    break
            self.expect(">")
            return Type(name, entries=tuple(entries))
        if name == "function":
            parameters: list[tuple[str, Type]] = []
            while not self.at(">"):
                parameters.append((str(len(parameters)), self.type()))
                if not self.take(","):
                    break
            self.expect(">")
            self.expect("->")
            return Type(name, item=self.type(), entries=tuple(parameters))
        raise self.unexpected(f"the type {name} has no parts")
