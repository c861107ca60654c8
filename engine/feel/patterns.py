"""Regular expressions of XPath 3.1 (DMN 1.5, 10.3.4.3), matched in linear time.

RE2 keeps a hostile pattern or text from hanging an evaluation; what it does not have, back references above all, makes
a pattern a bad one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs]

from engine.feel import limits
from engine.feel.errors import Fault, FeelLimitExceeded
from engine.feel.run import Run

_PATTERN_LENGTH = 2_000
_FLAGS = frozenset("smixq")
_REPLACEMENT = re.compile(r"\\([\\$])|\$(\d+)|([\\$])")
_SPACE_OUTSIDE_CLASSES = re.compile(r"(\[[^\]]*\]|\\.)|\s+")


class _Match(Protocol):
    def start(self) -> int: ...
    def end(self) -> int: ...
    def group(self, index: int, /) -> str | None: ...


class _Pattern(Protocol):
    groups: int

    def search(self, text: str, /) -> _Match | None: ...
    def finditer(self, text: str, /) -> Iterator[_Match]: ...


def _compiled(pattern: str, flags: str) -> _Pattern:
    if len(pattern) > _PATTERN_LENGTH:
        raise Fault("the pattern is too long")
    if not _FLAGS.issuperset(flags):
        raise Fault(f"there are no flags {flags!r}")
    if "q" in flags:
        pattern = cast("str", re2.escape(pattern))  # pyright: ignore[reportUnknownMemberType]
    elif "x" in flags:
        pattern = _SPACE_OUTSIDE_CLASSES.sub(lambda match: match[1] or "", pattern)
    prefix = "".join(flag for flag in "smi" if flag in flags)
    options = re2.Options()
    options.log_errors = False
    try:
        source = f"(?{prefix}){pattern}" if prefix else pattern
        return cast("_Pattern", re2.compile(source, options))  # pyright: ignore[reportUnknownMemberType]
    except re2.error as error:  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        raise Fault(f"the pattern {pattern[:60]!r} cannot be used: {_told(cast('Exception', error))}") from None


def _told(error: Exception) -> str:
    """Return RE2's own words, which come as bytes."""
    cause = error.args[0] if error.args else ""
    return cause.decode(errors="replace") if isinstance(cause, bytes) else str(cause)


def matches(text: str, pattern: str, flags: str) -> bool:
    """Return whether a pattern matches somewhere in a text. Raises Fault for a bad pattern."""
    return _compiled(pattern, flags).search(text) is not None


def replace(text: str, pattern: str, replacement: str, flags: str, run: Run) -> str:
    """Return a text with every match replaced; ``$1`` stands for the first group.

    Raises Fault for a bad pattern, a bad replacement, or a pattern that matches the empty string.
    """
    compiled = _compiled(pattern, flags)
    parts: list[str] = []
    position = length = 0
    for match in compiled.finditer(text):
        if match.end() == match.start():
            raise Fault("the pattern matches the empty string")
        run.step()
        replaced = _expanded(replacement, match, compiled.groups, is_literal="q" in flags)
        parts += (text[position : match.start()], replaced)
        length += len(replaced)
        if length > limits.STRING_LENGTH:
            raise FeelLimitExceeded("string length", limits.STRING_LENGTH)
        position = match.end()
    return "".join((*parts, text[position:]))


def _expanded(replacement: str, match: _Match, group_count: int, *, is_literal: bool) -> str:
    if is_literal:
        return replacement

    def expand(part: re.Match[str]) -> str:
        if part[1]:
            return part[1]
        if part[3]:
            raise Fault(f"the replacement has a {part[3]} that stands for nothing")
        digits, rest = part[2], ""
        while len(digits) > 1 and int(digits) > group_count:
            digits, rest = digits[:-1], digits[-1] + rest
        return (match.group(int(digits)) or "" if int(digits) <= group_count else "") + rest

    return _REPLACEMENT.sub(expand, replacement)


def split(text: str, pattern: str) -> list[str]:
    """Return the parts of a text between the matches of a pattern. Raises Fault for a bad pattern."""
    parts: list[str] = []
    position = 0
    for match in _compiled(pattern, "").finditer(text):
        if match.end() > match.start():
            parts.append(text[position : match.start()])
            position = match.end()
    return [*parts, text[position:]]
