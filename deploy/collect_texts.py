"""Collects every text of the pages into the catalogues of the other languages: ``make texts``.

Beside what templates and Python mark with ``gettext``, the sentences of refusals are texts: the docstrings of their
classes. Translations that are there stay; what is no longer used goes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from engine.identity import passwords, permissions, tokens, web_sessions
from engine.identity import people as identified
from engine.runtime import StoreBusy, StoreFull, StoreUnavailable, TextRefused, errors
from web.texts.refusals import template_of

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
CATALOGUES = WEB / "translations"
_METHODS = [("**/templates/**.html", "jinja2"), ("**.py", "python")]
_OPTIONS = {"**/templates/**.html": {"encoding": "utf-8"}}
_KEYWORDS = {"gettext": None, "ngettext": (1, 2), "lazy_gettext": None, "_": None}
_REFUSALS = (errors, passwords, permissions, tokens, web_sessions, identified)
_OF_THE_STORE = (StoreBusy, StoreFull, StoreUnavailable, TextRefused)
_RUNTIME = ROOT / "engine" / "runtime"


def refusal_sentences() -> Iterator[str]:
    """Give the sentence of every refusal that a page can show."""
    for module in _REFUSALS:
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == module.__name__:
                yield template_of(kind)
    for kind in _OF_THE_STORE:
        yield template_of(kind)


def reasons() -> Iterator[str]:
    """Give the reasons that refusals name as whole phrases: ``reason="..."``, and what ``why_not`` returns."""
    for file in sorted(_RUNTIME.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.keyword) and node.arg in ("reason", "why_not"):
                yield from _text(node.value)
            elif isinstance(node, ast.FunctionDef) and node.name.lstrip("_") == "why_not":
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Return) and inner.value is not None:
                        yield from _text(inner.value)


def _text(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
        yield value.value


def collect() -> Catalog:
    """Return every text, without translations."""
    catalogue = Catalog(fuzzy=False)
    found = extract_from_dir(str(WEB), _METHODS, _OPTIONS, keywords=_KEYWORDS)
    for _, _, message, _, context in sorted(found, key=lambda each: (each[0], each[1])):
        catalogue.add(message, context=context)
    for sentence in (*refusal_sentences(), *reasons()):
        catalogue.add(sentence)
    return catalogue


def main() -> int:
    """Bring the catalogues up to date; 0 when nothing lacks a translation."""
    texts = collect()
    lacking = 0
    for file in sorted(CATALOGUES.glob("*/LC_MESSAGES/messages.po")):
        with file.open("rb") as source:
            known = read_po(source, locale=file.parent.parent.name)
        known.update(texts, no_fuzzy_matching=True)
        known.obsolete.clear()
        missing = [each for each in known if each.id and not any(each.string or ())]
        lacking += len(missing)
        with file.open("wb") as target:
            write_po(target, known, width=118, sort_output=True, omit_header=True, no_location=True)
        sys.stdout.write(f"{file.relative_to(ROOT)}: {len(known)} texts, {len(missing)} without translation\n")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
