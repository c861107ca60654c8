"""Corrects an instance's data; open tasks show it, and a decision on what was shown before is refused (W16)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.identity.actor import Actor
from engine.interpreter.failures import InterpretationFailed
from engine.interpreter.messages import TaskWait, VariablesCorrected
from engine.runtime.advance import Loaded, plan_happening
from engine.runtime.after_commit import announce
from engine.runtime.apply import apply
from engine.runtime.cause import Cause
from engine.runtime.commands import InstanceAnswer, RepairRequest
from engine.runtime.encoding import digest, pack
from engine.runtime.errors import CannotRepair
from engine.runtime.instances import answer_of
from engine.runtime.plan import Plan
from engine.runtime.rooms import Rooms
from engine.store import tasks


def correct(rooms: Rooms, actor: Actor, loaded: Loaded, request: RepairRequest) -> InstanceAnswer:
    """Write the named variables of the top scope. Raises CannotRepair."""
    happening = VariablesCorrected(values=request.values, source=actor.person_id)
    cause = Cause(
        event="repaired",
        actor=actor.person_id,
        person_id=actor.person_id,
        detail={"done": "corrected", "reason": request.reason, "names": sorted(request.values)},
    )
    try:
        plan = plan_happening(rooms, loaded, happening, cause)
    except InterpretationFailed as error:
        raise CannotRepair(reason=error.message) from error
    content = pack(request.values)
    plan = replace(
        plan,
        blobs=(*plan.blobs, ("correction", content)),
        audit_detail={**plan.audit_detail, "values": digest(content)},
    )
    with rooms.store.writing("repair") as session:
        apply(session, plan, rooms.new_id)
        session.run(tasks.SHOW, _shown_now(rooms, loaded, plan))
    announce(rooms, plan)
    return answer_of(plan.after)


def _shown_now(rooms: Rooms, loaded: Loaded, plan: Plan) -> list[dict[str, Any]]:
    """Return what the open tasks show after the correction."""
    waits = rooms.interpreter.open_waits(loaded.deployed.definition, plan.after.state, now=loaded.now)
    return [
        {
            "tenant_id": plan.after.tenant_id,
            "task_id": wait.wait_id,
            "new_shown": pack(wait.shown),
            "new_bound_digest": digest(pack(wait.bound)),
        }
        for wait in waits
        if isinstance(wait, TaskWait)
    ]
