"""A whole installation and a sandbox company in one process, for scenarios to be played on."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from engine.contract.connection import Connection, RepeatRecognition
from engine.contract.ids import TenantId, WorkflowType
from engine.identity import NewPerson, Role, actor_of, seed_people
from engine.interpreter import Interpreter
from engine.model import Definition, read_definition
from engine.model.scenarios import Scenario
from engine.runtime import Runtime
from engine.scripts import MontyScripts
from engine.store import Store
from engine.work import Performer, ProcessLimits, Worker
from sandbox import Company
from service_tasks.catalogue import build_registry
from tests.processes.shipped import files_of
from vermilion.ids import new_id
from vermilion.people import DEMO_PEOPLE, DEPLOYER_LOGIN, SERVICE_LOGIN, SYSTEM_PEOPLE
from vermilion.scenario_player import PublishedMessages, ScenarioFailed, Stage
from vermilion.scenario_provider import ScenarioProvider

TENANT = TenantId("main")

#: People beside those of the demo company: second holders of roles, and one who holds two.
MORE_PEOPLE = (
    NewPerson(login="pia", name="Pia Lund", roles=(Role.REQUESTER, Role.APPROVER), groups=("planning",)),
    NewPerson(login="tom", name="Tom Adler", roles=(Role.APPROVER,), groups=("purchasing",)),
    NewPerson(login="eva", name="Eva Roth", roles=(Role.APPROVER,), groups=("finance",)),
    NewPerson(
        login="ute",
        name="Ute Sand",
        roles=(Role.REQUESTER, Role.APPROVER),
        groups=("purchasing", "finance", "planning"),
    ),
)


class CompanySwitches:
    """The administrator's side of a sandbox company in this process."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._client = httpx.Client(trust_env=False, timeout=10)

    def post(self, system: str, path: str, body: Mapping[str, object]) -> None:
        answer = self._ask("POST", system, path, body)
        if answer.is_error:
            raise ScenarioFailed(f"{system} {path}: {answer.status_code} {answer.text}")

    def ledger(self, system: str) -> Mapping[str, Any]:
        answer = self._ask("GET", system, "/ledger", None)
        answer.raise_for_status()
        return answer.json()

    def _ask(self, method: str, system: str, path: str, body: Mapping[str, object] | None) -> httpx.Response:
        reach = self._company.reach[system]
        headers = {"authorization": f"Bearer {reach.admin}"}
        return self._client.request(method, reach.url + path, json=body, headers=headers)

    def close(self) -> None:
        self._client.close()


@cache
def _sound_definition(process: str) -> Definition:
    """Return a shipped process without checking it again for each scenario: that has tests of its own."""
    return read_definition(files_of(process))


@dataclass(frozen=True, kw_only=True)
class RunningStage:
    """A stage with the company behind it."""

    stage: Stage
    company: Company


@contextmanager
def running_stage(
    scenario: Scenario, folder: Path, store: Store, process: str = "procurement", *, forgets_keys: bool = False
) -> Generator[RunningStage]:
    """Set up what a scenario is played on.

    ``forgets_keys``: the ERP keeps no keys although its connection says so.
    """
    company = Company(
        folder / "company",
        keys_on=scenario.company.keys and not forgets_keys,
        confirmation=scenario.company.confirmation,
        late_after=None,
    )
    registry = build_registry(ScenarioProvider(scenario.provider) if scenario.provider is not None else None)
    scripts = MontyScripts(max_processes=1)
    runtime = Runtime(
        store, Interpreter(scripts), registry, new_id=new_id, check=lambda _files: _sound_definition(process)
    )
    with store.writing("people") as session:
        people = seed_people(session, TENANT, (*SYSTEM_PEOPLE, *DEMO_PEOPLE, *MORE_PEOPLE), new_id=new_id)
    actors = {person.login: actor_of(person) for person in people}
    runtime.deploy(actors[DEPLOYER_LOGIN], files_of(process))
    published = PublishedMessages()
    with company:
        connections = {each.system: each for each in _connections(company, keys=scenario.company.keys)}
        performer = Performer(
            journal=runtime,
            registry=registry,
            connections=connections,
            limits=ProcessLimits(),
            actor=actors[SERVICE_LOGIN],
            dice=random.Random(7),
        )
        worker = Worker(ledger=runtime, performer=performer, actor=actors[SERVICE_LOGIN], publisher=published)
        switches = CompanySwitches(company)
        try:
            stage = Stage(
                runtime=runtime,
                run=worker.run_until_idle,
                actor=actors.__getitem__,
                sender=actors[SERVICE_LOGIN],
                watcher=actors["zhao"],
                move_clock=lambda by: _pass_time(store, switches, by),
                switches=switches,
                published=published,
                workflow_type=WorkflowType(process),
            )
            yield RunningStage(stage=stage, company=company)
        finally:
            switches.close()
            scripts.close()


def _pass_time(store: Store, switches: CompanySwitches, by: timedelta) -> None:
    """Let time pass for the engine and in the company, whose three systems have one clock."""
    store.move_clock(by)
    switches.post("erp", "/clock", {"seconds": by.total_seconds()})


def _connections(company: Company, *, keys: bool) -> Iterator[Connection]:
    for name, reach in company.reach.items():
        yield Connection(
            system=name,
            base_url=reach.url,
            token=reach.service,
            recognition=RepeatRecognition.NATIVE_KEY if keys else RepeatRecognition.SEARCH_ONLY,
            search_is_complete=True,
        )
