"""What somebody typed while their session ended: kept in the page, and put back after they signed in.

The sign-in page carries the fields of the refused request; after sign-in a form sends them to where they were meant
for, marked as restored: the page there shows them again and does nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from flask import request

from web.pages import request_forgery

RESTORED = "_restored"
_PREFIX = "kept."
#: Never carried on: they belong to one page, or are secrets.
_LEFT_OUT = frozenset({request_forgery.FIELD, RESTORED})

Fields = tuple[tuple[str, str], ...]


def is_restored() -> bool:
    """Whether this POST only brings back what was typed: show the form with it, change nothing."""
    return RESTORED in request.form


def _pairs() -> Iterable[tuple[str, str]]:
    return request.form.items(multi=True)


def fields_to_keep() -> Fields:
    """Return the fields of this request, to be carried through the sign-in page; passwords are left out."""
    return tuple((name, value) for name, value in _pairs() if name not in _LEFT_OUT and "password" not in name)


def kept_fields() -> Fields:
    """Return what the sign-in page carried."""
    return tuple((name.removeprefix(_PREFIX), value) for name, value in _pairs() if name.startswith(_PREFIX))


def carried(fields: Fields) -> Fields:
    """Return fields under the names that the sign-in page gives them."""
    return tuple((_PREFIX + name, value) for name, value in fields)
