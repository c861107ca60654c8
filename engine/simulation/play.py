"""The same runtime as in production, with a worker that takes each result from a script instead of calling anybody."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta

from engine.contract.ids import JobId, PersonId, TenantId
from engine.contract.registry import OperationRegistry
from engine.identity.actor import Actor
from engine.identity.permissions import Permission
from engine.interpreter import Interpreter
from engine.interpreter.scripting import ScriptRunner
from engine.runtime import Runtime
from engine.runtime.commands import ClaimedJob, DeployedVersion, JobKind, JobOutcome, Parked, Succeeded
from engine.store import Store

TENANT = TenantId("simulation")
#: Jobs and timers that one ``run`` goes through before it says that the process does not come to rest.
MOST_MOVES = 10_000
_LEASE = timedelta(hours=1)
_OWNER = "simulation"
_BATCH = 50


class DoesNotRest(Exception):
    """The process keeps going without ever waiting for somebody. Draw an end to its loop, or script fewer answers."""


class Simulation:
    """One process on a store of its own.

    ::

        simulation = Simulation(store, registry, scripts, new_id=new_id)
        simulation.deploy(files)
        simulation.answers("read_stock", [Succeeded(result='{"available": "5"}')])
        simulation.runtime.start(simulation.actor(), request)
        simulation.run()

    Parameters
    ----------
    store
        A migrated store that nobody else uses; its clock is moved.
    registry
        The operations as declared: their inputs and outputs count, their functions are never called.
    """

    def __init__(
        self, store: Store, registry: OperationRegistry, scripts: ScriptRunner, *, new_id: Callable[[], str]
    ) -> None:
        self.runtime = Runtime(store, Interpreter(scripts), registry, new_id=new_id)
        self._store = store
        self._new_id = new_id
        self._answers: dict[str, deque[JobOutcome]] = {}
        self._worker = self.actor(is_service=True)

    def actor(self, *groups: str, is_service: bool = False) -> Actor:
        """Return somebody of these groups who may do everything; process roles still decide who may decide a task."""
        return Actor(
            tenant_id=TENANT,
            person_id=PersonId(self._new_id()),
            name=_OWNER,
            permissions=frozenset(Permission),
            groups=frozenset(groups),
            is_service=is_service,
        )

    def deploy(self, files: Mapping[str, bytes]) -> DeployedVersion:
        """Deploy a version. Raises DefinitionRefused."""
        return self.runtime.deploy(self._worker, files)

    def answers(self, name: str, outcomes: Iterable[JobOutcome]) -> None:
        """Script what a step, by element id, or an operation, by name, answers: one outcome per call, in order."""
        self._answers.setdefault(name, deque()).extend(outcomes)

    def move_clock(self, by: timedelta) -> None:
        """Let time pass."""
        self._store.move_clock(by)

    def run(self) -> int:
        """Do what is due until everything waits for a person, a message or a later time; returns the moves made.

        Raises
        ------
        DoesNotRest
            When that does not happen within ``MOST_MOVES``.
        """
        moves = 0
        while moves < MOST_MOVES:
            fired = self.runtime.fire_due(self._worker, _BATCH).count
            worked = sum(self._work(JobId(due.job_id)) for due in self.runtime.due_jobs(_BATCH))
            if not fired and not worked:
                return moves
            moves += fired + worked
        raise DoesNotRest

    def _work(self, job_id: JobId) -> bool:
        claimed = self.runtime.claim(self._worker, _OWNER, job_id, _LEASE)
        if claimed is None:
            return False
        self.runtime.record(self._worker, claimed, self._outcome(claimed))
        return True

    def _outcome(self, claimed: ClaimedJob) -> JobOutcome:
        if claimed.kind is JobKind.CONTINUE:
            return Succeeded(result="null")
        operation = (claimed.operation or "").partition("@")[0]
        for name in (claimed.correlation.step_key, operation):
            scripted = self._answers.get(name)
            if scripted:
                return scripted.popleft()
        return Parked(
            error_code="not_scripted",
            message=f"The scenario says nothing of {claimed.correlation.step_key} ({claimed.operation}).",
            is_unknown=False,
        )
