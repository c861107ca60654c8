"""Builds everything from the settings: the only place that knows all rooms."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from flask import Flask

from engine.contract.connection import Connection
from engine.contract.ids import TenantId
from engine.contract.operation import Operation
from engine.contract.registry import OperationRegistry
from engine.identity import Actor, NewPerson, Person
from engine.interpreter import Interpreter
from engine.runtime import Runtime
from engine.runtime.commands import DeployedVersion
from engine.scripts import MontyScripts
from engine.store import CrashPoints, Store
from engine.work import LocalDoorbell, Performer, ProcessLimits, Worker, WorkSettings
from service_tasks.ai import AIProvider
from vermilion.ids import new_id
from vermilion.own_operations import registry_of
from vermilion.people import DEPLOYER_LOGIN, SERVICE_LOGIN, SYSTEM_PEOPLE
from vermilion.settings import Settings
from web.application import create_application
from web.pages.site import Demo, PageSettings
from web.webhooks import EventSender

_SECONDS_TO_STOP = 30


class NotAProcessFolder(Exception):
    """This is no process folder: it must hold a file `process.bpmn`."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What tests and tools may replace when an installation is built.

    ``lease`` is how long a claim lasts without a heartbeat; ``operations`` are offered beside the shipped ones;
    ``dice`` draws the jitter of pauses.
    """

    provider: AIProvider | None = None
    crash_points: CrashPoints | None = None
    lease: timedelta = timedelta(seconds=30)
    operations: tuple[Operation, ...] = ()
    dice: random.Random | None = None


class Installation:
    """One process's whole Vermilion. Use it in a with block; on entering the tables are brought up to date.

    Raises
    ------
    OperationsNotLoaded
        When the settings name modules of operations that cannot be used.
    """

    def __init__(self, settings: Settings, parts: Parts | None = None) -> None:
        parts = parts or Parts()
        self.settings = settings
        self.tenant_id = TenantId(settings.tenant)
        self.registry: OperationRegistry = registry_of(settings, parts.provider, more=parts.operations)
        self.store = Store(settings.database, crash_points=parts.crash_points)
        self.scripts = MontyScripts(max_processes=settings.script_processes)
        self.bell = LocalDoorbell(parts.crash_points)
        self.runtime = Runtime(self.store, Interpreter(self.scripts), self.registry, new_id=new_id, bell=self.bell.ring)
        self._parts = parts
        self._worker: Worker | None = None
        self._connections: tuple[Connection, ...] = ()

    def __enter__(self) -> Self:
        self.store.migrate()
        self.seed(SYSTEM_PEOPLE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._worker is not None:
            self._worker.stop(timedelta(seconds=_SECONDS_TO_STOP))
        for each in self._connections:
            each.kept_open.close()
        self.scripts.close()
        self.store.close()

    # --- people --------------------------------------------------------------------------------------------------

    def seed(self, people: Sequence[NewPerson]) -> tuple[Person, ...]:
        """Make sure that people exist."""
        return self.runtime.seed_people(self.tenant_id, people)

    def actor(self, login: str) -> Actor:
        """Return a person as commands take them. Raises UnknownPerson."""
        return self.runtime.actor_by_login(self.tenant_id, login)

    def new_token(self, login: str, name: str, lifetime: timedelta | None) -> str:
        """Make a bearer token in the name of set-up, and return its secret, shown this once. Raises UnknownPerson."""
        setup = self.actor(DEPLOYER_LOGIN)
        return self.runtime.issue_token(setup, login, name=name, lifetime=lifetime).secret

    # --- processes -----------------------------------------------------------------------------------------------

    def deploy(self, actor: Actor, folder: Path) -> DeployedVersion:
        """Deploy a process folder.

        Raises
        ------
        NotAProcessFolder, DefinitionRefused, PermissionDenied
        """
        return self.runtime.deploy(actor, read_folder(folder))

    # --- work and web --------------------------------------------------------------------------------------------

    def worker(self, connections: Sequence[Connection] | None = None) -> Worker:
        """Return the worker of this process, made at the first call; ``start`` its threads, or run it until idle.

        ``connections`` None: those of the settings. Left alone, it is stopped at the end of the with block.
        """
        if self._worker is None:
            self._connections = connections_of(self.settings) if connections is None else tuple(connections)
            service = self._service()
            performer = Performer(
                journal=self.runtime,
                registry=self.registry,
                connections={each.system: each for each in self._connections},
                limits=ProcessLimits(),
                actor=service,
                dice=self._parts.dice or random.SystemRandom(),
                crash_points=self._parts.crash_points,
            )
            self._worker = Worker(
                ledger=self.runtime,
                performer=performer,
                actor=service,
                bell=self.bell,
                settings=WorkSettings(threads=self.settings.workers, lease=self._parts.lease),
                crash_points=self._parts.crash_points,
            )
        return self._worker

    def _service(self) -> Actor:
        """Return the identity of the workers, with what this installation's own operations need."""
        service = self.actor(SERVICE_LOGIN)
        return replace(service, permissions=service.permissions | frozenset(self.settings.service_permissions))

    def application(self, demo: Demo | None = None) -> Flask:
        """Return the web application; ``demo`` is what a demo shows to everybody."""
        senders = tuple(
            EventSender(name=name, secret=each.secret.get_secret_value(), actor=self.actor(each.login))
            for name, each in self.settings.event_senders.items()
        )
        pages = PageSettings(
            tenant_id=self.tenant_id, zone=self.settings.zone, is_secure=self.settings.is_secure, demo=demo
        )
        return create_application(self.runtime, pages=pages, senders=senders, watcher=self.actor(SERVICE_LOGIN))


def connections_of(settings: Settings) -> tuple[Connection, ...]:
    """Return the connections to business systems that the settings name."""
    return tuple(
        Connection(
            system=name,
            base_url=each.base_url.rstrip("/"),
            token=each.token.get_secret_value(),
            recognition=each.recognition,
            search_is_complete=each.search_is_complete,
            concurrency=each.concurrency,
            rate_per_second=each.rate_per_second,
            refusals=each.refusals,
        )
        for name, each in settings.systems.items()
    )


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of a process folder by their path inside it, scenarios left out.

    Raises
    ------
    NotAProcessFolder
        When it holds no ``process.bpmn``.
    """
    if not (folder / "process.bpmn").is_file():
        raise NotAProcessFolder(f"{folder} is no process folder: it must hold a file `process.bpmn`.")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] != "scenarios"
    }
