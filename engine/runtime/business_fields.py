"""The searchable business fields of an instance (``process.yaml``: searchable)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.interpreter.values import Value
from engine.model.settings import ProcessSettings
from engine.runtime.cause import Parameters
from engine.runtime.encoding import is_scalar, plain
from engine.runtime.expressions import ExpressionFailed, evaluate
from engine.store.instances import InstanceRow
from engine.store.tables import KEY


def business_fields(
    instance: InstanceRow, settings: ProcessSettings, variables: Mapping[str, Value]
) -> tuple[Parameters, ...] | None:
    """Return the rows of the declared fields that have a value now; None when the process declares no field.

    A field is for finding an instance, nothing else: one that has no value yet, or none that fits, is left out.
    """
    if not settings.searchable:
        return None
    rows: list[Parameters] = []
    for name, expression in settings.searchable.items():
        text = _text(expression, variables, instance)
        if text:
            rows.append(
                {
                    "tenant_id": instance.tenant_id,
                    "workflow_type": instance.workflow_type,
                    "name": name,
                    "value": text[:KEY],
                    "workflow_id": instance.workflow_id,
                }
            )
    return tuple(rows)


def _text(expression: str, variables: Mapping[str, Value], instance: InstanceRow) -> str:
    try:
        value = evaluate(expression, variables, instance.updated_at)
    except ExpressionFailed:
        return ""
    return str(plain(value)) if value is not None and is_scalar(value) else ""
