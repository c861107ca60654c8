"""Reads values from the command line: JSON files with exact numbers, and ``NAME=VALUE``."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click

from vermilion.commands.output import Mistake


class HexId(click.ParamType[str]):
    """The id of an instance, a task or an incident: 32 lowercase hex digits."""

    name = "id"
    _form = re.compile(r"[0-9a-f]{32}")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id, whatever the case it was written in; fails as click does."""
        text = str(value).strip().lower()
        if self._form.fullmatch(text) is None:
            self.fail(f"{value!r} is no id: an id has 32 hex digits. `instances` and `tasks` list them.", param, ctx)
        return text


HEX_ID = HexId()


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text[:40]} is too large a number") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _read_json(text: str) -> Any:
    """Return what JSON says, exact in its numbers. Raises ValueError."""
    try:
        return json.loads(text, parse_float=_number, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_text(file: Path) -> str:
    """Return the text in a file.

    Raises
    ------
    Mistake
        When it cannot be read.
    """
    try:
        return file.read_text()
    except OSError as error:
        raise Mistake(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Mistake(f"{file} cannot be read: it is no text in UTF-8.") from error


def read_values(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file; numbers with a point are ``Decimal``.

    Raises
    ------
    Mistake
        When the file cannot be read or holds no JSON object.
    """
    text = read_text(file)
    try:
        content = _read_json(text)
    except ValueError as error:
        raise Mistake(f"{file} cannot be read as JSON: {error}.") from error
    if not isinstance(content, dict):
        raise Mistake(f'{file} must hold one JSON object, like {{"material_id": "MAT-001"}}.')
    return content  # pyright: ignore[reportUnknownVariableType] - keys of a JSON object are texts


def parse_settings(pairs: tuple[str, ...]) -> dict[str, Any]:
    """Return what ``NAME=VALUE`` pairs say; a value that is JSON (a number, true, a list) is read as such.

    Raises
    ------
    Mistake
        When a pair has no ``=``.
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not separator or not name:
            raise Mistake(f"`{pair}` is not NAME=VALUE.")
        try:
            values[name] = _read_json(text)
        except ValueError:
            values[name] = text
    return values
