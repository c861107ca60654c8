"""Reads YAML that may be hostile - no tags, no aliases, no duplicate keys, bounded - and keeps its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import yaml

from engine.model.findings import Findings, Place
from engine.model.rules import FILE_TOO_LARGE, NOT_YAML

#: Most bytes of one YAML file.
LARGEST_YAML = 1_000_000

#: What a YAML file holds here; dates and times stay text.
YamlValue = str | int | Decimal | bool | None | list["YamlValue"] | dict[str, "YamlValue"]


class _TextDates(yaml.SafeLoader):
    """Reads dates as the text they are, so that a schema decides what they mean."""


_TextDates.yaml_implicit_resolvers = {
    key: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
    for key, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True, kw_only=True)
class YamlFile:
    """A read file: its value, and the line of each part by the path of keys and indices that leads there."""

    value: YamlValue
    lines: Mapping[tuple[str | int, ...], int]

    def line(self, path: Sequence[str | int]) -> int | None:
        """Return the line of a part, or of the nearest part around it."""
        keys = tuple(path)
        while keys:
            if keys in self.lines:
                return self.lines[keys]
            keys = keys[:-1]
        return self.lines.get(())


def read_yaml(data: bytes, path: str, findings: Findings) -> YamlFile | None:
    """Return the file's value with its lines, or None with a finding."""
    place = Place(file=path)
    if len(data) > LARGEST_YAML:
        findings.add(FILE_TOO_LARGE, place, size=len(data), limit=LARGEST_YAML)
        return None
    lines: dict[tuple[str | int, ...], int] = {}
    try:
        text = data.decode("utf-8")
        if any(isinstance(token, (yaml.AliasToken, yaml.AnchorToken)) for token in yaml.scan(text, _TextDates)):
            findings.add(NOT_YAML, place, detail="it uses anchors or aliases, which are not read.")
            return None
        node = yaml.compose(text, _TextDates)
        value = _value(node, (), lines) if node is not None else None
    except (yaml.MarkedYAMLError, UnicodeDecodeError, RecursionError, ValueError, yaml.YAMLError) as wrong:
        mark = wrong.problem_mark if isinstance(wrong, yaml.MarkedYAMLError) else None
        detail = " ".join(str(wrong).split())[:300]
        findings.add(NOT_YAML, Place(file=path, line=mark.line + 1 if mark else None), detail=detail)
        return None
    return YamlFile(value=value, lines=lines)


def _value(node: yaml.Node, path: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int]) -> YamlValue:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, YamlValue] = {}
        for key_node, value_node in node.value:
            key = _text(key_node)
            if not isinstance(key_node, yaml.ScalarNode) or key in mapping:
                problem = f"the key {key!r} is given twice" if key in mapping else "a key is no text"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            lines[(*path, key)] = key_node.start_mark.line + 1
            mapping[key] = _value(value_node, (*path, key), lines)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, index), lines) for index, item in enumerate(node.value)]
    return _scalar(node)


def _text(node: yaml.Node) -> str:
    text = str(node.value)
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        problem = "a text holds a zero byte or half of a character pair, which is no character"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
    return text


def _scalar(node: yaml.Node) -> YamlValue:
    text = _text(node)
    match node.tag.rpartition(":")[2]:
        case "null":
            return None
        case "bool":
            return text.lower() in ("true", "yes", "on")
        case "int" if text.lstrip("+-").isdigit() and len(text) < 20:
            return int(text)
        case "float" | "int":
            return _decimal(text)
        case "str":
            return text
        case _:
            raise yaml.MarkedYAMLError(problem=f"the tag {node.tag} is not read", problem_mark=node.start_mark)


def _decimal(text: str) -> Decimal | str:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text
