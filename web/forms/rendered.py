"""A form made ready for a page: blocks of facts, suggestion and consequence, then the fields that a person fills in.

Nothing is checked here; ``engine.model.validate_values`` does that when the form comes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from engine.feel import FeelSyntaxError, Value, compile_expression
from engine.model.forms import Block, Column, Component, ComponentKind, DateTimeKind, Form, HiddenWhen, Option
from engine.model.text_template import BadTemplate, evaluated, template_of
from web.forms.values import shown_value
from web.texts.language import gettext

#: Rows of a table that a page shows.
MOST_ROWS = 100
_SHOWN = (ComponentKind.TEXT, ComponentKind.TABLE)


@dataclass(frozen=True, kw_only=True)
class RenderedTable:
    """Rows as text; ``numeric`` says which columns stand to the right."""

    label: str
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str
    more: int = 0


@dataclass(frozen=True, kw_only=True)
class RenderedBlock:
    """What one voice says: ``parts`` are ready HTML or tables. ``source`` are the names of the variables behind it."""

    voice: Block | None
    parts: tuple[Markup | RenderedTable, ...]
    source: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RenderedOption:
    """One choice. ``submit`` is what the button says once it is chosen."""

    value: str
    label: str
    submit: str
    effect: str
    is_chosen: bool


@dataclass(frozen=True, kw_only=True)
class RenderedField:
    """One field. ``condition`` is the sentence, and ``shown_if`` the terms for scripts, on when it counts."""

    field_id: str
    name: str
    kind: str
    label: str
    hint: str
    value: str
    error: str = ""
    is_required: bool = False
    is_fixed: bool = False
    options: tuple[RenderedOption, ...] = ()
    condition: str = ""
    shown_if: tuple[Mapping[str, object], ...] = ()
    input_type: str = "text"
    input_mode: str = ""
    longest: int | None = None

    @property
    def described_by(self) -> str:
        """Return the ids of what describes the field, for ``aria-describedby``."""
        parts = (("hint", self.hint), ("when", self.condition), ("error", self.error))
        return " ".join(f"{self.field_id}-{name}" for name, text in parts if text)


@dataclass(frozen=True, kw_only=True)
class RenderedForm:
    """A form as a page shows it. ``submit`` is what the button says, ``submit_words`` what scripts write."""

    title: str
    blocks: tuple[RenderedBlock, ...]
    fields: tuple[RenderedField, ...]
    submit: str
    submit_words: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def errors(self) -> tuple[tuple[str, str], ...]:
        """Return the ids of fields with what is wrong in them."""
        return tuple((each.field_id, each.error) for each in self.fields if each.error)


def render_form(
    form: Form,
    *,
    scope: Mapping[str, Value],
    values: Mapping[str, object] | None = None,
    errors: Mapping[str, str] | None = None,
    submit: str,
) -> RenderedForm:
    """Return a form with what is known and what was typed.

    Parameters
    ----------
    scope
        The variables that its texts and tables may read.
    values
        What was typed, by key; left out: the form's defaults.
    errors
        What is wrong with it, by key.
    submit
        What the button says.
    """
    fields = tuple(
        _field(form, each, scope, values, (errors or {}).get(each.key, "")) for each in form.components if each.key
    )
    words = {option.value: option.submit for each in fields for option in each.options if option.submit}
    return RenderedForm(
        title=form.title,
        blocks=_blocks(form, scope),
        fields=fields,
        submit=submit,
        submit_words=words,
    )


# --- what is shown -----------------------------------------------------------------------------------------------


def _blocks(form: Form, scope: Mapping[str, Value]) -> tuple[RenderedBlock, ...]:
    blocks: list[RenderedBlock] = []
    for component in form.components:
        if component.kind not in _SHOWN or _is_left_out(component, scope):
            continue
        part = (
            _table(form, component, scope) if component.kind is ComponentKind.TABLE else _text(form, component, scope)
        )
        last = blocks[-1] if blocks else None
        if last is not None and last.voice is component.block and component.block is not None:
            source = tuple(dict.fromkeys((*last.source, *component.source)))
            blocks[-1] = replace(last, parts=(*last.parts, part), source=source)
        else:
            blocks.append(RenderedBlock(voice=component.block, parts=(part,), source=component.source))
    return tuple(blocks)


def _is_left_out(component: Component, scope: Mapping[str, Value]) -> bool:
    return bool(component.hidden_if) and evaluated(compile_expression(component.hidden_if), scope) is True


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(["image", "link", "autolink"])


def _filled(form: Form, text: str, scope: Mapping[str, Value]) -> str:
    return "".join(made for made, _ in _parts(form, text, scope))


def _parts(form: Form, text: str, scope: Mapping[str, Value]) -> Iterator[tuple[str, bool]]:
    """Give the parts of a template as text, each with whether it is a value."""
    try:
        template = template_of(text)
    except BadTemplate:
        yield text, False
        return
    for made, part in zip(template.parts, template.evaluate(scope), strict=True):
        if isinstance(made, str):
            yield made, False
        else:
            yield shown_value(part, form.words), True


#: What Markdown would read as markup inside a value.
_MARKUP = "\\`*_{}[]()#+-.!|<>~&"


def _as_markdown(value: str) -> str:
    flat = " ".join(value.split())
    return "".join(f"\\{each}" if each in _MARKUP else each for each in flat)


def _text(form: Form, component: Component, scope: Mapping[str, Value]) -> Markup:
    parts = _parts(form, component.text, scope)
    filled = "".join(_as_markdown(part) if is_value else part for part, is_value in parts)
    # Markdown-it passes no HTML through and the links, which could lead anywhere, are off.
    return Markup(_markdown().render(filled))  # noqa: S704


def _table(form: Form, component: Component, scope: Mapping[str, Value]) -> RenderedTable:
    try:
        found = evaluated(compile_expression(component.rows), scope)
    except FeelSyntaxError:
        found = None
    rows: list[Value] = list(found) if isinstance(found, Sequence) and not isinstance(found, str) else []
    shown = rows[:MOST_ROWS]
    numeric = tuple(_is_numeric(shown, column) for column in component.columns)
    return RenderedTable(
        label=component.label,
        columns=tuple(column.label for column in component.columns),
        numeric=numeric,
        rows=tuple(tuple(_cell(form, row, column) for column in component.columns) for row in shown),
        empty=component.empty,
        more=len(rows) - len(shown),
    )


def _of(row: Value, column: Column) -> Value:
    return row.get(column.key) if isinstance(row, Mapping) else None


def _cell(form: Form, row: Value, column: Column) -> str:
    return shown_value(_of(row, column), form.words)


def _is_numeric(rows: Sequence[Value], column: Column) -> bool:
    found = [value for value in (_of(row, column) for row in rows) if value is not None]
    return bool(found) and all(isinstance(value, (int, Decimal)) and not isinstance(value, bool) for value in found)


# --- what is filled in -------------------------------------------------------------------------------------------


def _field(
    form: Form, component: Component, scope: Mapping[str, Value], values: Mapping[str, object] | None, error: str
) -> RenderedField:
    typed = component.default if values is None or component.is_fixed else values.get(component.key)
    text = _typed(typed)
    return RenderedField(
        field_id=f"field-{component.key}",
        name=component.key,
        kind=component.kind.value,
        label=component.label,
        hint=_filled(form, component.description, scope),
        value=text,
        error=error,
        is_required=component.is_required,
        is_fixed=component.is_fixed,
        options=tuple(_option(form, each, scope, text) for each in component.options),
        condition=" ".join(_sentence(form, term) for term in component.hidden_when),
        shown_if=tuple(_term(each) for each in component.hidden_when),
        input_type=_input_type(component),
        input_mode="decimal" if component.kind is ComponentKind.NUMBER else "",
        longest=component.maximum_length,
    )


def _typed(value: object) -> str:
    if value is True:
        return "true"
    if value in (None, False):
        return ""
    return str(value)


def _option(form: Form, option: Option, scope: Mapping[str, Value], chosen: str) -> RenderedOption:
    return RenderedOption(
        value=option.value,
        label=option.label,
        submit=_filled(form, option.submit, scope),
        effect=_filled(form, option.effect, scope),
        is_chosen=option.value == chosen,
    )


def _input_type(component: Component) -> str:
    if component.kind is ComponentKind.DATETIME:
        return {DateTimeKind.TIME: "time", DateTimeKind.DATETIME: "text"}.get(
            component.asks_for or DateTimeKind.DATE, "date"
        )
    return {"email": "email", "phone": "tel"}.get(component.text_kind or "", "text")


def _term(term: HiddenWhen) -> Mapping[str, object]:
    value = term.value
    sent = value if value is None or isinstance(value, str) else str(value).lower()
    return {"field": term.key, "equals" if term.is_negated else "differs": sent}


def _sentence(form: Form, term: HiddenWhen) -> str:
    try:
        other = form.component(term.key)
    except KeyError:
        return ""
    label = next((each.label for each in other.options if each.value == term.value), _typed(term.value) or other.label)
    return (
        gettext("Only for “%(choice)s”.", choice=label)
        if term.is_negated
        else gettext("Not for “%(choice)s”.", choice=label)
    )
