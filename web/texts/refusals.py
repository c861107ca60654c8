"""Refusals as sentences in the reader's language.

A refusal's English sentence is the docstring of its class, a template over its fields; the catalogue holds the same
template in other languages.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from engine.identity import PermissionDenied
from web.texts.language import gettext
from web.texts.roles import role_title

#: Fields that hold a phrase of ours, not a value: they are translated themselves.
_PHRASES = ("reason", "remedy")


def template_of(kind: type[Exception]) -> str:
    """Return the English sentence of a refusal's class, as the catalogues name it."""
    return " ".join((inspect.getdoc(kind) or "").split())


def _shown(fields: Mapping[str, object]) -> dict[str, object]:
    return {
        name: gettext(value) if name in _PHRASES and isinstance(value, str) and value else value
        for name, value in fields.items()
    }


def sentence(error: Exception) -> str:
    """Return what a refusal says, in the language of the page; what has no template says what it says."""
    template = template_of(type(error))
    translated = gettext(template)
    if translated == template:
        return str(error)
    fields: Mapping[str, object] = getattr(error, "fields", None) or vars(error)
    if isinstance(error, PermissionDenied):
        fields = {**fields, "remedy": " / ".join(role_title(role) for role in error.roles)}
    try:
        return translated.format_map(_shown(fields))
    except (KeyError, IndexError, ValueError):
        return str(error)
