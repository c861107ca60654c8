"""What a person submitted with a form, checked by the form's own rules on our side."""

from __future__ import annotations

from collections.abc import Mapping

from engine.interpreter.values import Value
from engine.model.definition import Definition
from engine.model.forms import Problem, validate_values
from engine.model.graph import FormBinding
from engine.runtime.errors import InvalidValues


def submitted(definition: Definition, binding: FormBinding | None, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return a submission as typed values.

    Raises
    ------
    InvalidValues
        When a value does not fit the form, or there is no form that declares it.
    """
    form = definition.forms.get(binding.key) if binding is not None else None
    if form is None:
        if values:
            raise InvalidValues((), reason=f"no form declares {', '.join(sorted(values))}.")
        return {}
    checked, problems = validate_values(form, values)
    if problems:
        raise InvalidValues(problems, reason="; ".join(_sentence(each) for each in problems) + ".")
    return dict(checked)


def _sentence(problem: Problem) -> str:
    name = problem.label or problem.key
    limit = f" ({problem.limit})" if problem.limit else ""
    return f"{name}: {problem.kind.value.replace('_', ' ')}{limit}"
