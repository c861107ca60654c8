"""Values as people read them, in the language of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from web.texts.language import LANGUAGES, current_language, gettext
from web.texts.moments import day, exact, lasting
from web.texts.numbers import number

#: What stands where nothing is known.
NOTHING = "–"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_WORD = "word"


def shown_value(value: object, words: Mapping[str, str]) -> str:
    """Return a value as text.

    A context with a text per language shows that of the page; ``{word: code}`` shows what the form says for a code.
    Texts are shown as they are, but for a plain date.
    """
    match value:
        case None:
            return NOTHING
        case bool():
            return gettext("yes") if value else gettext("no")
        case int() | Decimal():
            return number(value)
        case datetime():
            return exact(value)
        case date():
            return day(value)
        case time():
            return value.isoformat("minutes")
        case timedelta():
            return lasting(value)
        case str():
            return _text(value)
        case Mapping():
            return _context(cast("Mapping[str, object]", value), words)
        case _ if isinstance(value, Sequence):
            each = cast("Sequence[object]", value)
            return ", ".join(shown_value(one, words) for one in each) or NOTHING
        case _:
            return str(value)


def _text(value: str) -> str:
    if _DAY.fullmatch(value):
        try:
            return day(date.fromisoformat(value))
        except ValueError:
            return value
    return value


def _context(value: Mapping[str, object], words: Mapping[str, str]) -> str:
    if set(value) == {_WORD}:
        code = value[_WORD]
        return words.get(str(code), shown_value(code, words))
    if value and value.keys() <= set(LANGUAGES):
        return str(value.get(current_language()) or value.get(LANGUAGES[0]) or next(iter(value.values())))
    return ", ".join(f"{name}: {shown_value(each, words)}" for name, each in value.items())
