"""An operation's result: as a process value, as a step row shows it, and as a blob where it is large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.contract.operation import Operation
from engine.interpreter.values import Value
from engine.runtime.encoding import as_value, digest, pack, plain
from engine.runtime.summaries import is_whole, outline


@dataclass(frozen=True, kw_only=True)
class Result:
    """``summary`` goes into the step row; ``blob`` is None where the summary holds the whole result."""

    value: Value
    summary: Any
    blob: bytes | None = None


def read_result(operation: Operation | None, content: str) -> Result:
    """Return a result from its JSON, exact numbers as numbers again.

    Raises
    ------
    ValueError
        When the JSON is not what the operation gives (pydantic's ValidationError is one).
    """
    if operation is None:
        return Result(value=None, summary=None)
    model = operation.output_model.model_validate_json(content)
    value = as_value(model.model_dump(mode="python"))
    packed = pack(value)
    if is_whole(packed):
        return Result(value=value, summary=plain(value))
    return Result(value=value, summary={"blob": digest(packed), "outline": outline(value)}, blob=packed)
