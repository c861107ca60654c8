"""Plays one purchase headless: its own temporary database and sandbox company, the demo manager deciding."""

from __future__ import annotations

import secrets
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from engine.contract.ids import WorkflowId
from engine.identity import Actor
from engine.runtime import InstanceFilter
from engine.runtime.views import InstanceView
from vermilion.company_process import CompanyDesk, CompanyProcess
from vermilion.hosting import WebServer
from vermilion.installation import Installation, Parts
from vermilion.manager import DemoManager
from vermilion.people import DEMO_PEOPLE, DEPLOYER_LOGIN, SERVICE_LOGIN
from vermilion.settings import EventSender, Settings
from vermilion.shipped import PROCUREMENT, shipped_process

#: How long a demonstration may take before it is given up, in seconds.
_PATIENCE_SECONDS = 180.0
#: How long nothing may change while only people are waited for.
_POLL_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault switch of the sandbox company, armed ``count`` times."""

    operation: str
    name: str
    count: int


@dataclass(frozen=True, kw_only=True)
class Play:
    """What is played: a shortage of ``material_id``, with faults, against an ERP with or without keys."""

    material_id: str = "MAT-001"
    material_risk_id: str = "RISK-DEMO-1"
    faults: tuple[Fault, ...] = ()
    keys_on: bool = True


@dataclass(frozen=True, kw_only=True)
class Played:
    """How it ended.

    Attributes
    ----------
    status
        The business status at the end.
    erp_documents
        What the sandbox ERP's own ledger holds of this purchase.
    waiting_for
        In words, which person is asked, when a person has to go on.
    timeline
        What happened, in order: time, step, event, correlation ids.
    """

    status: str | None
    execution_state: str
    workflow_id: str
    business_key: str | None
    erp_documents: tuple[Mapping[str, Any], ...]
    waiting_for: tuple[str, ...]
    faults_fired: Mapping[str, int]
    seconds: float
    timeline: tuple[Mapping[str, Any], ...] = field(default=())


class DemonstrationStuck(Exception):
    """The purchase came to no end in time. The message says where it stands."""


def play(what: Play, tell: Callable[[str], None], parts: Parts | None = None) -> Played:
    """Play one purchase to its end, or to the point where a person other than the demo manager has to go on.

    ``parts`` are replaced in the installation that is built for it.

    Raises
    ------
    CompanyFailed
        When the sandbox company does not start, or knows no such fault.
    DemonstrationStuck
        When it comes to no end within three minutes.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vermilion-demo-")))
        secret = b64encode(secrets.token_bytes(32)).decode()
        settings = Settings(
            database=f"sqlite:///{folder}/vermilion.sqlite",
            event_senders={"company": EventSender(secret=SecretStr(secret), login=SERVICE_LOGIN)},
        )
        here = stack.enter_context(Installation(settings, parts))
        people = here.seed(DEMO_PEOPLE)
        tell("Deploying the procurement process …")
        here.deploy(here.actor(DEPLOYER_LOGIN), shipped_process(PROCUREMENT))
        server = stack.enter_context(WebServer(here.application(), host="127.0.0.1", port=0))
        tell("Opening the sandbox company …")
        options = ["--events-url", f"{server.url}/api/v1/events", "--latency", "1", "3"]
        company = stack.enter_context(
            CompanyProcess(
                folder / "company",
                ports={},
                options=[*options, *([] if what.keys_on else ["--no-keys"])],
                events_secret=secret,
            )
        )
        desk = CompanyDesk(company.reach)
        stack.callback(desk.close)
        for fault in what.faults:
            desk.set_fault(fault.operation, fault.name, fault.count)
        here.worker(company.reach.connections(keys_on=what.keys_on)).start()
        tell(f"Reporting a shortage of {what.material_id} …")
        desk.report_shortage(what.material_id, what.material_risk_id)
        manager = DemoManager(here.runtime, [here.actor(each.login) for each in people if not each.is_service])
        view = _until_settled(here, here.actor(SERVICE_LOGIN), manager, tell)
        return Played(
            status=view.business_status,
            execution_state=view.execution_state,
            workflow_id=view.workflow_id,
            business_key=view.business_key,
            erp_documents=_documents(desk, view),
            waiting_for=(*manager.waiting_for(view.waits), *_incidents(view)),
            faults_fired=desk.faults_fired(),
            seconds=round(time.monotonic() - began, 2),
            timeline=tuple(_line(each) for each in view.timeline),
        )


def _until_settled(
    here: Installation, watcher: Actor, manager: DemoManager, tell: Callable[[str], None]
) -> InstanceView:
    """Watch until the instance is final, or waits for people only; approve on the way."""
    until = time.monotonic() + _PATIENCE_SECONDS
    told: str | None = None
    while time.monotonic() < until:
        page = here.runtime.instances(watcher, InstanceFilter(workflow_type=PROCUREMENT), limit=1)
        if page.items:
            view = here.runtime.instance(watcher, WorkflowId(page.items[0].workflow_id))
            if view.business_status != told:
                told = view.business_status
                tell(f"  {told}")
            if view.execution_state == "finished":
                return view
            if not manager.approve(view.waits) and _is_a_persons(view):
                return view
        time.sleep(_POLL_SECONDS)
    raise DemonstrationStuck("The purchase came to no end within three minutes. Try again; if it stays, tell us.")


def _is_a_persons(view: InstanceView) -> bool:
    """Whether nothing will move before a person acts: no job is due and an incident or a task is open."""
    works = any(
        each.kind == "message" or (each.kind == "job" and each.detail["status"] != "parked") for each in view.waits
    )
    has_incident = any(each.closed_at is None for each in view.incidents)
    return has_incident or (bool(view.waits) and not works)


def _incidents(view: InstanceView) -> tuple[str, ...]:
    return tuple(f"{each.role}: {each.message}" for each in view.incidents if each.closed_at is None)


def _documents(desk: CompanyDesk, view: InstanceView) -> tuple[Mapping[str, Any], ...]:
    """Return the ERP's own requisitions of this purchase: its reference begins with the business key."""
    requisitions: Sequence[Mapping[str, Any]] = desk.ledger("erp")["requisitions"]
    return tuple(each for each in requisitions if str(each.get("reference", "")).startswith(view.business_key or " "))


def _line(entry: Any) -> Mapping[str, Any]:
    return {
        "time": entry.at,
        "step": entry.step_key,
        "event": entry.event,
        "actor": entry.actor,
        "detail": entry.detail,
        **entry.ids,
    }
