"""Regular expressions of forms, matched in time linear in the text whatever an analyst writes (RE2)."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs]

#: Most characters of a pattern.
LONGEST_PATTERN = 200


class _Pattern(Protocol):
    def search(self, text: str, /) -> object | None: ...


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> _Pattern:
    options = re2.Options()
    options.log_errors = False
    return cast("_Pattern", re2.compile(pattern, options))  # pyright: ignore[reportUnknownMemberType]


def is_found(pattern: str, text: str) -> bool:
    """Whether a usable pattern is found somewhere in a text: a search, not a full match, as in form-js."""
    return _compiled(pattern).search(text) is not None


def unusable_pattern(pattern: str) -> str | None:
    """Return why a pattern is not used, or None.

    RE2 has no back references and no look-around: what it cannot compile could take for ever on a hostile text.
    """
    if len(pattern) > LONGEST_PATTERN:
        return f"it is longer than {LONGEST_PATTERN} characters"
    try:
        _compiled(pattern)
    except re2.error as wrong:  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        cause = cast("Exception", wrong).args
        told = cause[0] if cause else ""
        return f"it cannot be used ({told.decode(errors='replace') if isinstance(told, bytes) else told})"
    return None
