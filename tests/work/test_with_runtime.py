"""Work over the real runtime and real databases: one document per intent, whatever ends where."""

from __future__ import annotations

import itertools
import random
import threading
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from engine.contract import Connection, RepeatRecognition
from engine.contract.ids import TenantId, WorkflowId, WorkflowType
from engine.identity.people import NewPerson, actor_of, seed_people
from engine.interpreter import Interpreter
from engine.runtime import Runtime
from engine.runtime.commands import ExecutionState, StartRequest
from engine.store import Store
from engine.work import LocalDoorbell, Performer, ProcessLimits, Worker, WorkSettings
from engine.work.ledger import Ledger
from tests.databases import Databases
from tests.interpreter.playing import PlainScripts
from tests.runtime.files import bpmn, call, line
from tests.work.erp import Erp, connection, registry_of

TENANT = TenantId("main")
FILES = {
    "process.bpmn": bpmn(
        "order",
        '<startEvent id="s"/>'
        + call("before", "rules.double", {"value": "amount"}, "doubled")
        + call("create", "erp.create", {"material": '"MAT-001"'}, "document")
        + call("after", "rules.double", {"value": "doubled.value"}, "again")
        + '<endEvent id="e"/>'
        + line("s", "before", "create", "after", "e"),
    ),
    "process.yaml": b"""
key: order
title: {en: Order, zh: Order}
owner: manager
roles:
  - {name: manager, title: {en: Manager, zh: Manager}, groups: [managers]}
""",
}


class Crash(BaseException):
    """The process ended here."""


@dataclass
class CrashAt:
    """Ends the process at the n-th time a point is passed, once; notes every point passed."""

    point: str | None = None
    number: int = 1
    passed: list[str] = field(default_factory=list[str])

    def reached(self, point: str) -> None:
        """Note the point, and end the process there if it is the one."""
        self.passed.append(point)
        if point == self.point and self.passed.count(point) == self.number:
            raise Crash(point)


class Company:
    """A runtime over a store, an ERP, and workers that come and go."""

    def __init__(self, store: Store, erp: Erp, to: Connection | None = None) -> None:
        self.store = store
        self.erp = erp
        self.to = to or connection()
        self.ids = itertools.count(1)
        self.bell = LocalDoorbell()
        self.runtime = self._runtime(store, self.bell)
        people = (
            NewPerson(login="operator", name="Ola Berg", roles=("operator", "requester", "admin")),
            NewPerson(login="worker", name="Worker", roles=("service",), is_service=True),
        )
        with store.writing("people") as session:
            found = seed_people(session, TENANT, people, new_id=self.new_id)
        self.operator, self.service = (actor_of(each) for each in found)
        self.runtime.deploy(self.operator, FILES)

    def new_id(self) -> str:
        return f"0190{next(self.ids):028x}"

    def _runtime(self, store: Store, bell: LocalDoorbell) -> Runtime:
        scripts = Interpreter(PlainScripts())
        return Runtime(store, scripts, registry_of(self.erp), new_id=self.new_id, bell=bell.ring)

    def start(self) -> WorkflowId:
        request = StartRequest(workflow_type=WorkflowType("order"), variables={"amount": 21})
        return self.runtime.start(self.operator, request).workflow_id

    def worker(
        self, crash_points: CrashAt | None = None, settings: WorkSettings | None = None, ledger: Ledger | None = None
    ) -> Worker:
        points = crash_points or CrashAt()
        ledger = ledger or self.runtime
        performer = Performer(
            journal=ledger,
            registry=registry_of(self.erp),
            connections={"erp": self.to},
            limits=ProcessLimits(),
            actor=self.service,
            dice=random.Random(1),
            crash_points=points,
        )
        return Worker(
            ledger=ledger,
            performer=performer,
            actor=self.service,
            bell=self.bell,
            settings=settings,
            dice=random.Random(1),
            crash_points=points,
        )

    def crashing(self, points: CrashAt, url: str, carry_on: int) -> tuple[Worker, Store]:
        """Return a worker whose process ends at a point, commits included."""
        store = Store(url, crash_points=points)
        ledger = self._runtime(store, LocalDoorbell(points))
        return self.worker(points, WorkSettings(carry_on=carry_on), ledger), store

    def recover(self) -> None:
        """Let another worker do what is left, as time goes by."""
        worker = self.worker()
        for _ in range(6):
            if self.runtime.due_in() is None:
                return
            self.store.move_clock(timedelta(minutes=6))
            self.runtime.sweep(self.service)
            worker.run_until_idle()

    def state(self, workflow_id: WorkflowId) -> ExecutionState:
        return ExecutionState(self.runtime.instance(self.operator, workflow_id).execution_state)


def test_a_process_is_done_from_start_to_end(store: Store) -> None:
    company = Company(store, Erp())
    workflow_id = company.start()
    assert company.worker().run_until_idle() == 3
    assert company.state(workflow_id) is ExecutionState.FINISHED
    assert len(company.erp.documents) == 1
    assert len(company.erp.calls) == 1
    assert company.erp.calls[0].correlation.workflow_id == workflow_id


FAULTS = ["cut_before", "cut_after", "late", "unreadable", "busy", "limited"]


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_twice_leaves_one_document(sqlite_store: Store, fault: str) -> None:
    company = Company(sqlite_store, Erp(faults=[fault, fault]))
    workflow_id = company.start()
    company.worker().run_until_idle()
    company.recover()
    assert company.state(workflow_id) is ExecutionState.FINISHED
    assert len(company.erp.documents) == 1
    assert len({each.sent_key for each in company.erp.calls}) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_system_that_only_searches_gets_at_most_one_document_or_a_person_decides(
    sqlite_store: Store, fault: str
) -> None:
    to = connection(RepeatRecognition.SEARCH_ONLY, search_is_complete=True)
    company = Company(sqlite_store, Erp(recognises=False, faults=[fault, fault]), to)
    workflow_id = company.start()
    company.worker().run_until_idle()
    company.recover()
    view = company.runtime.instance(company.operator, workflow_id)
    if company.state(workflow_id) is ExecutionState.FINISHED:
        assert len(company.erp.documents) == 1
    else:
        assert company.state(workflow_id) is ExecutionState.INCIDENT
        assert [each.code for each in view.incidents] == ["outcome_unknown"]
    if fault != "late":  # nobody can exclude a request that arrives after the search (facts: 8.4)
        assert len(company.erp.documents) <= 1


def points_passed(databases: Databases, folder: Path, faults: list[str], carry_on: int) -> list[tuple[str, int]]:
    """Return every point that a run passes, with how often: a crash at each is a run of its own."""
    url = databases.url("sqlite", folder)
    store = Store(url)
    company = Company(store, Erp(faults=list(faults)))
    company.start()
    points = CrashAt()
    worker, other = company.crashing(points, url, carry_on)
    worker.run_until_idle()
    other.close()
    store.close()
    counted = {point: points.passed.count(point) for point in points.passed}
    return [(point, number) for point, times in counted.items() for number in range(1, times + 1)]


CRASHES: list[tuple[str, list[str], int]] = [
    ("quiet", [], 1),
    ("quiet, claiming the next job with the result", [], 20),
    ("answer lost", ["cut_after"], 1),
    ("request lost", ["cut_before"], 1),
]


@pytest.mark.parametrize(("faults", "carry_on"), [row[1:] for row in CRASHES], ids=[row[0] for row in CRASHES])
def test_a_crash_at_any_point_leaves_one_document(
    databases: Databases, tmp_path: Path, faults: list[str], carry_on: int
) -> None:
    pairs = points_passed(databases, tmp_path, faults, carry_on)
    named = {point for point, _ in pairs}
    assert {"call:before_send", "call:after_send", "result.commit:before", "result.commit:after"} <= named
    if carry_on == 1:
        assert {"claim.commit:before", "intent.commit:before", "intent.commit:after", "ring:before"} <= named
    if faults:
        assert {"lookup:before_send", "lookup:after_answer"} <= named
    for number, (point, times) in enumerate(pairs):
        folder = tmp_path / str(number)
        folder.mkdir()
        url = databases.url("sqlite", folder)
        store = Store(url)
        company = Company(store, Erp(faults=list(faults)))
        workflow_id = company.start()
        worker, other = company.crashing(CrashAt(point, times), url, carry_on)
        with pytest.raises(Crash):
            worker.run_until_idle()
        other.close()
        company.recover()
        assert company.state(workflow_id) is ExecutionState.FINISHED, (point, times)
        assert len(company.erp.documents) == 1, (point, times)
        store.close()


def test_two_workers_leave_one_document_per_instance(store: Store) -> None:
    company = Company(store, Erp())
    instances = [company.start() for _ in range(6)]
    settings = WorkSettings(threads=2, scan_every=timedelta(milliseconds=50))
    workers = [company.worker(settings=settings) for _ in range(2)]
    for worker in workers:
        worker.start()
    turn = threading.Event()
    for _ in range(400):
        if all(company.state(each) is ExecutionState.FINISHED for each in instances):
            break
        turn.wait(0.05)
    assert all(worker.stop(timedelta(seconds=10)) for worker in workers)
    assert [company.state(each) for each in instances] == [ExecutionState.FINISHED] * 6
    assert len(company.erp.documents) == len(company.erp.calls) == 6


def test_a_ring_brings_a_started_instance_to_its_end_without_a_scan(sqlite_store: Store) -> None:
    company = Company(sqlite_store, Erp())
    worker = company.worker(settings=WorkSettings(threads=1, scan_every=timedelta(minutes=10)))
    worker.start()
    workflow_id = company.start()
    turn = threading.Event()
    for _ in range(400):
        if company.state(workflow_id) is ExecutionState.FINISHED:
            break
        turn.wait(0.02)
    assert worker.stop(timedelta(seconds=10))
    assert company.state(workflow_id) is ExecutionState.FINISHED
