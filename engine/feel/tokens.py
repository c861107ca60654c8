"""Cutting the text of an expression into tokens (DMN 1.5, 10.3.1.2, grammar rules 22 to 38)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.feel.errors import FeelSyntaxError

_NAME_START = r"(?:[^\W\d]|[\U00010000-\U000EFFFF])"
_NAME_PART = r"(?:\w|[\u00B7\u0300-\u036F\u203F-\u2040]|[\U00010000-\U000EFFFF])"

_TOKEN = re.compile(
    rf"""(?P<space>[\s\uFEFF]+|//[^\n\r]*|/\*.*?\*/)
    |(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?!{_NAME_PART}))
    |(?P<digits>\d+)
    |(?P<name>{_NAME_START}{_NAME_PART}*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<symbol>\*\*|\.\.|<=|>=|!=|->|.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{6})|(.))", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\"}
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: ``kind`` is name, number, string, symbol or end; ``text`` as written, a string unescaped."""

    kind: str
    text: str
    position: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text, an end token last. Raises FeelSyntaxError for an unfinished string or comment."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or (match.lastgroup == "symbol" and match.group() == '"'):
            raise FeelSyntaxError(text, position, "a string that begins here does not end")
        if text.startswith("/*", position) and match.lastgroup == "symbol":
            raise FeelSyntaxError(text, position, "a comment that begins here does not end")
        kind = match.lastgroup or "symbol"
        if kind != "space":
            word = match.group()
            if kind == "string":
                word = _unescaped(text, position, word[1:-1])
            tokens.append(Token("number" if kind == "digits" else kind, word, position, match.end()))
        position = match.end()
    tokens.append(Token("end", "", len(text), len(text)))
    return tokens


def _unescaped(text: str, position: int, body: str) -> str:
    """Resolve the escapes of rule 38; an unknown one stays as written, a pair of surrogates becomes its character."""

    def resolve(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code is None:
            return _SIMPLE_ESCAPES.get(match[3], match.group())
        if int(code, 16) > 0x10FFFF:
            raise FeelSyntaxError(text, position + 1 + match.start(), f"there is no character {match.group()}")
        return chr(int(code, 16))

    plain = _ESCAPE.sub(resolve, body)
    plain = _SURROGATES.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), plain)
    if any("\ud800" <= character <= "\udfff" for character in plain):
        raise FeelSyntaxError(text, position, "the string holds half of a character")
    return plain
