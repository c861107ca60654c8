"""Lets something happen to an instance: read, interpret with nothing open, hand back one plan to write (P1, P15)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from engine.contract.ids import TenantId
from engine.interpreter.failures import InterpretationFailed, WaitGone
from engine.interpreter.messages import Advance, Happening
from engine.runtime.cause import Cause, Surroundings, Trouble
from engine.runtime.commands import ExecutionState
from engine.runtime.definitions import Deployed
from engine.runtime.happenings import pack_happening, wait_of
from engine.runtime.instances import load
from engine.runtime.interpreting import interpreting
from engine.runtime.limits import MOST_ROWS
from engine.runtime.plan import Plan, plan_advance
from engine.runtime.rooms import Rooms
from engine.runtime.wait_rows import Closed
from engine.store import incidents
from engine.store.incidents import IncidentRow
from engine.store.instances import InstanceRow
from engine.store.sessions import ReadSession


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """An instance with its version of the process and its open incidents, as read at ``now``."""

    instance: InstanceRow
    deployed: Deployed
    now: datetime
    incidents: tuple[IncidentRow, ...] = ()


def load_instance(rooms: Rooms, session: ReadSession, tenant_id: str, workflow_id: str) -> Loaded:
    """Read an instance and its definition. Raises UnknownInstance."""
    instance = load(session, tenant_id, workflow_id)
    deployed = rooms.definitions.get(session, TenantId(tenant_id), instance.definition_id)
    return Loaded(instance=instance, deployed=deployed, now=session.now(), incidents=open_incidents(session, instance))


def open_incidents(session: ReadSession, instance: InstanceRow) -> tuple[IncidentRow, ...]:
    """Read an instance's open incidents; no statement where its state says that it has none."""
    if instance.execution_state != ExecutionState.INCIDENT:
        return ()
    found = {"tenant_id": instance.tenant_id, "workflow_id": instance.workflow_id, "limit": MOST_ROWS}
    return tuple(session.all(incidents.OPEN_OF_INSTANCE, found))


def surroundings(rooms: Rooms, deployed: Deployed, now: datetime) -> Surroundings:
    """Return what planning needs."""
    return Surroundings(
        definition=deployed.definition,
        pinned=deployed.pinned,
        registry=rooms.registry,
        now=now,
        new_id=rooms.new_id,
    )


def plan_happening(
    rooms: Rooms, loaded: Loaded, happening: Happening, cause: Cause, results: Mapping[str, Any] | None = None
) -> Plan:
    """Return what a happening changes.

    Raises
    ------
    WaitGone
        When the instance no longer waits for it.
    InterpretationFailed
        When the process cannot go on, or the engine itself failed; ``keep`` makes the plan that loses nothing.
    """
    return plan_of(rooms, loaded, advanced(rooms, loaded, happening), cause, results)


def advanced(rooms: Rooms, loaded: Loaded, happening: Happening) -> Advance:
    """Return what the interpreter makes of a happening. Raises WaitGone, InterpretationFailed."""
    instance = loaded.instance
    with interpreting(instance):
        return rooms.interpreter.advance(
            loaded.deployed.definition, instance.state, happening, now=loaded.now, new_id=rooms.new_id
        )


def plan_of(
    rooms: Rooms, loaded: Loaded, advance: Advance, cause: Cause, results: Mapping[str, Any] | None = None
) -> Plan:
    """Return what an advance changes, with the incidents that it makes moot. Raises InterpretationFailed."""
    around = surroundings(rooms, loaded.deployed, loaded.now)
    with interpreting(loaded.instance):
        plan = plan_advance(loaded.instance, advance, cause, around, results=results)
    gone = {each.wait_id for each in advance.closed}
    moot = [each.incident_id for each in loaded.incidents if advance.is_finished or each.wait_id in gone]
    return close_incidents(plan, loaded, moot)


def close_incidents(plan: Plan, loaded: Loaded, closed: Collection[str]) -> Plan:
    """Return a plan that also closes incidents; with the last one the instance is no longer in trouble."""
    if not closed:
        return plan
    remaining = [each for each in loaded.incidents if each.incident_id not in closed]
    after = plan.after
    if after.execution_state == ExecutionState.INCIDENT and not remaining and not plan.troubles:
        after = replace(after, execution_state=ExecutionState.WAITING)
    return replace(plan, after=after, closed_incidents=(*plan.closed_incidents, *closed))


def plan_or_keep(
    rooms: Rooms,
    loaded: Loaded,
    happening: Happening,
    cause: Cause,
    taken: Closed,
    results: Mapping[str, Any] | None = None,
) -> Plan:
    """Return what a happening changes, or, when the process cannot go on, the plan that keeps it for repair (P15).

    ``taken`` are the rows that the happening takes away in either case. Raises WaitGone.
    """
    try:
        return plan_happening(rooms, loaded, happening, cause, results)
    except WaitGone:
        raise
    except InterpretationFailed as error:
        return keep(loaded, happening, cause, error, taken)


def keep(loaded: Loaded, happening: Happening, cause: Cause, error: InterpretationFailed, taken: Closed) -> Plan:
    """Return the plan that keeps a happening with an incident and leaves everything else as it is (P15)."""
    trouble = Trouble(
        code=error.code,
        message=error.message,
        step_key=error.element_id,
        wait_id=wait_of(happening),
        happening=pack_happening(happening),
    )
    return plan_trouble(loaded, cause, trouble, taken)


def plan_trouble(loaded: Loaded, cause: Cause, trouble: Trouble, taken: Closed | None = None) -> Plan:
    """Return the plan that opens an incident and changes nothing else."""
    instance = loaded.instance
    after = replace(
        instance,
        execution_state=ExecutionState.INCIDENT,
        version=instance.version + 1,
        updated_at=loaded.now,
    )
    detail = {**cause.detail, "incident": trouble.code}
    return Plan(
        before=instance,
        after=after,
        now=loaded.now,
        cause=cause,
        troubles=(trouble,),
        closed=taken or Closed(),
        audit_detail=detail,
    )
