"""An installation as a benchmark uses it: the product's own parts, its worker in the calling thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.operations import increment
from engine.contract import Connection
from engine.contract.ids import TaskId, WorkflowType
from engine.identity import NewPerson, Role
from engine.interpreter.values import Value
from engine.runtime.commands import DecideRequest, DecisionAnswer, InstanceAnswer, StartRequest
from vermilion.installation import Installation, Parts
from vermilion.people import DEPLOYER_LOGIN, SERVICE_LOGIN
from vermilion.settings import Settings

PROCESSES = Path(__file__).parent / "processes"

_PEOPLE = (
    NewPerson(login="planner", name="Planner", roles=(Role.REQUESTER,), groups=("planners",)),
    NewPerson(login="reviewer", name="Reviewer", roles=(Role.APPROVER,), groups=("reviewers",)),
    NewPerson(login="manager", name="Manager", roles=(Role.APPROVER,), groups=("purchasing",)),
    NewPerson(login="watcher", name="Watcher", roles=(Role.AUDITOR,)),
)


class House:
    """Everything between a command and its rows, on one database. Use it in a with block."""

    def __init__(self, url: str, connections: Sequence[Connection] = ()) -> None:
        self.installation = Installation(Settings(database=url), Parts(operations=(increment,)))
        self.runtime = self.installation.runtime
        self.store = self.installation.store
        self._connections = connections

    def __enter__(self) -> Self:
        self.installation.__enter__()
        self.installation.seed(_PEOPLE)
        actor = self.installation.actor
        self.planner, self.reviewer, self.manager, self.watcher = (actor(each.login) for each in _PEOPLE)
        self.deployer, self.service = actor(DEPLOYER_LOGIN), actor(SERVICE_LOGIN)
        self.worker = self.installation.worker(self._connections)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.installation.__exit__(kind, error, trace)

    def deploy(self, files: Mapping[str, bytes]) -> WorkflowType:
        """Deploy a process and return its type."""
        return self.runtime.deploy(self.deployer, files).workflow_type

    def start(self, workflow_type: WorkflowType, variables: Mapping[str, Value]) -> InstanceAnswer:
        """Start an instance by hand."""
        return self.runtime.start(self.planner, StartRequest(workflow_type=workflow_type, variables=variables))

    def work(self) -> int:
        """Do the jobs that the bell rang for, and those that they open, as a worker's thread does; return how many."""
        done = 0
        while not self.installation.bell.is_drained(0):
            job_id = self.installation.bell.take()
            assert job_id is not None
            done += self.worker.work_on(job_id)
        return done

    def decide(self, request: DecideRequest) -> DecisionAnswer:
        """Decide a task as the reviewer."""
        return self.runtime.decide(self.reviewer, request)

    def decision(self, instance: InstanceAnswer, values: Mapping[str, Value]) -> DecideRequest:
        """Return the decision of the one open task of an instance, as its page would send it."""
        waits = self.runtime.instance(self.watcher, instance.workflow_id).waits
        (task_id,) = (TaskId(each.wait_id) for each in waits if each.kind == "task")
        seen = self.runtime.task(self.watcher, task_id)
        return DecideRequest(task_id=task_id, values=values, bound_digest=seen.bound_digest)

    def state_of(self, instance: InstanceAnswer) -> str:
        """Return how the engine stands with an instance now."""
        return self.runtime.instance(self.watcher, instance.workflow_id).execution_state
