"""A worker that finishes a job goes on with the first one it opened, claimed in the same commit (facts: 8.8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.contract.operation import Operation
from engine.model.statuses import may_write
from engine.runtime.advance import Loaded
from engine.runtime.cause import Parameters
from engine.runtime.claimed import Claim, claimed_job, intend, is_write, lease_of, operation_of
from engine.runtime.commands import ClaimedJob
from engine.runtime.compensation import is_compensation
from engine.runtime.plan import Plan
from engine.runtime.rooms import Rooms
from engine.store.jobs import JobStatus
from engine.store.sessions import WriteSession
from engine.store.steps import StepStatus


@dataclass(frozen=True, kw_only=True)
class NextClaim:
    """The job that is claimed with the commit that opens it."""

    job: Parameters
    claim: Claim
    operation: Operation | None


def claim_first(rooms: Rooms, loaded: Loaded, plan: Plan, claimed: ClaimedJob) -> tuple[Plan, NextClaim | None]:
    """Return the plan with its first job claimed by the worker that holds ``claimed``, and that claim.

    None where the plan opens no job, or a write that its business status does not allow.
    """
    if not plan.jobs:
        return plan, None
    first, *others = plan.jobs
    operation = operation_of(rooms.registry, first["operation"])
    if operation is not None and is_write(operation):
        definition = loaded.deployed.definition
        undoes = is_compensation(rooms, definition, operation)
        if not may_write(definition.settings, plan.after.business_status, is_compensation=undoes):
            return plan, None
    claim = Claim(owner=claimed.owner, attempt=1, claimed_at=loaded.now, lease_until=loaded.now + lease_of(claimed))
    running = {
        **first,
        "status": JobStatus.RUNNING,
        "owner": claim.owner,
        "attempt": claim.attempt,
        "lease_until": claim.lease_until,
    }
    steps = tuple(
        {**row, "status": StepStatus.RUNNING} if row["execution_id"] == first["job_id"] else row
        for row in plan.steps.new
    )
    plan = replace(plan, jobs=(running, *others), steps=replace(plan.steps, new=steps))
    return plan, NextClaim(job=running, claim=claim, operation=operation)


def hand_out(session: WriteSession, plan: Plan, claim: NextClaim) -> ClaimedJob:
    """Write down the intent of a claimed write and return the job as its worker gets it."""
    if not is_write(claim.operation):
        return claimed_job(plan.after, claim.job, claim.claim)
    must_look_up, unsettled = intend(session, plan.after, claim.job, claim.claim)
    return claimed_job(plan.after, claim.job, claim.claim, must_look_up=must_look_up, unsettled=unsettled)
