"""Text with ``{{ FEEL }}`` in it, as form-js writes it; its loops and conditions do not run here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from engine.feel import Expression, FeelLimitExceeded, FeelSyntaxError, Value, compile_expression

_OPENING, _CLOSING = "{{", "}}"
#: What begins a block, a comment or a partial in form-js.
_MARKS = "#/!>^&"
_CACHE_SIZE = 2_048


class BadTemplate(Exception):
    """The text holds a placeholder that cannot be filled in."""


@dataclass(frozen=True, kw_only=True)
class Template:
    """A text and what it is made of: plain parts, and expressions whose values stand between them."""

    text: str
    parts: tuple[str | Expression, ...]

    def evaluate(self, scope: Mapping[str, Value], now: datetime | None = None) -> tuple[str | Value, ...]:
        """Return the parts in order, each expression as its value; one that reaches a limit of FEEL gives null."""
        return tuple(part if isinstance(part, str) else evaluated(part, scope, now) for part in self.parts)


def evaluated(expression: Expression, scope: Mapping[str, Value], now: datetime | None = None) -> Value:
    """Return the value of an expression; None for one that would take too long."""
    try:
        return expression.evaluate(scope, now=now)
    except FeelLimitExceeded:
        return None


@lru_cache(maxsize=_CACHE_SIZE)
def template_of(text: str) -> Template:
    """Return a text as a template.

    Raises
    ------
    BadTemplate
        With a sentence on the first placeholder that is none.
    """
    parts: list[str | Expression] = []
    rest = text
    while rest:
        plain, opening, after = rest.partition(_OPENING)
        if plain:
            parts.append(plain)
        if not opening:
            break
        inner, closing, rest = after.partition(_CLOSING)
        if not closing:
            raise BadTemplate(f"the placeholder {_shortened(after)!r} is not closed")
        parts.append(_expression(inner.strip()))
    return Template(text=text, parts=tuple(parts))


def _expression(text: str) -> Expression:
    if text[:1] in _MARKS:
        raise BadTemplate(f"{_shortened(text)!r} is a loop, a condition or a comment" if text else "it is empty")
    try:
        return compile_expression(text)
    except FeelSyntaxError as wrong:
        raise BadTemplate(f"{_shortened(text)!r} is no FEEL expression ({wrong})") from None


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}..."
