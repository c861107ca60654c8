"""What is wrong with a drawn process, as values: rules, findings and the refusal that carries them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters."""

    #: The process cannot be deployed.
    ERROR = "error"
    #: The process runs; a person should look at it.
    WARNING = "warning"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One thing that is checked. ``code`` is stable; ``reason`` and ``remedy`` may hold named values in braces."""

    code: str
    severity: Severity
    reason: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where something stands: the file's path in its process folder, its line, the element's id and name."""

    file: str
    line: int | None = None
    element_id: str = ""
    element_name: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One broken rule at one element.

    Attributes
    ----------
    line
        Line in ``file``, from 1; None where the file as a whole is meant.
    element_id, element_name
        The element at fault, or the nearest element around it that has an id; empty for the file as a whole.
    rule
        Stable code of the rule.
    values
        What ``reason`` and ``remedy`` were completed with, for translation.
    """

    severity: Severity
    file: str
    line: int | None
    element_id: str
    element_name: str
    rule: str
    reason: str
    remedy: str
    values: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_error(self) -> bool:
        """Whether it keeps the process from being deployed."""
        return self.severity is Severity.ERROR

    def __str__(self) -> str:
        """Return one line: place, element, reason, remedy."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        named = f" {self.element_id}" if self.element_id else ""
        label = f' "{self.element_name}"' if self.element_name else ""
        return f"{place}: {self.severity}{named}{label}: {self.reason} {self.remedy} [{self.rule}]"


class DefinitionRefused(Exception):
    """This process cannot be run as drawn. Correct what the findings name, then read it again."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings if finding.is_error))


class Findings:
    """Collects findings, so that an analyst sees all problems at once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int | None, str, str], Finding] = {}

    def add(self, rule: Rule, place: Place, **values: object) -> None:
        """Note that a rule is broken at a place; the same finding is kept once."""
        texts = {name: str(value) for name, value in values.items()}
        finding = Finding(
            severity=rule.severity,
            file=place.file,
            line=place.line,
            element_id=place.element_id,
            element_name=place.element_name,
            rule=rule.code,
            reason=rule.reason.format_map(texts),
            remedy=rule.remedy.format_map(texts),
            values=texts,
        )
        self._found.setdefault((rule.code, place.file, place.line, place.element_id, finding.reason), finding)

    def extend(self, findings: Iterable[Finding]) -> None:
        """Take over findings made elsewhere."""
        for each in findings:
            self._found.setdefault((each.rule, each.file, each.line, each.element_id, each.reason), each)

    def __iter__(self) -> Iterator[Finding]:
        """Go over the findings in the order they were made."""
        return iter(self._found.values())

    @property
    def has_errors(self) -> bool:
        """Whether any finding keeps the process from being deployed."""
        return any(finding.is_error for finding in self)

    def sorted(self) -> tuple[Finding, ...]:
        """Return the findings, errors first, each group by file and line."""
        return tuple(
            sorted(self, key=lambda each: (not each.is_error, each.file, each.line or 0, each.element_id, each.rule))
        )
