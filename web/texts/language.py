"""Which language a page is in, and the texts of that language.

A signed-in person's own language comes first, then what was chosen on this device, then what the browser asks for.
The catalogues are compiled in memory from the ``.po`` files that ship, so that a fresh clone needs no build step.
"""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import flask_babel
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from flask import Flask, g, request
from flask_babel import Babel, Domain, get_locale

#: The languages that pages are written in; the first is the one of the sources.
LANGUAGES = ("en", "zh")
LANGUAGE_COOKIE = "language"
_FOLDER = Path(__file__).resolve().parent.parent / "translations"


def gettext(text: str, **values: object) -> str:
    """Return a text in the language of the page, its ``%(name)s`` filled in."""
    return str(flask_babel.gettext(text, **values))  # pyright: ignore[reportUnknownMemberType]


def ngettext(one: str, many: str, num: int, **values: object) -> str:
    """Return the text for one or for many things, ``%(num)s`` filled in."""
    return str(flask_babel.ngettext(one, many, num, **values))  # pyright: ignore[reportUnknownMemberType]


def chosen_language() -> str:
    """Return the language of this request: the reader's, else the device's, else the browser's."""
    reader = g.get("reader")
    wanted = reader.language if reader is not None else request.cookies.get(LANGUAGE_COOKIE, "")
    if wanted in LANGUAGES:
        return str(wanted)
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]


def current_language() -> str:
    """Return the language of the page that is being made."""
    locale = get_locale()
    return locale.language if locale is not None else LANGUAGES[0]


@cache
def catalogue(language: str) -> NullTranslations:
    """Return the texts of a language; those of the sources themselves when it has no catalogue."""
    file = _FOLDER / language / "LC_MESSAGES" / "messages.po"
    if not file.is_file():
        return NullTranslations()
    with file.open("rb") as source:
        messages = read_po(source, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, messages)
    compiled.seek(0)
    return Translations(compiled)


class _Domain(Domain):
    """Flask-Babel's domain, with catalogues that are compiled here."""

    def get_translations(self) -> NullTranslations:
        return catalogue(current_language())


class _Texts(Babel):
    @property
    def domain_instance(self) -> Domain:
        return _Domain()


def set_up_languages(application: Flask) -> None:
    """Let every page of an application be in its reader's language."""
    application.config["BABEL_DEFAULT_TIMEZONE"] = "UTC"
    _Texts(application, locale_selector=chosen_language)
