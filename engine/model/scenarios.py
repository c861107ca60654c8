"""Scenarios of a process (``scenarios/*.yaml``) as typed data: what happens to one instance, and how it must end.

The JSON Schema in ``docs/schemas/scenario.schema.json`` is generated from here. A scenario does not change the digest
of a version; it shows one way out of the process, and is played against the systems of the sandbox company.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.model.findings import DefinitionRefused, Findings, Place
from engine.model.iso_time import NotATime, parse_duration
from engine.model.rules import error
from engine.model.settings import StatusName
from engine.model.yaml_reader import read_yaml

BAD_SCENARIO = error("bad-scenario", "{entry}: {problem}.", "Correct it; docs/schemas/scenario.schema.json says how.")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Event(_Part):
    """A business event. ``event_id`` given twice is the same event sent again."""

    type: str
    data: dict[str, Any]
    event_id: str | None = None


class FormStart(_Part):
    """A start by hand: who, and what they enter."""

    by: str
    values: dict[str, Any]


class Start(_Part):
    """How the instance begins: exactly one of the two."""

    event: Event | None = None
    form: FormStart | None = None

    @model_validator(mode="after")
    def _one(self) -> Start:
        if (self.event is None) == (self.form is None):
            raise ValueError("give exactly one of event and form")
        return self


class Company(_Part):
    """How the sandbox company is when the scenario begins.

    The ERP confirms when a step says so (``change``: ``/confirm/{number}``), never by itself: a scenario has one order.
    """

    keys: bool = True
    confirmation: Literal["late", "never"] = "late"


class Provider(_Part):
    """The engine of the AI steps in this scenario, in place of ``rules-v1``.

    ``fails`` plays a model that is away, answers nonsense or is over its budget; ``says`` plays its whole answer.
    """

    fails: Literal["unavailable", "invalid", "budget"] | None = None
    says: dict[str, Any] | None = None


class Decision(_Part):
    """A person decides the open task of a step. ``refused`` names the code with which it must be refused."""

    task: str
    by: str
    values: dict[str, Any] = Field(default_factory=dict)
    refused: str | None = None


class Cancel(_Part):
    """A person cancels the instance."""

    by: str
    reason: str
    refused: str | None = None


class Repair(_Part):
    """An operator has an incident's work done again, moves the instance to a status, or corrects its data."""

    by: str
    reason: str
    status: StatusName | None = None
    values: dict[str, Any] = Field(default_factory=dict)
    refused: str | None = None


class SystemChange(_Part):
    """A switch of a system of the sandbox company. ``{number}`` in the path is the instance's newest document."""

    system: Literal["erp", "wms", "mes"]
    post: Annotated[str, Field(pattern=r"^/")]
    body: dict[str, Any] = Field(default_factory=dict)


class Fault(_Part):
    """A fault switch: the operation fails so many times."""

    system: Literal["erp", "wms", "mes"]
    operation: str
    name: Literal["delay", "rate_limited", "unavailable", "wrong_json", "cut_before", "cut_after"]
    count: Annotated[int, Field(ge=1, le=100)] = 1


class Expected(_Part):
    """What must hold. Everything left out is not looked at.

    Attributes
    ----------
    statuses
        The transitions of the business status so far, in order, the first one being the creation.
    tasks
        Steps with an open task, in the order of their names.
    messages
        Topics published for the instance so far, in the order of their sending; reminders and escalations too.
    documents
        What the ERP holds of this instance, in the order of creation; each entry names the fields it looks at.
    incidents
        Codes of open incidents.
    variables
        FEEL expressions over the variables of the instance that must be true.
    told
        By topic, a FEEL expression over the data of its last message that must be true.
    closed_incidents
        Codes of incidents that were open and are no more, in the order of their opening.
    actors
        By status, whose act its last entry was: a login, or ``rule:`` with the decision or the operation.
    """

    status: StatusName | None = None
    statuses: tuple[StatusName, ...] | None = None
    state: Literal["running", "waiting", "paused", "incident", "finished"] | None = None
    tasks: tuple[str, ...] | None = None
    messages: tuple[str, ...] | None = None
    documents: tuple[dict[str, str], ...] | None = None
    incidents: tuple[str, ...] | None = None
    variables: tuple[str, ...] = ()
    told: dict[str, str] = Field(default_factory=dict)
    closed_incidents: tuple[str, ...] | None = None
    actors: dict[StatusName, str] = Field(default_factory=dict)


class Step(_Part):
    """One thing that happens: exactly one entry. Everything that is due is done before the next."""

    decide: Decision | None = None
    cancel: Cancel | None = None
    repair: Repair | None = None
    event: Event | None = None
    change: SystemChange | None = None
    fault: Fault | None = None
    clock: str | None = None
    expect: Expected | None = None

    @model_validator(mode="after")
    def _one(self) -> Step:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a step is one thing; this one has {', '.join(given) or 'none'}")
        if self.clock is not None:
            try:
                parse_duration(self.clock)
            except NotATime as wrong:
                raise ValueError(str(wrong)) from None
        return self


class Scenario(_Part):
    """One way out of a process.

    Attributes
    ----------
    shows
        One sentence: what this scenario is about.
    before
        What is switched in the systems before the instance begins.
    steps
        What happens after the start, in order.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    shows: str
    company: Company = Company()
    provider: Provider | None = None
    before: tuple[Step, ...] = ()
    start: Start
    steps: tuple[Step, ...] = ()
    expect: Expected


def read_scenario(data: bytes, path: str) -> Scenario:
    """Read one scenario.

    Raises
    ------
    DefinitionRefused
        With everything that is wrong with the file.
    """
    findings = Findings()
    file = read_yaml(data, path, findings)
    if file is not None:
        try:
            return Scenario.model_validate(file.value)
        except ValidationError as wrong:
            for each in wrong.errors(include_url=False, include_context=False):
                entry = ".".join(str(part) for part in each["loc"]) or "the file"
                findings.add(
                    BAD_SCENARIO, Place(file=path, line=file.line(each["loc"])), entry=entry, problem=each["msg"]
                )
    raise DefinitionRefused(findings.sorted())


def scenario_schema() -> dict[str, Any]:
    """Return the JSON Schema of a scenario file, as it is published."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Scenario.model_json_schema()}
