"""Finds, claims and keeps jobs. A write's intent is committed with its claim, before the first byte (P6)."""

from __future__ import annotations

from datetime import timedelta

from engine.contract.ids import JobId
from engine.contract.operation import Operation
from engine.identity.actor import Actor
from engine.identity.permissions import Permission, require
from engine.model import statuses
from engine.model.definition import Definition
from engine.runtime.advance import load_instance, plan_trouble
from engine.runtime.apply import apply
from engine.runtime.cause import Cause, Trouble, parameters_of
from engine.runtime.claimed import Claim, claimed_job, intend, is_write, operation_of
from engine.runtime.commands import ClaimedJob
from engine.runtime.compensation import is_compensation
from engine.runtime.limits import LOST_LIMIT
from engine.runtime.rooms import Overtaken, Rooms, starting_over
from engine.store import instances, jobs, steps
from engine.store.instances import InstanceHead
from engine.store.jobs import DueJob, JobRow
from engine.store.sessions import WriteSession
from engine.store.steps import StepStatus

#: Code of the incident of a write that its instance's business status does not allow.
WRITE_NOT_ALLOWED = "write_not_allowed"


class _NotAllowedNow(Exception):
    """The instance's business status does not allow the job's write."""


def due_jobs(rooms: Rooms, limit: int) -> tuple[DueJob, ...]:
    """Return jobs that can be claimed now, over all tenants, urgent ones first."""
    with rooms.store.reading() as session:
        return tuple(session.all(jobs.DUE, {"lost_limit": LOST_LIMIT, "limit": limit}))


def claim(rooms: Rooms, actor: Actor, owner: str, job_id: JobId, lease: timedelta) -> ClaimedJob | None:
    """Claim a job for ``lease`` by the database's clock; None when it is not there to be claimed.

    A write that the instance's business status does not allow is parked with an incident instead (W3).
    """
    require(actor, Permission.WORK)
    with rooms.store.reading() as session:
        seen = session.one(jobs.BY_ID, {"job_id": job_id})
    if seen is None:
        return None
    writes = is_write(operation_of(rooms.registry, seen.operation))
    try:
        with rooms.store.writing("intent" if writes else "claim") as session:
            return _claim(rooms, session, owner, job_id, lease)
    except _NotAllowedNow:
        starting_over(lambda: _park_unclaimed(rooms, actor, seen))
        return None


def _claim(rooms: Rooms, session: WriteSession, owner: str, job_id: JobId, lease: timedelta) -> ClaimedJob | None:
    terms = {"job_id": job_id, "by": owner, "lease": lease, "lost_limit": LOST_LIMIT}
    if session.run(jobs.CLAIM, terms) == 0:
        session.abandon()
        return None
    job = session.one(jobs.BY_ID, {"job_id": job_id})
    if job is None or job.lease_until is None:
        raise KeyError(job_id)
    instance = session.one(instances.HEAD, {"tenant_id": job.tenant_id, "workflow_id": job.workflow_id})
    if instance is None:
        raise KeyError(job.workflow_id)
    held = Claim(owner=owner, attempt=job.attempt, claimed_at=session.now(), lease_until=job.lease_until)
    row = parameters_of(job)
    mark_running(session, instance, job_id, job.failure_count)
    operation = operation_of(rooms.registry, job.operation)
    if operation is None or not is_write(operation):
        return claimed_job(instance, row, held)
    definition = rooms.definitions.get(session, instance.tenant_id, instance.definition_id).definition
    if not may_write(rooms, definition, instance, operation):
        raise _NotAllowedNow
    must_look_up, unsettled = intend(session, instance, row, held)
    return claimed_job(instance, row, held, must_look_up=must_look_up, unsettled=unsettled)


def mark_running(session: WriteSession, instance: InstanceHead, job_id: str, failure_count: int) -> None:
    """Note that a step's job is being done."""
    session.run(
        steps.MARK,
        {
            "tenant_id": instance.tenant_id,
            "workflow_id": instance.workflow_id,
            "execution_id": job_id,
            "new_status": StepStatus.RUNNING,
            "new_error_code": None,
            "new_error_message": None,
            "new_failure_count": failure_count,
        },
    )


def may_write(rooms: Rooms, definition: Definition, instance: InstanceHead, operation: Operation) -> bool:
    """Whether the instance's business status allows this write now (W3)."""
    undoes = is_compensation(rooms, definition, operation)
    return statuses.may_write(definition.settings, instance.business_status, is_compensation=undoes)


def heartbeat(rooms: Rooms, actor: Actor, claimed: ClaimedJob, lease: timedelta) -> bool:
    """Keep a claimed job for another ``lease`` from now; False: it was lost. Raises PermissionDenied."""
    require(actor, Permission.WORK)
    with rooms.store.writing("heartbeat") as session:
        terms = {"job_id": claimed.job_id, "by": claimed.owner, "claim": claimed.attempt, "lease": lease}
        return session.run(jobs.HEARTBEAT, terms) == 1


def _park_unclaimed(rooms: Rooms, actor: Actor, job: JobRow) -> None:
    """Park a ready write that may not be sent in the instance's business status."""
    with rooms.store.reading() as session:
        seen = session.one(jobs.BY_ID, {"job_id": job.job_id})
        if seen is None or seen.attempt != job.attempt:
            return
        loaded = load_instance(rooms, session, job.tenant_id, job.workflow_id)
    operation = operation_of(rooms.registry, job.operation)
    if operation is not None and may_write(rooms, loaded.deployed.definition, loaded.instance, operation):
        return
    trouble = Trouble(
        code=WRITE_NOT_ALLOWED,
        message=f"{job.operation} may not be sent in status {loaded.instance.business_status}.",
        step_key=job.step_key,
        wait_id=job.job_id,
    )
    cause = Cause(
        event="job_parked", actor=actor.person_id, person_id=actor.person_id, detail={"element": job.step_key}
    )
    with rooms.store.writing("park") as session:
        apply(session, plan_trouble(loaded, cause, trouble), rooms.new_id)
        if session.run(jobs.PARK_UNCLAIMED, {"job_id": job.job_id, "claim": job.attempt}) == 0:
            raise Overtaken
