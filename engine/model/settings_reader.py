"""Reads ``process.yaml`` and ``i18n/*.yaml``, with what the schema alone cannot say checked on top."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from zoneinfo import ZoneInfo

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import ValidationError

from engine.model.findings import Findings, Place
from engine.model.iso_time import NotATime, parse_duration
from engine.model.rules import BAD_SETTING, BAD_TEXT
from engine.model.settings import ProcessSettings, Status
from engine.model.yaml_reader import YamlFile, read_yaml

_Report = Callable[[tuple[str | int, ...], str], None]


def read_settings(data: bytes, path: str, findings: Findings) -> ProcessSettings | None:
    """Return the settings of a process, or None with findings."""
    file = read_yaml(data, path, findings)
    if file is None:
        return None
    try:
        settings = ProcessSettings.model_validate(file.value)
    except ValidationError as wrong:
        for each in wrong.errors(include_url=False, include_context=False):
            place = Place(file=path, line=file.line(each["loc"]))
            findings.add(BAD_SETTING, place, setting=_dotted(each["loc"]) or "the file", problem=each["msg"])
        return None
    _check(settings, file, path, findings)
    return settings


def read_texts(data: bytes, path: str, findings: Findings) -> dict[str, str]:
    """Return the texts of one language by element id."""
    file = read_yaml(data, path, findings)
    if file is None or file.value is None:
        return {}
    if not isinstance(file.value, dict) or not all(isinstance(text, str) for text in file.value.values()):
        findings.add(BAD_TEXT, Place(file=path))
        return {}
    return {key: str(text) for key, text in file.value.items()}


def _dotted(location: Iterable[str | int]) -> str:
    return ".".join(str(part) for part in location)


def _check(settings: ProcessSettings, file: YamlFile, path: str, findings: Findings) -> None:
    def report(where: tuple[str | int, ...], problem: str) -> None:
        findings.add(BAD_SETTING, Place(file=path, line=file.line(where)), setting=_dotted(where), problem=problem)

    _check_statuses(settings, report)
    _check_cancellation(settings, report)
    _check_unique("messages", (message.name for message in settings.messages), report)
    _check_unique("roles", (role.name for role in settings.roles), report)
    for index, message in enumerate(settings.messages):
        try:
            Draft202012Validator.check_schema(message.data_schema)
        except SchemaError as wrong:
            report(("messages", index, "schema"), f"it is no JSON Schema: {wrong.message}")
    _check_calendar(settings, report)
    if settings.deadline is not None:
        try:
            parse_duration(settings.deadline)
        except NotATime as wrong:
            report(("deadline",), str(wrong).rstrip("."))
    if settings.retention_days < 1:
        report(("retention_days",), "it is less than one day")


def _check_unique(setting: str, names: Iterable[str], report: _Report) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            report((setting, index, "name"), f"{name} is declared twice")
        seen.add(name)


def _check_statuses(settings: ProcessSettings, report: _Report) -> None:
    names = {status.name for status in settings.statuses}
    _check_unique("statuses", (status.name for status in settings.statuses), report)
    for index, status in enumerate(settings.statuses):
        for field, targets in (("to", status.to), ("operator_only", status.operator_only)):
            for target in targets:
                if target not in names:
                    report(("statuses", index, field), f"{target} is not declared")
        _check_final(status, index, report)
        leads_here = any(status.name in (*other.to, *other.operator_only) for other in settings.statuses)
        if status.reentry is not None and not leads_here:
            report(("statuses", index, "reentry"), f"no transition leads to {status.name}")
    for field, value in (("initial_status", settings.initial_status), ("failure_status", settings.failure_status)):
        if value is not None and value not in names:
            report((field,), f"{value} is not declared")
    if settings.statuses and settings.initial_status is None:
        report(("initial_status",), "statuses are declared, but none to begin with")


def _check_final(status: Status, index: int, report: _Report) -> None:
    if status.is_final and (status.to or status.operator_only):
        report(("statuses", index), f"{status.name} is final and yet leads somewhere")
    if status.is_final and (status.allows_writes or status.allows_compensation):
        report(("statuses", index), f"{status.name} is final and yet allows writes")
    if status.is_final and status.reentry is not None:
        report(("statuses", index, "reentry"), f"{status.name} is final and yet says where to go on")


def _check_cancellation(settings: ProcessSettings, report: _Report) -> None:
    cancellation = settings.cancellation
    if cancellation is None:
        return
    by_name = {status.name: status for status in settings.statuses}
    ended = by_name.get(cancellation.status)
    if ended is None:
        report(("cancellation", "status"), f"{cancellation.status} is not declared")
    elif not ended.is_final:
        report(("cancellation", "status"), f"{cancellation.status} is not final")
    for name in cancellation.directly_in:
        status = by_name.get(name)
        if status is None:
            report(("cancellation", "directly_in"), f"{name} is not declared")
        elif cancellation.status not in (*status.to, *status.operator_only):
            report(("cancellation", "directly_in"), f"{name} does not lead to {cancellation.status}")
    if cancellation.message is not None and cancellation.message not in {each.name for each in settings.messages}:
        report(("cancellation", "message"), f"{cancellation.message} is not declared under messages")


def _check_calendar(settings: ProcessSettings, report: _Report) -> None:
    calendar = settings.calendar
    try:
        ZoneInfo(calendar.zone)
    except (KeyError, ValueError, OSError):
        report(("calendar", "zone"), f"{calendar.zone} is no time zone such as Asia/Shanghai")
    if calendar.opens >= calendar.closes:
        report(("calendar", "closes"), "the day closes before it opens")
    if calendar.opens.tzinfo is not None or calendar.closes.tzinfo is not None:
        report(("calendar", "opens"), "times of day are local and carry no offset")
    if not calendar.days:
        report(("calendar", "days"), "no day is a working day")
    for index, free in enumerate(calendar.free):
        try:
            date.fromisoformat(free)
        except ValueError:
            report(("calendar", "free", index), f"{free} is no date such as 2026-10-01")
