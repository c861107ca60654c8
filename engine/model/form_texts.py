"""The texts of a form in another language: under which keys ``i18n/<language>.yaml`` holds them, and their use.

::

    forms/<form>                            its title
    forms/<form>/<component>                a label, or the text of a text component
    forms/<form>/<component>/description    a hint
    forms/<form>/<component>/empty          what a table without rows says
    forms/<form>/<component>/column/<key>   the head of a column
    forms/<form>/<component>/option/<value> the label of a choice
    forms/<form>/<component>/submit/<value> what the button says for it
    forms/<form>/<component>/effect/<value> what it causes
    words/<code>                            what a code means, in every form
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.model.forms import Column, Component, ComponentKind, Form, Option

#: What the keys of forms and words begin with; every other key is an element of the drawing.
FORMS, WORDS = "forms/", "words/"
#: The language in which the form files themselves are written.
OWN_LANGUAGE = "en"


def texts_of(form: Form) -> Mapping[str, str]:
    """Return the texts of a form by their key, as its file has them; empty ones are left out."""
    found = {FORMS + form.key: form.title}
    for component in form.components:
        found |= dict(_texts(f"{FORMS}{form.key}/{component.component_id}", component))
    return {key: text for key, text in found.items() if text}


def _texts(key: str, component: Component) -> Iterator[tuple[str, str]]:
    yield key, component.text if component.kind is ComponentKind.TEXT else component.label
    yield f"{key}/description", component.description
    yield f"{key}/empty", component.empty
    for column in component.columns:
        yield f"{key}/column/{column.key}", column.label
    for option in component.options:
        yield f"{key}/option/{option.value}", option.label
        yield f"{key}/submit/{option.value}", option.submit
        yield f"{key}/effect/{option.value}", option.effect


def in_language(form: Form, texts: Mapping[str, str]) -> Form:
    """Return a form with the texts of a language where there are some, and its own where not."""
    words = {key.removeprefix(WORDS): text for key, text in texts.items() if key.startswith(WORDS)}
    return replace(
        form,
        title=texts.get(FORMS + form.key, form.title),
        components=tuple(
            _component(f"{FORMS}{form.key}/{component.component_id}", component, texts) for component in form.components
        ),
        words=words or form.words,
    )


def _component(key: str, component: Component, texts: Mapping[str, str]) -> Component:
    is_text = component.kind is ComponentKind.TEXT
    return replace(
        component,
        text=texts.get(key, component.text) if is_text else component.text,
        label=component.label if is_text else texts.get(key, component.label),
        description=texts.get(f"{key}/description", component.description),
        empty=texts.get(f"{key}/empty", component.empty),
        columns=tuple(
            Column(key=column.key, label=texts.get(f"{key}/column/{column.key}", column.label))
            for column in component.columns
        ),
        options=tuple(_option(key, option, texts) for option in component.options),
    )


def _option(key: str, option: Option, texts: Mapping[str, str]) -> Option:
    return Option(
        value=option.value,
        label=texts.get(f"{key}/option/{option.value}", option.label),
        submit=texts.get(f"{key}/submit/{option.value}", option.submit),
        effect=texts.get(f"{key}/effect/{option.value}", option.effect),
    )
