"""Checks the texts of forms in ``i18n/``: each belongs to a component, can be filled in, and none is missing."""

from __future__ import annotations

from collections.abc import Mapping

from engine.model import rules
from engine.model.findings import Findings, Place
from engine.model.form_texts import FORMS, OWN_LANGUAGE, WORDS, texts_of
from engine.model.forms import Form
from engine.model.text_template import BadTemplate, template_of

#: Kinds of text that hold plain words only, by the third part of their key.
_PLAIN = ("column", "option", "empty")


def is_form_text(key: str) -> bool:
    """Whether a key of a language's texts belongs to the forms, not to the drawing."""
    return key.startswith((FORMS, WORDS))


def check_form_texts(
    forms: Mapping[str, Form], texts: Mapping[str, Mapping[str, str]], paths: Mapping[str, str], findings: Findings
) -> None:
    """Note texts without a component, bad placeholders, and texts that a declared language lacks.

    ``paths`` is the file of each language.
    """
    own = {key: text for form in forms.values() for key, text in texts_of(form).items()}
    for language, translated in texts.items():
        place = Place(file=paths[language])
        for key, text in translated.items():
            if key.startswith(FORMS) and key not in own:
                findings.add(rules.UNKNOWN_FORM_TEXT, place, key=key)
            elif is_form_text(key):
                _check_placeholders(key, text, place, findings)
        if language == OWN_LANGUAGE:
            continue
        for form in forms.values():
            missing = [key for key in texts_of(form) if key not in translated]
            if missing:
                findings.add(rules.MISSING_FORM_TEXT, place, form=form.key, language=language, keys=", ".join(missing))


def _check_placeholders(key: str, text: str, place: Place, findings: Findings) -> None:
    parts = key.split("/")
    is_plain = key.startswith(WORDS) or len(parts) < 3 or (len(parts) > 3 and parts[3] in _PLAIN)
    try:
        if is_plain and "{{" in text:
            raise BadTemplate("it is a plain text, and holds a placeholder")
        template_of(text)
    except BadTemplate as wrong:
        findings.add(rules.BAD_FORM_TEXT, place, key=key, problem=wrong)
