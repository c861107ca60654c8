"""What ``make run`` starts: sandbox company, workers, pages and API on SQLite, and a purchase that waits."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.contract.connection import RepeatRecognition
from engine.contract.ids import TaskId
from engine.identity import Actor, Permission
from engine.runtime import InstanceFilter
from engine.runtime.commands import ExecutionState
from engine.runtime.views import TaskSummary
from vermilion.company_process import CompanyDesk, CompanyProcess, CompanyReach
from vermilion.hosting import WebServer, free_or_refused
from vermilion.installation import Installation
from vermilion.introduction import introduce
from vermilion.people import DEMO_PASSWORD, DEMO_PEOPLE, DEPLOYER_LOGIN, SERVICE_LOGIN
from vermilion.settings import DATA_FOLDER, SETTINGS_FILE, load_settings
from vermilion.shipped import PROCUREMENT, shipped_process
from web.pages.site import Demo, DemoPerson

_HOST = "127.0.0.1"
#: The purchase that is there after set-up.
_MATERIAL = "MAT-001"
_MATERIAL_RISK = "RISK-2026-0001"
_PATIENCE_SECONDS = 60.0
_POLL_SECONDS = 0.1
#: Tasks of one person that are looked at.
_TASKS_LOOKED_AT = 20


class FolderRefused(Exception):
    """The folder for the data cannot be used. The message names it and what to do."""


@contextmanager
def _held(folder: Path) -> Generator[None]:
    """Make the folder and hold it: two workplaces in one would give each other's settings and sandbox away.

    Raises
    ------
    FolderRefused
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (folder / "in-use").open("a")
    except OSError as error:
        raise FolderRefused(
            f"The folder {folder} cannot be written ({error.strerror}). Start in a folder that you may write to."
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FolderRefused(
                f"Another `vermilion run` uses the folder {folder}. End it, or start in another folder."
            ) from error
        yield


@dataclass(frozen=True, kw_only=True)
class Ports:
    """The ports that are opened on this machine."""

    api: int
    erp: int
    wms: int
    mes: int

    def refuse_taken(self) -> None:
        """Raise PortTaken, with the option that chooses another, when one of them is in use."""
        free_or_refused(_HOST, self.api, option="`vermilion run --port`")
        for name in ("erp", "wms", "mes"):
            free_or_refused(_HOST, getattr(self, name), option=f"`vermilion run --{name}-port`")


class Workplace:
    """Everything that ``make run`` starts, in a with block."""

    def __init__(self, ports: Ports, tell: Callable[[str], None], *, folder: Path = DATA_FOLDER) -> None:
        self._ports = ports
        self._tell = tell
        self._folder = folder
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def open(self) -> None:
        """Start everything, have a shortage reported, and say what waits for whom.

        Raises
        ------
        PortTaken, FolderRefused, CompanyFailed
        """
        began = time.monotonic()
        self._ports.refuse_taken()
        self._stack.enter_context(_held(self._folder))
        self._tell("Opening the sandbox company: ERP, WMS and MES …")
        company = self._stack.enter_context(
            CompanyProcess(
                self._folder / "company",
                ports={"erp": self._ports.erp, "wms": self._ports.wms, "mes": self._ports.mes},
                options=["--events-url", f"http://{_HOST}:{self._ports.api}/api/v1/events"],
            )
        )
        settings_file = _write_settings(self._folder, self._ports.api, company.reach)
        here = self._stack.enter_context(Installation(load_settings(settings_file)))
        here.seed(DEMO_PEOPLE)
        for person in DEMO_PEOPLE:
            here.runtime.seed_password(here.tenant_id, person.login, DEMO_PASSWORD)
        self._tell("Deploying the procurement process …")
        here.deploy(here.actor(DEPLOYER_LOGIN), shipped_process(PROCUREMENT))
        here.worker().start()
        application = here.application(_demo(here, company.reach))
        server = self._stack.enter_context(WebServer(application, host=_HOST, port=self._ports.api))
        desk = CompanyDesk(company.reach)
        self._stack.callback(desk.close)
        self._tell(f"The MES reports a shortage of {_MATERIAL} …")
        desk.report_shortage(_MATERIAL, _MATERIAL_RISK)
        waiting = _first_tasks(here)
        self._tell(f"Ready after {time.monotonic() - began:.1f} s.\n")
        introduce(self._tell, url=server.url, sandbox=company.reach.urls, people=DEMO_PEOPLE, waiting=waiting)


def _demo(here: Installation, reach: CompanyReach) -> Demo:
    """Return what the welcome page shows: everybody of the demo company, signed in by one click."""
    return Demo(
        people=tuple(
            DemoPerson(login=each.login, actor=here.actor(each.login), password=DEMO_PASSWORD) for each in DEMO_PEOPLE
        ),
        sandbox=reach.urls,
        watcher=here.actor(SERVICE_LOGIN),
        process=PROCUREMENT,
    )


def _first_tasks(here: Installation) -> tuple[tuple[Actor, TaskSummary], ...]:
    """Return what waits for the demo people, each task once, as soon as anything does, or the purchase stands still."""
    staff = [here.actor(each.login) for each in DEMO_PEOPLE]
    actors = [actor for actor in staff if Permission.DECIDE in actor.permissions]
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        waiting: dict[TaskId, tuple[Actor, TaskSummary]] = {}
        for actor in actors:
            for task in here.runtime.tasks(actor, limit=_TASKS_LOOKED_AT).items:
                waiting.setdefault(task.task_id, (actor, task))
        if waiting or _stands_still(here) or time.monotonic() > until:
            return tuple(waiting.values())
        time.sleep(_POLL_SECONDS)


def _stands_still(here: Installation) -> bool:
    """Whether the reported shortage was dealt with before, or needs an operator."""
    wanted = InstanceFilter(workflow_type=PROCUREMENT, business_key=_MATERIAL_RISK)
    found = here.runtime.instances(here.actor(SERVICE_LOGIN), wanted, limit=1).items
    return bool(found) and found[0].execution_state in (ExecutionState.FINISHED, ExecutionState.INCIDENT)


def _write_settings(folder: Path, port: int, reach: CompanyReach) -> Path:
    """Write the settings of this workplace, readable by its owner alone, and return the file."""
    file = folder / SETTINGS_FILE
    lines = [
        "# Written by `vermilion run`; changes are lost at its next start.",
        f"database = {json.dumps(f'sqlite:///{folder}/vermilion.sqlite')}",
        f"port = {port}",
        "",
        "[event_senders.company]",
        f"secret = {json.dumps(reach.events_secret)}",
        f"login = {json.dumps(SERVICE_LOGIN)}",
    ]
    for name, url in reach.urls.items():
        lines += [
            "",
            f"[systems.{name}]",
            f"base_url = {json.dumps(url)}",
            f"token = {json.dumps(reach.service_tokens[name])}",
            f"recognition = {json.dumps(RepeatRecognition.NATIVE_KEY.value)}",
            "search_is_complete = true",
        ]
    file.touch(mode=0o600)
    file.write_text("\n".join(lines) + "\n")
    return file
