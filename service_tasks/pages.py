"""Answers that come in pages: read them to the end, bounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from engine.contract import BadParameters

#: More pages than any material has; a cursor that never ends is a defect of the other system.
PAGE_LIMIT = 200

Entry_co = TypeVar("Entry_co", covariant=True)
Answer = TypeVar("Answer")


class Page(Protocol[Entry_co]):
    """One page: its entries, and the cursor of the page after it or None."""

    @property
    def items(self) -> tuple[Entry_co, ...]: ...

    @property
    def next(self) -> str | None: ...


def read_all(
    read: Callable[[dict[str, str]], Answer], page: Callable[[Answer], Page[Entry_co]]
) -> tuple[Answer, list[Entry_co]]:
    """Return the first answer and the entries of all pages.

    ``read`` is called with the parameters that name the page; ``page`` picks it out of an answer.

    Raises
    ------
    BadParameters
        When there are more than ``PAGE_LIMIT`` pages.
    """
    first = answer = read({})
    entries = list(page(first).items)
    for _ in range(PAGE_LIMIT):
        cursor = page(answer).next
        if cursor is None:
            return first, entries
        answer = read({"cursor": cursor})
        entries += page(answer).items
    raise BadParameters(f"The answer has more than {PAGE_LIMIT} pages. Ask for less, or correct the other system.")
