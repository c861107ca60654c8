"""The runtime: every command and every view, one method each (P1). Permissions are checked in the commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from engine.contract.ids import DefinitionId, JobId, PersonId, TaskId, TenantId, WorkflowId, WorkflowType
from engine.contract.registry import OperationRegistry
from engine.identity import IssuedToken, NewPerson, OpenedSession, Person, SignedIn
from engine.identity.actor import Actor
from engine.identity.tokens import actor_for_token
from engine.interpreter import Interpreter
from engine.model import Definition, read_definition
from engine.runtime import (
    api_requests,
    cancel,
    claim,
    commands,
    decide,
    deploy,
    fire,
    instance_view,
    intents,
    people,
    process_view,
    publish,
    queue_view,
    receive,
    record,
    repair,
    sign_in,
    start,
    sweep,
    task_view,
    views,
)
from engine.runtime.checking import checked
from engine.runtime.definitions import Definitions
from engine.runtime.rooms import Bell, Check, Rooms, no_bell
from engine.store import Store, StoreError
from engine.store.jobs import DueJob
from engine.store.people import TokenRow
from engine.store.statements import FIRST


class Runtime:
    """Starts, continues, decides, repairs and shows instances of processes.

    ::

        runtime = Runtime(store, interpreter, registry, new_id=new_id)
        runtime.deploy(actor, files)
        answer = runtime.start(actor, StartRequest(workflow_type=WorkflowType("order"), variables={}))

    Each command is one unit of work and checks the actor's permission itself. May be shared by threads.

    Parameters
    ----------
    new_id
        Gives UUIDv7 as 32 lowercase hex digits, each greater than the ones before it in this process.
    check
        Reads and checks the files of a process before they are deployed; left out: every check there is.
    bell
        Told of jobs that can be claimed, after the commit that made them; must not raise.
    """

    def __init__(
        self,
        store: Store,
        interpreter: Interpreter,
        registry: OperationRegistry,
        *,
        new_id: Callable[[], str],
        check: Check | None = None,
        bell: Bell = no_bell,
    ) -> None:
        self._rooms = Rooms(
            store=store,
            interpreter=interpreter,
            registry=registry,
            definitions=Definitions(read_definition),
            new_id=new_id,
            bell=bell,
            check=check or (lambda files: checked(files, registry)),
        )
        self._round = sweep.Round()

    # --- identity ------------------------------------------------------------------------------------------------

    def sign_in(self, secret: str) -> Actor:
        """Return whom a bearer token signs in. Raises NotSignedIn."""
        with self._rooms.store.reading() as session:
            return actor_for_token(session, secret)

    def sign_in_with_password(self, tenant_id: TenantId, login: str, password: str) -> OpenedSession:
        """See :func:`engine.runtime.sign_in.sign_in_with_password`."""
        return sign_in.sign_in_with_password(self._rooms, tenant_id, login, password)

    def reader(self, secret: str) -> SignedIn:
        """See :func:`engine.runtime.sign_in.reader`."""
        return sign_in.reader(self._rooms, secret)

    def sign_out(self, secret: str) -> None:
        """See :func:`engine.runtime.sign_in.sign_out`."""
        sign_in.sign_out(self._rooms, secret)

    def set_password(self, actor: Actor, login: str, password: str) -> None:
        """See :func:`engine.runtime.sign_in.set_password`."""
        sign_in.set_password(self._rooms, actor, login, password)

    def seed_password(self, tenant_id: TenantId, login: str, password: str) -> None:
        """See :func:`engine.runtime.sign_in.seed_password`."""
        sign_in.seed_password(self._rooms, tenant_id, login, password)

    def change_own_password(self, reader: SignedIn, old: str, new: str) -> None:
        """See :func:`engine.runtime.sign_in.change_own_password`."""
        sign_in.change_own_password(self._rooms, reader, old, new)

    def change_own_language(self, actor: Actor, language: str) -> None:
        """See :func:`engine.runtime.sign_in.change_own_language`."""
        sign_in.change_own_language(self._rooms, actor, language)

    def seed_people(self, tenant_id: TenantId, new: Sequence[NewPerson]) -> tuple[Person, ...]:
        """See :func:`engine.runtime.people.seed`."""
        return people.seed(self._rooms, tenant_id, new)

    def add_person(self, actor: Actor, new: NewPerson) -> Person:
        """See :func:`engine.runtime.people.add`."""
        return people.add(self._rooms, actor, new)

    def actor_by_login(self, tenant_id: TenantId, login: str) -> Actor:
        """See :func:`engine.runtime.people.actor_by_login`."""
        return people.actor_by_login(self._rooms, tenant_id, login)

    def people(self, actor: Actor, *, after: PersonId | None = None, limit: int = 200) -> tuple[Person, ...]:
        """See :func:`engine.runtime.people.show_people`."""
        return people.show_people(self._rooms, actor, after=after or PersonId(FIRST), limit=limit)

    def person(self, actor: Actor, login: str) -> Person:
        """See :func:`engine.runtime.people.show_person`."""
        return people.show_person(self._rooms, actor, login)

    def issue_token(self, actor: Actor, login: str, *, name: str, lifetime: timedelta | None) -> IssuedToken:
        """See :func:`engine.runtime.people.issue_token`."""
        return people.issue_token(self._rooms, actor, login, name=name, lifetime=lifetime)

    def change_person(self, actor: Actor, login: str, change: people.PersonChange) -> Person:
        """See :func:`engine.runtime.people.change`."""
        return people.change(self._rooms, actor, login, change)

    def tokens(self, actor: Actor, login: str) -> tuple[TokenRow, ...]:
        """See :func:`engine.runtime.people.show_tokens`."""
        return people.show_tokens(self._rooms, actor, login)

    def revoke_token(self, actor: Actor, token_id: str) -> None:
        """See :func:`engine.runtime.people.revoke_token`."""
        people.revoke_token(self._rooms, actor, token_id)

    # --- definitions ---------------------------------------------------------------------------------------------

    def deploy(self, actor: Actor, files: Mapping[str, bytes]) -> commands.DeployedVersion:
        """See :func:`engine.runtime.deploy.deploy`."""
        return deploy.deploy(self._rooms, actor, files)

    def definition(self, tenant_id: TenantId, definition_id: DefinitionId) -> Definition:
        """Return a deployed version. Raises KeyError when the tenant has none of this id."""
        with self._rooms.store.reading() as session:
            return self._rooms.definitions.get(session, tenant_id, definition_id).definition

    def missing_operations(self) -> tuple[deploy.MissingOperation, ...]:
        """See :func:`engine.runtime.deploy.missing_operations`."""
        return deploy.missing_operations(self._rooms)

    def processes(self, actor: Actor, *, language: str = "en") -> tuple[views.ProcessView, ...]:
        """See :func:`engine.runtime.process_view.list_processes`."""
        return process_view.list_processes(self._rooms, actor, language=language)

    def process(self, actor: Actor, workflow_type: WorkflowType, *, language: str = "en") -> views.ProcessView:
        """See :func:`engine.runtime.process_view.show_process`."""
        return process_view.show_process(self._rooms, actor, workflow_type, language=language)

    # --- instances -----------------------------------------------------------------------------------------------

    def start(self, actor: Actor, request: commands.StartRequest) -> commands.InstanceAnswer:
        """See :func:`engine.runtime.start.start`."""
        return start.start(self._rooms, actor, request)

    def receive(self, actor: Actor, event: commands.ReceivedEvent) -> commands.EventAnswer:
        """See :func:`engine.runtime.receive.receive`."""
        return receive.receive(self._rooms, actor, event)

    def cancel(self, actor: Actor, request: commands.CancelRequest) -> commands.InstanceAnswer:
        """See :func:`engine.runtime.cancel.cancel`."""
        return cancel.cancel(self._rooms, actor, request)

    def repair(self, actor: Actor, request: commands.RepairRequest) -> commands.InstanceAnswer:
        """See :func:`engine.runtime.repair.repair`."""
        return repair.repair(self._rooms, actor, request)

    def release_key(self, actor: Actor, workflow_id: WorkflowId, reason: str) -> commands.InstanceAnswer:
        """See :func:`engine.runtime.repair.release_key`."""
        return repair.release_key(self._rooms, actor, workflow_id, reason)

    def instances(
        self,
        actor: Actor,
        wanted: instance_view.InstanceFilter | None = None,
        *,
        cursor: str | None = None,
        limit: int = 50,
        language: str = "en",
    ) -> views.Page[views.InstanceSummary]:
        """See :func:`engine.runtime.instance_view.list_instances`."""
        return instance_view.list_instances(
            self._rooms,
            actor,
            wanted or instance_view.InstanceFilter(),
            cursor=cursor,
            limit=limit,
            language=language,
        )

    def instance(self, actor: Actor, workflow_id: WorkflowId, *, language: str = "en") -> views.InstanceView:
        """See :func:`engine.runtime.instance_view.show_instance`."""
        return instance_view.show_instance(self._rooms, actor, workflow_id, language=language)

    # --- tasks ---------------------------------------------------------------------------------------------------

    def decide(self, actor: Actor, request: commands.DecideRequest) -> commands.DecisionAnswer:
        """See :func:`engine.runtime.decide.decide`."""
        return decide.decide(self._rooms, actor, request)

    def tasks(
        self,
        actor: Actor,
        wanted: views.TaskFilter | None = None,
        *,
        cursor: str | None = None,
        limit: int = 50,
        language: str = "en",
    ) -> views.Page[views.TaskSummary]:
        """See :func:`engine.runtime.task_view.list_tasks`."""
        return task_view.list_tasks(self._rooms, actor, wanted, cursor=cursor, limit=limit, language=language)

    def task(self, actor: Actor, task_id: TaskId, *, language: str = "en") -> views.TaskView:
        """See :func:`engine.runtime.task_view.show_task`."""
        return task_view.show_task(self._rooms, actor, task_id, language=language)

    # --- work ----------------------------------------------------------------------------------------------------

    def due_jobs(self, limit: int) -> tuple[DueJob, ...]:
        """See :func:`engine.runtime.claim.due_jobs`."""
        return claim.due_jobs(self._rooms, limit)

    def claim(self, actor: Actor, owner: str, job_id: JobId, lease: timedelta) -> commands.ClaimedJob | None:
        """See :func:`engine.runtime.claim.claim`."""
        return claim.claim(self._rooms, actor, owner, job_id, lease)

    def heartbeat(self, actor: Actor, claimed: commands.ClaimedJob, lease: timedelta) -> bool:
        """See :func:`engine.runtime.claim.heartbeat`."""
        return claim.heartbeat(self._rooms, actor, claimed, lease)

    def intend(self, actor: Actor, claimed: commands.ClaimedJob) -> bool:
        """See :func:`engine.runtime.intents.intend_again`."""
        return intents.intend_again(self._rooms, actor, claimed)

    def settle(
        self,
        actor: Actor,
        claimed: commands.ClaimedJob,
        earlier: commands.EarlierIntent,
        document: str | None,
        *,
        is_void: bool = False,
    ) -> bool:
        """See :func:`engine.runtime.intents.settle`."""
        return intents.settle(self._rooms, actor, claimed, earlier, document, is_void=is_void)

    def record(
        self,
        actor: Actor,
        claimed: commands.ClaimedJob,
        outcome: commands.JobOutcome,
        *,
        claim_next: bool = False,
        model_calls: Sequence[commands.ModelCallRecord] = (),
    ) -> commands.RecordAnswer:
        """See :func:`engine.runtime.record.record`."""
        return record.record(self._rooms, actor, claimed, outcome, claim_next=claim_next, model_calls=model_calls)

    # --- time, healing, publishing -------------------------------------------------------------------------------

    def fire_due(self, actor: Actor, limit: int) -> fire.Done:
        """See :func:`engine.runtime.fire.fire_due`."""
        return fire.fire_due(self._rooms, actor, limit)

    def sweep(self, actor: Actor) -> fire.Done:
        """See :func:`engine.runtime.sweep.sweep`."""
        return sweep.sweep(self._rooms, actor, self._round)

    def due_in(self) -> timedelta | None:
        """See :func:`engine.runtime.sweep.due_in`."""
        return sweep.due_in(self._rooms)

    def take_outbox(self, actor: Actor, limit: int) -> tuple[publish.OutgoingMessage, ...]:
        """See :func:`engine.runtime.publish.take_outbox`."""
        return publish.take_outbox(self._rooms, actor, limit)

    def mark_sent(self, actor: Actor, message_id: str) -> None:
        """See :func:`engine.runtime.publish.mark_sent`."""
        publish.mark_sent(self._rooms, actor, message_id)

    def mark_failed(self, actor: Actor, message_id: str, pause: timedelta) -> None:
        """See :func:`engine.runtime.publish.mark_failed`."""
        publish.mark_failed(self._rooms, actor, message_id, pause)

    # --- overview ------------------------------------------------------------------------------------------------

    def why_not_ready(self) -> str | None:
        """Return what keeps this process from serving, as a sentence; None when nothing does."""
        try:
            self._rooms.store.check_schema()
        except StoreError as error:
            return str(error)
        missing = self.missing_operations()
        return (
            None
            if not missing
            else "; ".join(
                f"{each.workflow_type} {each.number} needs the operation {each.reference}, which is not installed"
                for each in missing
            )
        )

    def queue(self, actor: Actor, *, language: str = "en") -> views.QueueView:
        """See :func:`engine.runtime.queue_view.show_queue`."""
        return queue_view.show_queue(self._rooms, actor, language=language)

    def waiting(self, actor: Actor) -> views.WaitingView:
        """See :func:`engine.runtime.queue_view.show_waiting`."""
        return queue_view.show_waiting(self._rooms, actor)

    def counts(self, actor: Actor) -> views.Counts:
        """See :func:`engine.runtime.queue_view.show_counts`."""
        return queue_view.show_counts(self._rooms, actor)

    # --- requests with an Idempotency-Key ------------------------------------------------------------------------

    def recall(self, actor: Actor, key: str, fingerprint: str) -> api_requests.StoredAnswer | None:
        """See :func:`engine.runtime.api_requests.recall`."""
        return api_requests.recall(self._rooms, actor, key, fingerprint)

    def remember(
        self, actor: Actor, key: str, fingerprint: str, *, status_code: int, answer: bytes
    ) -> api_requests.StoredAnswer:
        """See :func:`engine.runtime.api_requests.remember`."""
        return api_requests.remember(self._rooms, actor, key, fingerprint, status_code=status_code, answer=answer)
