"""The FEEL expressions of ``process.yaml``, compiled once per text and process."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, cast

from engine.contract.keys import key_text
from engine.feel import FeelError, compile_expression
from engine.interpreter.values import Value

#: Compiled expressions kept per process.
_KEPT = 512

_compiled: Any = lru_cache(maxsize=_KEPT)(compile_expression)


class ExpressionFailed(Exception):
    """An expression of ``process.yaml`` gave no usable value. The message says which, and what it gave."""


def evaluate(text: str, variables: Mapping[str, Value], now: datetime) -> Value:
    """Return what an expression gives over variables.

    Raises
    ------
    ExpressionFailed
        When it cannot be compiled or exceeds a limit.
    """
    try:
        return cast(Value, _compiled(text.strip().removeprefix("=")).evaluate(variables, now=now))
    except FeelError as error:
        raise ExpressionFailed(f"{text!r}: {error}") from error


def evaluate_key(text: str, variables: Mapping[str, Value], now: datetime, *, longest: int) -> str:
    """Return a business or correlation key.

    Raises
    ------
    ExpressionFailed
        When the expression gives nothing, something other than a text or a number, or a key that is too long.
    """
    key = key_text(evaluate(text, variables, now))
    if key is None:
        raise ExpressionFailed(f"{text!r} gives no text or number to use as a key.")
    if len(key) > longest:
        raise ExpressionFailed(f"{text!r} gives a key of {len(key)} characters; 1 to {longest} are possible.")
    return key
