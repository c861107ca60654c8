"""What a person decided with a form, in the words of the form."""

from __future__ import annotations

from collections.abc import Mapping

from engine.interpreter.values import Value
from engine.model.forms import Form
from web.forms.values import shown_value


def decision_texts(form: Form | None, values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """Return what was filled in, as labels and texts; what was left empty is left out."""
    found: list[tuple[str, str]] = []
    for component in form.components if form is not None else ():
        value = values.get(component.key) if component.key else None
        if form is None or value in (None, ""):
            continue
        label = next((each.label for each in component.options if each.value == value), None)
        found.append((component.label, label or shown_value(value, form.words)))
    return tuple(found)
