"""The engine as a benchmark uses it: one store, one runtime, one worker in the calling thread."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.contract import Connection
from engine.contract.ids import JobId, PersonId, TaskId, TenantId, WorkflowType
from engine.identity.actor import Actor
from engine.identity.permissions import Role, permissions_of
from engine.interpreter import Interpreter
from engine.interpreter.scripting import ScriptRunner
from engine.interpreter.values import Value
from engine.runtime import Runtime
from engine.runtime.commands import DecideRequest, DecisionAnswer, InstanceAnswer, ReceivedEvent, StartRequest
from engine.store import Store
from engine.store.new_ids import NewIds
from engine.work.limits import ProcessLimits
from engine.work.perform import Performer
from engine.work.worker import Worker
from service_tasks.catalogue import build_registry

from bench.operations import INCREMENT

PROCESSES = Path(__file__).parent / "processes"
SHIPPED = Path(__file__).parents[1] / "processes"
TENANT = TenantId("bench")


def actor(number: int, name: str, roles: Sequence[Role], *, groups: Sequence[str] = (), is_service: bool = False) -> Actor:
    """Return somebody who commands."""
    return Actor(
        tenant_id=TENANT,
        person_id=PersonId(f"{number:032x}"),
        name=name,
        permissions=permissions_of(roles),
        groups=frozenset(groups),
        is_service=is_service,
    )


OWNER = actor(1, "Owner", [Role.PROCESS_OWNER, Role.OPERATOR])
PLANNER = actor(2, "Planner", [Role.REQUESTER], groups=["planners"])
REVIEWER = actor(3, "Reviewer", [Role.APPROVER], groups=["reviewers"])
MANAGER = actor(4, "Manager", [Role.APPROVER], groups=["purchasing"])
SERVICE = actor(5, "Service", [Role.SERVICE, Role.INTEGRATOR], is_service=True)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a process by their path inside its folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


class House:
    """Everything between a command and its rows, on one database.

    Jobs that become ready are remembered; ``work`` does them as a worker's thread does when the bell rings.
    """

    def __init__(self, url: str, scripts: ScriptRunner, connections: Sequence[Connection] = ()) -> None:
        self.store = Store(url)
        self.store.migrate()
        self.new_id = NewIds()
        registry = build_registry(more=[INCREMENT])
        self.interpreter = Interpreter(scripts)
        self._rung: deque[JobId] = deque()
        self.runtime = Runtime(self.store, self.interpreter, registry, new_id=self.new_id, bell=self._ring)
        dice = random.Random(7)  # noqa: S311 - jitter, not a secret
        performer = Performer(
            journal=self.runtime,
            registry=registry,
            connections={each.system: each for each in connections},
            limits=ProcessLimits(),
            actor=SERVICE,
            dice=dice,
        )
        self.worker = Worker(ledger=self.runtime, performer=performer, actor=SERVICE, dice=dice)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.store.close()

    def _ring(self, job_ids: Sequence[str]) -> None:
        self._rung.extend(JobId(each) for each in job_ids)

    def deploy(self, files: Mapping[str, bytes]) -> WorkflowType:
        """Deploy a process and return its type."""
        return self.runtime.deploy(OWNER, files).workflow_type

    def start(self, workflow_type: WorkflowType, variables: Mapping[str, Value], by: Actor = PLANNER) -> InstanceAnswer:
        """Start an instance."""
        return self.runtime.start(by, StartRequest(workflow_type=workflow_type, variables=variables))

    def work(self) -> int:
        """Do the jobs that became ready, and those that they open; return how many."""
        done = 0
        while self._rung:
            done += self.worker.work_on(self._rung.popleft())
        return done

    def send(self, event: ReceivedEvent) -> None:
        """Let a business event arrive."""
        self.runtime.receive(SERVICE, event)

    def decide(self, request: DecideRequest, by: Actor = REVIEWER) -> DecisionAnswer:
        """Decide a task."""
        return self.runtime.decide(by, request)

    def state_of(self, instance: InstanceAnswer) -> str:
        """Return how the engine stands with an instance now."""
        return self.runtime.instance(OWNER, instance.workflow_id).execution_state

    def decision(self, instance: InstanceAnswer, values: Mapping[str, Value], by: Actor = REVIEWER) -> DecideRequest:
        """Return the decision of the one open task of an instance, as its page would send it; reads, not measured."""
        waits = self.runtime.instance(OWNER, instance.workflow_id).waits
        (task_id,) = (TaskId(each.wait_id) for each in waits if each.kind == "task")
        seen = self.runtime.task(by, task_id)
        return DecideRequest(task_id=task_id, values=values, bound_digest=seen.bound_digest)
