"""A form as typed data, and the check of what a person submitted with it.

Forms are drawn as form-js JSON (bpmn-io form-js 1.23) and rendered and checked by us: the browser's own check is a
courtesy (facts: form-js hands over its data even when it found errors). Only components whose rules are computed here
are accepted; ``engine.model.form_reader`` refuses the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from engine.model.text_pattern import is_found

#: Longest text a field without ``maxLength`` takes.
LONGEST_TEXT = 10_000
#: Most digits a number may have; what Python's decimal arithmetic computes exactly by default.
MOST_DIGITS = 28
#: What an e-mail address may look like: the pattern of the HTML standard, "valid e-mail address".
EMAIL = re.compile(
    r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*"
)
#: What form-js 1.23 takes for a phone number.
PHONE = re.compile(r"\+?[0-9 ().-]{3,25}")


class ComponentKind(StrEnum):
    """The form-js components that are rendered and checked, spelled as in the file."""

    TEXTFIELD = "textfield"
    TEXTAREA = "textarea"
    NUMBER = "number"
    CHECKBOX = "checkbox"
    RADIO = "radio"
    SELECT = "select"
    DATETIME = "datetime"
    #: Static text; has no key and no value.
    TEXT = "text"
    #: Rows of what is known; has no key and no value.
    TABLE = "table"


class Block(StrEnum):
    """Who speaks in a component: the three inks of the pages."""

    FACTS = "facts"
    SUGGESTION = "suggestion"
    CONSEQUENCE = "consequence"


class DateTimeKind(StrEnum):
    """What a ``datetime`` component asks for."""

    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"


#: What a submitted field becomes.
FieldValue = bool | str | Decimal | date | time | datetime | None


@dataclass(frozen=True, kw_only=True)
class Option:
    """One choice of a ``radio`` or ``select`` component.

    Attributes
    ----------
    submit
        What the button says once this is chosen: the effect, as text with ``{{ FEEL }}``; empty for the usual words.
    effect
        What choosing it causes, likewise.
    """

    value: str
    label: str
    submit: str = ""
    effect: str = ""


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a ``table`` component: ``key`` names the entry of each row that it shows."""

    key: str
    label: str


@dataclass(frozen=True, kw_only=True)
class HiddenWhen:
    """One term of a hide condition: the field ``key`` equals (or, ``is_negated``, differs from) ``value``."""

    key: str
    value: bool | str | Decimal | None
    is_negated: bool = False


@dataclass(frozen=True, kw_only=True)
class Component:
    """One component of a form.

    Attributes
    ----------
    component_id
        Id in the file; texts and problems name it where there is no key.
    key
        Name of the submitted value; empty for what is only shown.
    description
        A hint, text with ``{{ FEEL }}``.
    text
        The text of a ``text`` component, Markdown with ``{{ FEEL }}``.
    rows
        FEEL expression for the rows of a ``table``: a list of contexts.
    columns
        What a ``table`` shows of each row.
    empty
        What a ``table`` without rows says.
    block
        Who speaks in it; None for the fields that a person fills in.
    source
        Names of the variables that a component of facts rests on.
    minimum, maximum
        Bounds of a number, both included.
    decimal_digits
        Most digits after the decimal point; None for no limit.
    pattern
        Regular expression that must be found in the text (a search, not a full match, as in form-js).
    text_kind
        ``email`` or ``phone`` where the text must be one.
    is_fixed
        Disabled or read-only: shown, never taken from a submission.
    hidden_when
        The component is hidden, and its value dropped, when any of the terms holds.
    hidden_if
        FEEL expression over the variables; a text or table is not shown where it is true.
    """

    component_id: str
    kind: ComponentKind
    key: str = ""
    label: str = ""
    description: str = ""
    text: str = ""
    is_required: bool = False
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    decimal_digits: int | None = None
    minimum_length: int | None = None
    maximum_length: int | None = None
    pattern: str | None = None
    text_kind: str | None = None
    options: tuple[Option, ...] = ()
    asks_for: DateTimeKind | None = None
    default: str | bool | Decimal | None = None
    is_fixed: bool = False
    hidden_when: tuple[HiddenWhen, ...] = ()
    rows: str = ""
    columns: tuple[Column, ...] = ()
    empty: str = ""
    block: Block | None = None
    source: tuple[str, ...] = ()
    hidden_if: str = ""


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form by its key: the file name below ``forms/`` without its extension.

    ``words`` says what codes mean in the language of the form: a placeholder ``{word: code}`` shows them.
    """

    key: str
    title: str = ""
    components: tuple[Component, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    source: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)

    def component(self, key: str) -> Component:
        """Return the component that submits this key. Raises KeyError when there is none."""
        for component in self.components:
            if component.key == key and key:
                return component
        raise KeyError(key)


class ProblemKind(StrEnum):
    """Why a submitted value is not taken."""

    REQUIRED = "required"
    NOT_A_NUMBER = "number"
    TOO_MANY_DECIMALS = "decimals"
    BELOW_MINIMUM = "minimum"
    ABOVE_MAXIMUM = "maximum"
    TOO_SHORT = "minimum_length"
    TOO_LONG = "maximum_length"
    PATTERN = "pattern"
    EMAIL = "email"
    PHONE = "phone"
    NOT_OFFERED = "option"
    NOT_A_DATE = "date"
    NOT_A_TIME = "time"
    NOT_AN_INSTANT = "datetime"
    NOT_A_TEXT = "text"
    NOT_YES_OR_NO = "checkbox"
    UNKNOWN_FIELD = "unknown_field"


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One value that was not taken. ``limit`` is the violated bound or what is offered, where there is one."""

    key: str
    kind: ProblemKind
    label: str = ""
    limit: str = ""


def validate_values(form: Form, values: Mapping[str, object]) -> tuple[Mapping[str, FieldValue], tuple[Problem, ...]]:
    """Return the submission as typed values with every shown field, and what is wrong with it.

    Numbers become ``Decimal`` (a text of digits is taken, as pages without script send it), dates, times and instants
    their types; an empty field becomes None and a checkbox False. Hidden and fixed fields are left out; a field that
    the form does not have is a problem. The values are complete only when there are no problems.

    The order of the rules is that of form-js 1.23: an option that is not offered counts as unset before the hide
    conditions are evaluated.
    """
    by_key = {component.key: component for component in form.components if component.key}
    problems = [Problem(key=key, kind=ProblemKind.UNKNOWN_FIELD) for key in values if key not in by_key]
    given = {key: _offered(component, values.get(key)) for key, component in by_key.items()}
    compared = compared_values(form, values)
    clean: dict[str, FieldValue] = {}
    for key, component in by_key.items():
        if component.is_fixed or is_hidden(component, compared):
            continue
        value, wrong = _checked(component, given[key])
        if component.options and not _is_empty(values.get(key)) and given[key] is None:
            offered = ", ".join(option.value for option in component.options)
            wrong = _problem(component, ProblemKind.NOT_OFFERED, offered)
        if wrong is not None:
            problems.append(Problem(key=key, kind=wrong.kind, label=component.label, limit=wrong.limit))
        else:
            clean[key] = value
    return clean, tuple(problems)


def _is_empty(value: object) -> bool:
    return value is None or value == ""


def _offered(component: Component, value: object) -> object:
    if component.kind not in (ComponentKind.RADIO, ComponentKind.SELECT):
        return value
    return value if any(option.value == value for option in component.options) else None


def is_hidden(component: Component, compared: Mapping[str, object]) -> bool:
    """Whether a component is hidden by the values of the other fields; see ``compared_values``."""
    return any((compared.get(term.key) == term.value) is not term.is_negated for term in component.hidden_when)


def compared_values(form: Form, values: Mapping[str, object]) -> Mapping[str, object]:
    """Return submitted values as hide conditions compare them: numbers as such, what is not offered as unset."""
    fields = [component for component in form.components if component.key]
    return {each.key: _comparable(each, _offered(each, values.get(each.key))) for each in fields}


def _comparable(component: Component, value: object) -> object:
    if component.kind is ComponentKind.CHECKBOX:
        return value in (True, "true", "on")
    if component.kind is ComponentKind.NUMBER and not _is_empty(value):
        number, problem = _number(component, value)
        return value if problem is not None else number
    return None if value == "" else value


def _checked(component: Component, value: object) -> tuple[FieldValue, Problem | None]:
    if component.kind is ComponentKind.CHECKBOX:
        return _checkbox(component, value)
    if _is_empty(value):
        return None, _problem(component, ProblemKind.REQUIRED) if component.is_required else None
    match component.kind:
        case ComponentKind.NUMBER:
            return _number(component, value)
        case ComponentKind.DATETIME:
            return _instant(component, value)
        case ComponentKind.RADIO | ComponentKind.SELECT:
            return str(value), None
        case _:
            return _text(component, value)


def _problem(component: Component, kind: ProblemKind, limit: object = "") -> Problem:
    return Problem(key=component.key, kind=kind, limit=str(limit))


def _checkbox(component: Component, value: object) -> tuple[FieldValue, Problem | None]:
    if value not in (None, "", True, False, "true", "false", "on"):
        return None, _problem(component, ProblemKind.NOT_YES_OR_NO)
    is_set = value in (True, "true", "on")
    return is_set, _problem(component, ProblemKind.REQUIRED) if component.is_required and not is_set else None


def _number(component: Component, value: object) -> tuple[FieldValue, Problem | None]:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)) or len(str(value)) > 60:
        return None, _problem(component, ProblemKind.NOT_A_NUMBER)
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None, _problem(component, ProblemKind.NOT_A_NUMBER)
    if not number.is_finite() or len(number.as_tuple().digits) > MOST_DIGITS or abs(number.adjusted()) > MOST_DIGITS:
        return None, _problem(component, ProblemKind.NOT_A_NUMBER)
    if component.decimal_digits is not None and _decimals(number) > component.decimal_digits:
        return None, _problem(component, ProblemKind.TOO_MANY_DECIMALS, component.decimal_digits)
    if component.minimum is not None and number < component.minimum:
        return None, _problem(component, ProblemKind.BELOW_MINIMUM, component.minimum)
    if component.maximum is not None and number > component.maximum:
        return None, _problem(component, ProblemKind.ABOVE_MAXIMUM, component.maximum)
    return number, None


def _decimals(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _text(component: Component, value: object) -> tuple[FieldValue, Problem | None]:
    if not isinstance(value, str):
        return None, _problem(component, ProblemKind.NOT_A_TEXT)
    trimmed = value.strip()
    longest = LONGEST_TEXT if component.maximum_length is None else component.maximum_length
    if len(trimmed) > longest:
        return None, _problem(component, ProblemKind.TOO_LONG, longest)
    if component.is_required and not trimmed:
        return None, _problem(component, ProblemKind.REQUIRED)
    if component.minimum_length is not None and len(trimmed) < component.minimum_length:
        return None, _problem(component, ProblemKind.TOO_SHORT, component.minimum_length)
    if component.pattern is not None and not is_found(component.pattern, value):
        return None, _problem(component, ProblemKind.PATTERN, component.pattern)
    if component.text_kind == "email" and EMAIL.fullmatch(value) is None:
        return None, _problem(component, ProblemKind.EMAIL)
    if component.text_kind == "phone" and PHONE.fullmatch(value) is None:
        return None, _problem(component, ProblemKind.PHONE)
    return value, None


def _instant(component: Component, value: object) -> tuple[FieldValue, Problem | None]:
    match component.asks_for:
        case DateTimeKind.TIME:
            return _parsed(component, time, value, ProblemKind.NOT_A_TIME)
        case DateTimeKind.DATETIME:
            moment, problem = _parsed(component, datetime, value, ProblemKind.NOT_AN_INSTANT)
            if isinstance(moment, datetime) and moment.utcoffset() is None:
                return None, _problem(component, ProblemKind.NOT_AN_INSTANT)
            return moment, problem
        case _:
            return _parsed(component, date, value, ProblemKind.NOT_A_DATE)


def _parsed(
    component: Component, kind: type[date] | type[time] | type[datetime], value: object, wrong: ProblemKind
) -> tuple[FieldValue, Problem | None]:
    if type(value) is kind:
        return value, None
    try:
        return kind.fromisoformat(value if isinstance(value, str) else ""), None
    except ValueError:
        return None, _problem(component, wrong)


def keys(components: Sequence[Component]) -> tuple[str, ...]:
    """Return the keys that a submission may hold, in drawing order."""
    return tuple(component.key for component in components if component.key and not component.is_fixed)
