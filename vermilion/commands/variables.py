"""Reads values from the command line: JSON files with exact numbers, and ``NAME=VALUE``."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from vermilion.commands.output import Mistake


def read_values(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file; numbers with a point are ``Decimal``.

    Raises
    ------
    Mistake
        When the file holds no JSON object.
    """
    try:
        content = json.loads(file.read_text(), parse_float=Decimal)
    except (OSError, ValueError) as error:
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
            values[name] = json.loads(text, parse_float=Decimal)
        except ValueError:
            values[name] = text
    return values
