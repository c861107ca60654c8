"""What the command line prints: tables for people, JSON for programs, sentences for mistakes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import click

from web.answers import to_json

#: The input was refused, or the thing asked for is not there.
REFUSED = 1
#: What was run ended otherwise than it should have.
FAILED = 3


class Mistake(click.ClickException):
    """Something a person can put right; printed as one sentence, without a stack trace."""

    exit_code = REFUSED


def say(text: str = "") -> None:
    """Print a line for people."""
    click.echo(text)


def print_json(value: Any) -> None:
    """Print one JSON document on one line."""
    click.echo(to_json(value))


def progress(text: str) -> None:
    """Tell on the error stream how long work is going, when a person looks on."""
    if sys.stderr.isatty():
        click.echo(text, err=True)


def moment(at: datetime | None) -> str:
    """Return an instant in the machine's own zone, to the second."""
    return "" if at is None else at.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def print_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print columns that are as wide as their widest cell."""
    cells = [[str(cell) if cell is not None else "" for cell in row] for row in rows]
    widths = [max(len(line[column]) for line in (list(titles), *cells)) for column in range(len(titles))]
    for line in (list(titles), *cells):
        say("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def plain(value: object) -> str:
    """Return a value on one line, without Python's own punctuation."""
    if isinstance(value, Mapping):
        pairs = cast(Mapping[object, object], value)
        return ", ".join(f"{name}={plain(each)}" for name, each in pairs.items())
    if isinstance(value, list | tuple):
        return ", ".join(plain(each) for each in cast(Sequence[object], value))
    return "" if value is None else str(value)
