"""Reads form-js JSON (bpmn-io form-js 1.23) into ``Form``; what is not rendered and checked here is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import cast

from engine.feel import FeelSyntaxError, compile_expression
from engine.model import rules
from engine.model.extension_reader import VARIABLE
from engine.model.findings import Findings, Place
from engine.model.forms import Block, Column, Component, ComponentKind, DateTimeKind, Form, HiddenWhen, Option
from engine.model.text_pattern import unusable_pattern
from engine.model.text_template import BadTemplate, template_of

#: Most bytes of one form.
LARGEST_FORM = 500_000

JsonValue = str | int | Decimal | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
JsonObject = Mapping[str, JsonValue]

_COMMON = frozenset(
    {"id", "type", "key", "label", "description", "validate", "conditional", "layout", "disabled", "readonly"}
    | {"defaultValue", "properties", "appearance"}
)
_ALLOWED: Mapping[ComponentKind, frozenset[str]] = {
    ComponentKind.TEXTFIELD: _COMMON,
    ComponentKind.TEXTAREA: _COMMON,
    ComponentKind.NUMBER: _COMMON | {"decimalDigits", "increment", "serializeToString"},
    ComponentKind.CHECKBOX: _COMMON,
    ComponentKind.RADIO: _COMMON | {"values"},
    ComponentKind.SELECT: _COMMON | {"values", "searchable"},
    ComponentKind.DATETIME: _COMMON
    | {"subtype", "dateLabel", "timeLabel", "timeSerializingFormat", "timeInterval", "use24h"},
    ComponentKind.TEXT: frozenset({"id", "type", "text", "conditional", "layout", "properties"}),
    ComponentKind.TABLE: frozenset(
        {"id", "type", "label", "dataSource", "columns", "rowCount", "conditional", "layout", "properties"}
    ),
}
#: Our own settings of a component, texts below ``properties``; those of a choice end with ``:<its value>``.
_PROPERTIES = frozenset({"block", "source", "empty", "hidden_if"})
_OPTION_PROPERTIES = ("submit:", "effect:")
#: Components that are only shown.
SHOWN_ONLY = frozenset({ComponentKind.TEXT, ComponentKind.TABLE})
_RULES = frozenset({"required", "min", "max", "minLength", "maxLength", "pattern", "validationType"})
_TERM = re.compile(r'\s*([A-Za-z_]\w*)\s*(=|!=)\s*("[^"\\]*"|null|true|false|-?\d+(?:\.\d+)?)\s*')
_SUPPORTED = ", ".join(kind.value for kind in ComponentKind)


def read_form(data: bytes, path: str, key: str, findings: Findings) -> Form | None:
    """Return the form of a file, or None with findings when it cannot be read at all."""
    place = Place(file=path)
    if len(data) > LARGEST_FORM:
        findings.add(rules.FILE_TOO_LARGE, place, size=len(data), limit=LARGEST_FORM)
        return None
    try:
        value = cast("JsonValue", json.loads(data, parse_float=Decimal, parse_constant=_no_constant))
    except (ValueError, RecursionError) as wrong:
        findings.add(rules.NOT_JSON, place, detail=wrong)
        return None
    if not isinstance(value, Mapping) or not isinstance(value.get("components"), list):
        findings.add(rules.BAD_FORM, place, problem="it has no list of components")
        return None
    reader = _FormReader(place, findings)
    components = [reader.component(each) for each in _list(value.get("components"))]
    form = Form(
        key=key,
        title=_text(value, "title"),
        components=tuple(component for component in components if component is not None),
        source=value,
    )
    reader.check_keys(form.components)
    return form


def _no_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is no JSON number")


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _text(holder: JsonObject, name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else ""


def _number(holder: JsonObject, name: str) -> Decimal | None:
    value = holder.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str)) or value == "":
        return None
    try:
        return Decimal(value)
    except ArithmeticError:
        return None


def _count(holder: JsonObject, name: str) -> int | None:
    value = _number(holder, name)
    return int(value) if value is not None and value.is_finite() and 0 <= value <= 1_000_000 else None


class _FormReader:
    def __init__(self, place: Place, findings: Findings) -> None:
        self._place = place
        self._findings = findings

    def component(self, value: JsonValue) -> Component | None:
        given = _object(value)
        identifier = _text(given, "id") or _text(given, "key") or "without id"
        place = Place(file=self._place.file, element_id=identifier, element_name=_text(given, "label"))
        kind = next((each for each in ComponentKind if each.value == given.get("type")), None)
        if kind is None:
            self._findings.add(
                rules.FORM_COMPONENT, place, component=identifier, type=given.get("type"), allowed=_SUPPORTED
            )
            return None
        self._check_properties(given, kind, identifier, place)
        validate = _object(given.get("validate", {}))
        properties = _object(given.get("properties", {}))
        return Component(
            component_id=identifier,
            kind=kind,
            key="" if kind in SHOWN_ONLY else _text(given, "key"),
            label=self._plain(given, "label", identifier, place),
            description=self._template(given, "description", identifier, place),
            text=self._template(given, "text", identifier, place),
            is_required=validate.get("required") is True,
            minimum=_number(validate, "min"),
            maximum=_number(validate, "max"),
            decimal_digits=_count(given, "decimalDigits"),
            minimum_length=_count(validate, "minLength"),
            maximum_length=_count(validate, "maxLength"),
            pattern=self._pattern(validate, identifier, place),
            text_kind=self._text_kind(validate, identifier, place),
            options=self._options(given, kind, identifier, place),
            asks_for=self._asks_for(given, kind, identifier, place),
            default=self._default(given),
            is_fixed=given.get("disabled") is True or given.get("readonly") is True,
            hidden_when=self._hidden_when(given, identifier, place),
            rows=self._rows(given, kind, identifier, place),
            columns=self._columns(given, kind, identifier, place),
            empty=_text(properties, "empty"),
            block=self._block(properties, identifier, place),
            source=tuple(name.strip() for name in _text(properties, "source").split(",") if name.strip()),
            hidden_if=self._expression(properties, "hidden_if", identifier, place),
        )

    def check_keys(self, components: Sequence[Component]) -> None:
        """Note keys that are missing, wrong or given twice, and conditions on fields that do not exist."""
        keys: set[str] = set()
        for component in components:
            place = Place(file=self._place.file, element_id=component.component_id, element_name=component.label)
            if component.kind in SHOWN_ONLY:
                continue
            if not VARIABLE.fullmatch(component.key):
                self._findings.add(rules.FORM_KEY, place, component=component.component_id, key=component.key)
            elif component.key in keys:
                self._findings.add(rules.FORM_DUPLICATE_KEY, place, key=component.key)
            keys.add(component.key)
        for component in components:
            for term in component.hidden_when:
                if term.key not in keys:
                    place = Place(file=self._place.file, element_id=component.component_id)
                    self._property(component.component_id, place, f"the field {term.key}", "Name a field of this form.")

    def _property(self, component: str, place: Place, name: str, remedy: str) -> None:
        self._findings.add(rules.FORM_PROPERTY, place, component=component, property=name, remedy=remedy)

    def _check_properties(self, given: JsonObject, kind: ComponentKind, component: str, place: Place) -> None:
        for name, value in given.items():
            if name not in _ALLOWED[kind] and value not in (None, False, ""):
                remedy = "List the choices under values." if name.startswith("values") else "Remove it."
                self._property(component, place, name, remedy)
        for name in ("disabled", "readonly"):
            if not isinstance(given.get(name, False), bool):
                self._property(component, place, f"an expression for {name}", "Set it to true or false.")
        for name, value in _object(given.get("validate", {})).items():
            if name not in _RULES:
                self._property(component, place, f"the rule {name}", "Remove it.")
            elif isinstance(value, str) and value.startswith("=") and name not in ("pattern", "validationType"):
                self._property(component, place, f"an expression for {name}", "Write a number.")
        options = {_text(_object(each), "value") for each in _list(given.get("values", ()))}
        for name, value in _object(given.get("properties", {})).items():
            is_of_option = name.startswith(_OPTION_PROPERTIES) and name.partition(":")[2] in options
            if name not in _PROPERTIES and not is_of_option:
                self._property(component, place, f"properties {name}", f"Use {', '.join(sorted(_PROPERTIES))}.")
            elif not isinstance(value, str):
                self._property(component, place, f"properties {name} that is no text", "Write a text.")
        appearance = _object(given.get("appearance", {}))
        for name in appearance.keys() - {"prefixAdorner", "suffixAdorner"}:
            self._property(component, place, f"appearance {name}", "Remove it.")

    def _plain(self, given: JsonObject, name: str, component: str, place: Place) -> str:
        text = _text(given, name)
        if text.startswith("=") or "{{" in text:
            self._property(component, place, f"an expression in its {name}", "Write plain text.")
        return text

    def _template(self, given: JsonObject, name: str, component: str, place: Place) -> str:
        text = _text(given, name)
        if text.startswith("="):
            self._property(component, place, f"an expression in its {name}", "Write text with {{ }} around it.")
            return text
        try:
            template_of(text)
        except BadTemplate as wrong:
            self._property(component, place, f"a placeholder in its {name}: {wrong}", "Write FEEL between {{ and }}.")
        return text

    def _expression(self, given: JsonObject, name: str, component: str, place: Place) -> str:
        text = _text(given, name).removeprefix("=").strip()
        if text:
            try:
                compile_expression(text)
            except FeelSyntaxError as wrong:
                self._property(component, place, f"{name} that is no FEEL ({wrong})", "Write a FEEL expression.")
                return ""
        return text

    def _rows(self, given: JsonObject, kind: ComponentKind, component: str, place: Place) -> str:
        if kind is not ComponentKind.TABLE:
            return ""
        rows = self._expression(given, "dataSource", component, place)
        if not rows:
            self._property(component, place, "no rows", "Give a FEEL expression for a list as dataSource.")
        return rows

    def _columns(self, given: JsonObject, kind: ComponentKind, component: str, place: Place) -> tuple[Column, ...]:
        if kind is not ComponentKind.TABLE:
            return ()
        given_columns = [_object(each) for each in _list(given.get("columns", ()))]
        columns = tuple(
            Column(key=_text(each, "key"), label=_text(each, "label") or _text(each, "key")) for each in given_columns
        )
        if not columns or not all(column.key for column in columns):
            self._property(component, place, "columns without a key", "List columns, each with key and label.")
        return columns

    def _block(self, properties: JsonObject, component: str, place: Place) -> Block | None:
        name = _text(properties, "block")
        found = next((each for each in Block if each.value == name), None)
        if name and found is None:
            known = ", ".join(each.value for each in Block)
            self._property(component, place, f"the block {name}", f"Use {known}.")
        return found

    def _pattern(self, validate: JsonObject, component: str, place: Place) -> str | None:
        pattern = _text(validate, "pattern")
        problem = unusable_pattern(pattern) if pattern else None
        if problem:
            self._findings.add(rules.FORM_PATTERN, place, pattern=pattern, component=component, problem=problem)
        return None if problem else pattern or None

    def _text_kind(self, validate: JsonObject, component: str, place: Place) -> str | None:
        kind = _text(validate, "validationType")
        if kind in ("", "custom"):
            return None
        if kind not in ("email", "phone"):
            self._property(component, place, f"validationType {kind}", "Use email, phone or a pattern.")
        return kind

    def _options(self, given: JsonObject, kind: ComponentKind, component: str, place: Place) -> tuple[Option, ...]:
        if kind not in (ComponentKind.RADIO, ComponentKind.SELECT):
            return ()
        options: list[Option] = []
        properties = _object(given.get("properties", {}))
        for each in _list(given.get("values", ())):
            value = _object(each).get("value")
            if not isinstance(value, str) or not value:
                self._property(component, place, "a choice whose value is no text", "Give each choice a text value.")
            else:
                options.append(
                    Option(
                        value=value,
                        label=_text(_object(each), "label") or value,
                        submit=self._template(properties, f"submit:{value}", component, place),
                        effect=self._template(properties, f"effect:{value}", component, place),
                    )
                )
        if not options:
            self._property(component, place, "no choices", "List the choices under values.")
        if len({option.value for option in options}) != len(options):
            self._property(component, place, "the same choice twice", "Give each choice a value of its own.")
        return tuple(options)

    def _asks_for(self, given: JsonObject, kind: ComponentKind, component: str, place: Place) -> DateTimeKind | None:
        if kind is not ComponentKind.DATETIME:
            return None
        subtype = next((each for each in DateTimeKind if each.value == (given.get("subtype") or "date")), None)
        if subtype is None:
            self._property(component, place, f"subtype {given.get('subtype')}", "Use date, time or datetime.")
        elif subtype is DateTimeKind.DATETIME and given.get("timeSerializingFormat") == "no_timezone":
            self._property(component, place, "times without a zone", "Choose a format with the UTC offset.")
        return subtype

    def _default(self, given: JsonObject) -> str | bool | Decimal | None:
        value = given.get("defaultValue")
        if isinstance(value, (bool, str)):
            return value
        return _number(given, "defaultValue")

    def _hidden_when(self, given: JsonObject, component: str, place: Place) -> tuple[HiddenWhen, ...]:
        text = _text(_object(given.get("conditional", {})), "hide").strip()
        if not text:
            return ()
        terms: list[HiddenWhen] = []
        for part in re.split(r"\bor\b", text.removeprefix("=")):
            found = _TERM.fullmatch(part)
            if found is None:
                remedy = 'Write terms such as =kind = "raw" or quantity != 0, joined with or.'
                self._property(component, place, f"the condition {text!r}", remedy)
                return ()
            terms.append(HiddenWhen(key=found[1], value=_literal(found[3]), is_negated=found[2] == "!="))
        return tuple(terms)


def _literal(text: str) -> str | bool | Decimal | None:
    if text.startswith('"'):
        return text[1:-1]
    return {"null": None, "true": True, "false": False}[text] if text.isalpha() else Decimal(text)
