"""A runtime over a store with people, operations and processes, and the moves that tests make with it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import update

from engine.contract import Call, Effect, Found, Lookup, OperationRegistry, Values, operation
from engine.contract.ids import EventId, JobId, PersonId, TaskId, TenantId, WorkflowId, WorkflowType
from engine.identity.actor import Actor
from engine.identity.people import NewPerson, actor_of, seed_people
from engine.interpreter import Interpreter
from engine.interpreter.values import Value
from engine.runtime import Runtime
from engine.runtime.commands import (
    ClaimedJob,
    DecideRequest,
    DecisionAnswer,
    EventAnswer,
    InstanceAnswer,
    JobOutcome,
    ReceivedEvent,
    RecordAnswer,
    StartRequest,
    Succeeded,
)
from engine.runtime.encoding import digest, pack
from engine.store import Change, Store, messages
from engine.store.tables import instance
from tests.interpreter.playing import PlainScripts

TENANT = TenantId("main")
LEASE = timedelta(seconds=30)


class Number(Values):
    """A number in, a number out."""

    value: Decimal


class Draft(Values):
    """What is to be created."""

    amount: Decimal


class Order(Values):
    """What was created."""

    number: str


class Nothing(Values):
    """No input."""


@operation("test.add", version=1, effect=Effect.READ, system="erp")
def add(call: Call, number: Number) -> Number:
    """Add one."""
    return Number(value=number.value + 1)


@operation("test.judge", version=1, effect=Effect.PURE)
def judge(call: Call, number: Number) -> Number:
    """Judge a number by a rule."""
    return number


@operation("test.find", version=1, effect=Effect.READ, system="erp")
def find(call: Call, lookup: Lookup) -> Found[Order]:
    """Find an order by its key."""
    return Found[Order]()


@operation("test.create", version=1, effect=Effect.WRITE, system="erp", reconcile="test.find", compensate="test.undo")
def create(call: Call, draft: Draft) -> Order:
    """Create an order."""
    return Order(number=f"PO-{draft.amount}")


@operation("test.undo", version=1, effect=Effect.WRITE, system="erp", reconcile="test.find")
def undo(call: Call, order: Order) -> Order:
    """Cancel an order."""
    return order


REGISTRY = OperationRegistry([add, judge, find, create, undo])


class Ids:
    """Gives ids in order, like UUIDv7."""

    def __init__(self, prefix: int = 0x0190) -> None:
        self._numbers = itertools.count(1)
        self._prefix = prefix

    def __call__(self) -> str:
        """Return the next id."""
        return f"{self._prefix:04x}{next(self._numbers):028x}"


@dataclass
class Bell:
    """Remembers what it was rung for."""

    rung: list[str] = field(default_factory=list[str])

    def __call__(self, job_ids: Sequence[str]) -> None:
        """Note the jobs."""
        self.rung.extend(job_ids)


class Company:
    """Everything a test needs: a runtime over ``store`` with people, and ``processes`` deployed."""

    def __init__(self, store: Store, *processes: Mapping[str, bytes], interpreter: Interpreter | None = None) -> None:
        self.store = store
        self.ids = Ids()
        self.bell = Bell()
        self.runtime = Runtime(
            store,
            interpreter or Interpreter(PlainScripts()),
            REGISTRY,
            new_id=self.ids,
            bell=self.bell,
        )
        people = (
            NewPerson(login="manager", name="Mei Lin", roles=("approver", "requester"), groups=("managers",)),
            NewPerson(login="second", name="Omar Haddad", roles=("approver",), groups=("managers",)),
            NewPerson(login="director", name="Dana Weiss", roles=("approver",), groups=("directors",)),
            NewPerson(login="operator", name="Ola Berg", roles=("operator", "requester", "admin")),
            NewPerson(login="stranger", name="Sam Stone", roles=("approver",), groups=("others",)),
            NewPerson(login="worker", name="Worker", roles=("service",), is_service=True),
        )
        with store.writing("people") as session:
            found = seed_people(session, TENANT, people, new_id=self.ids)
        self.people: dict[str, Actor] = {each.login: actor_of(each) for each in found}
        for files in processes:
            self.runtime.deploy(self.people["operator"], files)

    # --- actors --------------------------------------------------------------------------------------------------

    @property
    def manager(self) -> Actor:
        """May decide tasks of the role manager, and start."""
        return self.people["manager"]

    @property
    def operator(self) -> Actor:
        """May deploy, repair, cancel and start."""
        return self.people["operator"]

    @property
    def worker(self) -> Actor:
        """Works and sends events."""
        return self.people["worker"]

    def forget_operation(self, reference: str) -> None:
        """Go on as a runtime on which an operation is not installed."""
        registry = OperationRegistry([each for each in REGISTRY if each.reference != reference])
        self.runtime = Runtime(self.store, Interpreter(PlainScripts()), registry, new_id=self.ids, bell=self.bell)

    def clear_leases(self) -> None:
        """Let every lease run out, as after the end of a process."""
        self.store.move_clock(LEASE * 2)

    def sweep_and_claim(self) -> ClaimedJob | None:
        """Claim the next due job after a sweep."""
        self.runtime.sweep(self.worker)
        return self.claim()

    # --- moves ---------------------------------------------------------------------------------------------------

    def start(self, workflow_type: str, /, **variables: Value) -> InstanceAnswer:
        """Start an instance by hand."""
        request = StartRequest(workflow_type=WorkflowType(workflow_type), variables=variables)
        return self.runtime.start(self.operator, request)

    def event(self, event_id: str, event_type: str, /, **data: Value) -> ReceivedEvent:
        """Return an event."""
        return ReceivedEvent(
            source="urn:test",
            event_id=EventId(event_id),
            event_type=event_type,
            occurred_at=None,
            data=data,
            body_digest=digest(pack(data)),
        )

    def receive(self, event_id: str, event_type: str, /, **data: Value) -> EventAnswer:
        """Receive an event."""
        return self.runtime.receive(self.worker, self.event(event_id, event_type, **data))

    def work(self, owner: str = "w1") -> ClaimedJob:
        """Claim the next due job."""
        claimed = self.claim(owner)
        assert claimed is not None
        return claimed

    def claim(self, owner: str = "w1", lease: timedelta = LEASE) -> ClaimedJob | None:
        """Claim the next due job, if there is one."""
        for due in self.runtime.due_jobs(10):
            claimed = self.runtime.claim(self.worker, owner, JobId(due.job_id), lease)
            if claimed is not None:
                return claimed
        return None

    def record(self, claimed: ClaimedJob, outcome: JobOutcome, *, claim_next: bool = False) -> RecordAnswer:
        """Record an outcome."""
        return self.runtime.record(self.worker, claimed, outcome, claim_next=claim_next)

    def done(self, **result: Any) -> Succeeded:
        """Return a success with this result."""
        return Succeeded(result=pack_json(result))

    def task_of(self, workflow_id: str) -> TaskId:
        """Return the only open task of an instance."""
        view = self.runtime.instance(self.operator, WorkflowId(workflow_id))
        (wait,) = [each for each in view.waits if each.kind == "task"]
        return TaskId(wait.wait_id)

    def decision(self, task_id: TaskId, event_id: str | None = None, /, **values: Value) -> DecideRequest:
        """Return a decision on what the task shows now."""
        view = self.runtime.task(self.manager, task_id)
        return DecideRequest(
            task_id=task_id,
            values=values,
            bound_digest=view.bound_digest,
            event_id=EventId(event_id) if event_id is not None else None,
        )

    def decide(self, task_id: TaskId, /, actor: Actor | None = None, **values: Value) -> DecisionAnswer:
        """Decide as the manager."""
        return self.runtime.decide(actor or self.manager, self.decision(task_id, None, **values))

    def to_approval(self, ref: str = "R1", amount: int = 5, **more: Value) -> InstanceAnswer:
        """Start a purchase and bring it to its approval."""
        answer = self.receive(f"shortage-{ref}", "material.shortage", ref=ref, amount=amount, **more).instances[0]
        self.record(self.work(), self.done(value="6"))
        return answer

    def to_write(self, ref: str = "R1", amount: int = 5) -> InstanceAnswer:
        """Start a purchase and bring it to its write."""
        answer = self.to_approval(ref, amount)
        self.decide(self.task_of(answer.workflow_id), approved=True, note="")
        return answer

    def status(self, workflow_id: str) -> tuple[str | None, str]:
        """Return the business status and the execution state of an instance."""
        view = self.runtime.instance(self.operator, WorkflowId(workflow_id))
        return view.business_status, view.execution_state


def pack_json(value: Mapping[str, Any]) -> str:
    """Return JSON."""
    return json.dumps(value)


class Crash(BaseException):
    """The process ended here."""


class CrashAt:
    """Ends the process at a point once it is told to; notes every point passed."""

    def __init__(self) -> None:
        self.point: str | None = None
        self.passed: list[str] = []

    def reached(self, point: str) -> None:
        """Note the point, and end the process there if it is the one."""
        self.passed.append(point)
        if point == self.point:
            self.point = None
            raise Crash(point)


def keep_message(company: Company, name: str, key: str, payload: Mapping[str, Value]) -> None:
    """Keep a message as a crash between two commits leaves it: although somebody waits for it."""
    with company.store.writing("test") as session:
        row = {
            "tenant_id": TENANT,
            "message_id": company.ids(),
            "message_name": name,
            "correlation_key": key,
            "source": "urn:test",
            "payload": pack(payload),
            "received_at": session.now(),
        }
        session.run(messages.INSERT, row)


def break_state(company: Company, workflow_id: str) -> None:
    """Name a version of the process that does not exist: everything with this instance now fails unexpectedly."""
    change = Change(
        "test.break_state",
        "Test.",
        update(instance).where(instance.c.workflow_id == workflow_id).values(definition_id="f" * 32),
    )
    with company.store.writing("test") as session:
        session.run(change)


def force_status(company: Company, workflow_id: str, status: str) -> None:
    """Put an instance into a business status as no command would."""
    change = Change(
        "test.force_status",
        "Test.",
        update(instance).where(instance.c.workflow_id == workflow_id).values(business_status=status),
    )
    with company.store.writing("test") as session:
        session.run(change)


def nobody(company: Company) -> Actor:
    """Return somebody of the tenant without any permission."""
    return replace(company.manager, permissions=frozenset())


def person(company: Company, login: str) -> PersonId:
    """Return somebody's id."""
    return company.people[login].person_id
