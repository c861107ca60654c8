"""One purchase and everybody outside: MES, planner, manager, operator, the ERP's clerk, and time.

Whoever sends something sends it again until it is answered, as senders do: the process that was to answer may be gone.
All of it happens in the calling thread, in one order, so that the points it passes can be counted.
"""

from __future__ import annotations

import json
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from standardwebhooks import Webhook

from engine.contract.ids import EventId, JobId, TaskId, WorkflowId
from engine.runtime.commands import CancelRequest, DecideRequest, RepairRequest, RequestKey, StartRequest
from engine.runtime.views import InstanceView, WaitView
from engine.store import Store
from engine.work import Ledger, Performer, ProcessLimits, Worker, WorkSettings
from service_tasks.erp.answers import RequisitionAnswer
from tests.promises.books import Foreign
from tests.promises.desk import Desk
from tests.promises.dice import NoPause
from tests.promises.journeys import Journey
from tests.promises.points import Points
from vermilion.company_process import CompanyReach
from vermilion.installation import Installation
from vermilion.people import DEPLOYER_LOGIN, SERVICE_LOGIN
from vermilion.shipped import PROCUREMENT, shipped_process

#: A lease in these purchases; time is moved over it, not waited for.
LEASE = timedelta(seconds=30)
#: A lease that real threads keep by heartbeats.
SHORT_LEASE = timedelta(seconds=0.9)
#: Rounds after which a purchase is stuck.
_MOST_ROUNDS = 60
#: The longest stretch of time that is moved over; a purchase that needs more waits for something that nobody does.
_LONGEST_WAIT = timedelta(minutes=20)
_PATIENCE_SECONDS = 30.0
_OPEN_WORK = (
    "select (select count(*) from job where status in ('ready', 'running'))"
    " + (select count(*) from outbox where sent_at is null)"
)
_APPROVAL = "approve_purchase"
_PLANNER, _MANAGER, _OPERATOR = "lin", "wei", "omar"


class PurchaseStuck(Exception):
    """A purchase came to no end."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is bought, under which number. ``folder`` keeps what the people outside remember across processes."""

    material_id: str
    business_key: str
    folder: Path

    def once(self, what: str) -> bool:
        """Return True the first time it is asked about ``what``, whatever process asks."""
        try:
            (self.folder / f"done-{what}").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


class Purchase:
    """Drives one purchase in this process to its end.

    ``around`` puts something between the worker and the ledger, as a defect or a second worker would.
    """

    def __init__(
        self,
        here: Installation,
        reach: CompanyReach,
        journey: Journey,
        order: Order,
        points: Points,
        around: Callable[[Ledger], Ledger] = lambda ledger: ledger,
    ) -> None:
        self._here = here
        self._journey = journey
        self._order = order
        self._points = points
        self._desk = Desk(reach)
        self._secret = reach.events_secret
        self._beside = Store(here.settings.database)
        self._delivered: set[str] = set()
        self._workflow_id: WorkflowId | None = None
        self._has_threads = journey.has_threads and order.once("threads")
        self._api = here.application().test_client()
        self.worker = self._worker(reach, around(here.runtime))

    def _worker(self, reach: CompanyReach, ledger: Ledger) -> Worker:
        service = self._here.actor(SERVICE_LOGIN)
        performer = Performer(
            journal=ledger,
            registry=self._here.registry,
            connections={each.system: each for each in reach.connections(keys_on=self._journey.keys_on)},
            limits=ProcessLimits(),
            actor=service,
            dice=NoPause(),
            crash_points=self._points,
        )
        lease = SHORT_LEASE if self._has_threads else LEASE
        return Worker(
            ledger=ledger,
            performer=performer,
            actor=service,
            bell=self._here.bell,
            settings=WorkSettings(threads=1, lease=lease, carry_on=self._journey.carry_on),
            dice=random.Random(1),
            crash_points=self._points,
        )

    # --- to the end ----------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Do what is to be done until the purchase has ended and everything is told.

        Raises
        ------
        PurchaseStuck
            When it does not end.
        """
        deeds: dict[str, Callable[[], None]] = {
            "lose_request_and_search": self._lose_request_and_search,
            "confirm_early": self._confirm_early,
            "take_over": self._take_over,
        }
        self._points.is_writing = self._is_writing
        self._points.deeds = {point: self._only_once(deeds[name], name) for point, name in self._journey.deeds.items()}
        if self._has_threads:
            self.worker.start()
        self._begin()
        self._decide_again()
        for _ in range(_MOST_ROUNDS):
            self._work()
            view = self._here.runtime.instance(self._here.actor(SERVICE_LOGIN), self._known())
            if view.execution_state == "finished" and self._here.runtime.due_in() is None:
                return
            if not (self._decide(view) or self._cancel(view) or self._operate(view) or self._settle()):
                self._pass_time(view)
        raise PurchaseStuck(f"{self._order.business_key} came to no end.")

    def close(self) -> None:
        """Close what was opened."""
        if self._has_threads:
            self.worker.stop(timedelta(seconds=_PATIENCE_SECONDS))
        self._desk.close()
        self._beside.close()

    def _known(self) -> WorkflowId:
        if self._workflow_id is None:
            raise PurchaseStuck(f"{self._order.business_key} was not started.")
        return self._workflow_id

    def _work(self) -> None:
        """Do everything that is due, or wait until the threads have done it."""
        if not self._has_threads:
            self.worker.run_until_idle()
            return
        turn = threading.Event()
        until = time.monotonic() + _PATIENCE_SECONDS
        while _count(self._here.settings.database, _OPEN_WORK):
            if time.monotonic() > until:
                raise PurchaseStuck(f"The threads do not finish {self._order.business_key}.")
            turn.wait(0.02)

    def _begin(self) -> None:
        if self._journey.deploys:
            self._here.deploy(self._here.actor(DEPLOYER_LOGIN), shipped_process(PROCUREMENT))
        values = {"material_id": self._order.material_id, "material_risk_id": self._order.business_key}
        if self._journey.starts == "form":
            request = StartRequest(
                workflow_type=PROCUREMENT,
                variables=values,
                request_key=RequestKey(key=self._order.business_key, fingerprint="00" * 32),
            )
            self._workflow_id = self._here.runtime.start(self._here.actor(_PLANNER), request).workflow_id
            return
        event = {
            "specversion": "1.0",
            "id": f"shortage-{self._order.business_key}",
            "source": "/sandbox/mes",
            "type": "material.shortage",
            "data": values | {"reported_by": "mes"},
        }
        self._deliver(event)

    def _deliver(self, event: Mapping[str, Any]) -> None:
        """Send an event, signed, to the API of this process."""
        body = json.dumps(event)
        now = datetime.now(UTC)
        headers = {
            "content-type": "application/cloudevents+json",
            "webhook-id": event["id"],
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(self._secret).sign(event["id"], now, body),
        }
        answer = self._api.post("/api/v1/events", data=body, headers=headers)
        if answer.status_code != 200:
            raise PurchaseStuck(f"An event was answered with {answer.status_code}: {answer.text}")
        instances = answer.get_json()["instances"]
        if self._workflow_id is None and instances:
            self._workflow_id = WorkflowId(instances[0]["workflow_id"])

    # --- people --------------------------------------------------------------------------------------------------

    def _decide(self, view: InstanceView) -> bool:
        """The manager approves what is asked, and remembers what was sent until it is answered."""
        tasks = [each for each in view.waits if each.kind == "task" and each.step_key == _APPROVAL]
        for wait in tasks:
            self._send_decision(self._decision(wait))
        return bool(tasks)

    def _decision(self, wait: WaitView) -> dict[str, str]:
        task = self._here.runtime.task(self._here.actor(_MANAGER), TaskId(wait.wait_id))
        sent = {"task_id": wait.wait_id, "bound_digest": task.bound_digest, "event_id": f"decision-{wait.wait_id}"}
        (self._order.folder / f"decision-{wait.wait_id}.json").write_text(json.dumps(sent))
        return sent

    def _decide_again(self) -> None:
        for file in sorted(self._order.folder.glob("decision-*.json")):
            self._send_decision(json.loads(file.read_text()))

    def _send_decision(self, sent: Mapping[str, str]) -> None:
        request = DecideRequest(
            task_id=TaskId(sent["task_id"]),
            values={"action": "approve"},
            bound_digest=sent["bound_digest"],
            event_id=EventId(sent["event_id"]),
        )
        self._here.runtime.decide(self._here.actor(_MANAGER), request)

    def _cancel(self, view: InstanceView) -> bool:
        """The planner cancels while the ERP's confirmation is waited for."""
        is_waiting = any(each.kind == "message" and "confirmed" in each.step_key for each in view.waits)
        if not (self._journey.is_cancelled and is_waiting):
            return False
        request = CancelRequest(workflow_id=view.workflow_id, reason="The order was withdrawn")
        self._here.runtime.cancel(self._here.actor(_PLANNER), request)
        return True

    def _operate(self, view: InstanceView) -> bool:
        """The operator applies again what was kept, or looks into the ERP and says what is there."""
        opened = [each for each in view.incidents if each.closed_at is None]
        for incident in opened:
            if incident.can_be_applied_again:
                again = RepairRequest(workflow_id=view.workflow_id, incident_id=incident.incident_id, reason="Again")
                self._here.runtime.repair(self._here.actor(_OPERATOR), again)
                continue
            found = self._documents()
            document = None
            if found:
                document = RequisitionAnswer.model_validate(found[-1], strict=False).requisition().model_dump_json()
            request = RepairRequest(
                workflow_id=view.workflow_id,
                incident_id=incident.incident_id,
                resolution="found" if found else "absent",
                document=document,
                reason="I looked into the ERP",
            )
            self._here.runtime.repair(self._here.actor(_OPERATOR), request)
        return bool(opened)

    # --- the ERP -------------------------------------------------------------------------------------------------

    def _documents(self) -> list[Mapping[str, Any]]:
        return Foreign.of(self._desk.ledger()).documents_of(self._order.business_key)

    def _settle(self) -> bool:
        """The ERP confirms what it has accepted, and tells it until it was taken."""
        if self._journey.confirms == "never" or self._journey.is_cancelled:
            return False
        ledger = self._desk.ledger()
        documents = Foreign.of(ledger).documents_of(self._order.business_key)
        waiting = [each["number"] for each in documents if each["status"] == "accepted"]
        for number in waiting:
            self._desk.switch("erp", f"/confirm/{number}", {})
        if self._journey.confirms == "untold":
            return bool(waiting)
        numbers = {each["number"] for each in documents}
        told = [each for each in ledger["events"] if each["subject"] in numbers and each["id"] not in self._delivered]
        for event in told:
            self._deliver(json.loads(event["body"]))
            self._delivered.add(event["id"])
        return bool(waiting or told)

    # --- time ----------------------------------------------------------------------------------------------------

    def _pass_time(self, view: InstanceView) -> None:
        """Move the clock to what falls due next, and sweep."""
        due_in = self._here.runtime.due_in()
        if due_in is None or due_in > _LONGEST_WAIT:
            waits = ", ".join(f"{each.kind} {each.step_key}" for each in view.waits)
            raise PurchaseStuck(
                f"{self._order.business_key} is {view.business_status} and waits for {waits or 'nothing'}."
            )
        self._beside.move_clock(max(due_in, timedelta(0)) + timedelta(milliseconds=10))
        self._here.runtime.sweep(self._here.actor(SERVICE_LOGIN))

    # --- what happens at a point of the write --------------------------------------------------------------------

    def _only_once(self, deed: Callable[[], None], name: str) -> Callable[[], None]:
        def act() -> None:
            if self._order.once(name):
                deed()

        return act

    def _is_writing(self) -> bool:
        """Whether the job that is being done is the write."""
        return _running_write(self._here.settings.database) is not None

    def _lose_request_and_search(self) -> None:
        """The request and the search that follows it fail: what became of the write stays unknown for a while."""
        self._desk.fault("create_requisition", "cut_before", 1)
        self._desk.fault("find_requisition", "unavailable", 1)

    def _confirm_early(self) -> None:
        """The confirmation overtakes the answer to the request."""
        self._settle()
        self._settle()

    def _take_over(self) -> None:
        """The lease runs out while the answer is on its way, and another process takes the job and dies."""
        self._beside.move_clock(LEASE * 2)
        service = self._here.actor(SERVICE_LOGIN)
        self._here.runtime.sweep(service)
        job_id = _running_write(self._here.settings.database, status="ready")
        if job_id is None or self._here.runtime.claim(service, "elsewhere", JobId(job_id), LEASE) is None:
            raise PurchaseStuck("Nobody could take the write over.")


def _running_write(database: str, status: str = "running") -> str | None:
    """Return the id of the write's job in a status, read past the product."""
    text = "select hex(job_id) from job where status = ? and operation like 'erp.create_requisition@%'"
    found = _read(database, text, status)
    return None if found is None else str(found).lower()


def _count(database: str, text: str) -> int:
    return int(_read(database, text) or 0)


def _read(database: str, text: str, *values: str) -> Any:
    connection = sqlite3.connect(database.removeprefix("sqlite:///"), timeout=10)
    try:
        found = connection.execute(text, values).fetchone()
    finally:
        connection.close()
    return None if found is None else found[0]
