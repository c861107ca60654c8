"""A write that undoes another one settles that one's key: its document is compensated, not there (W14)."""

from __future__ import annotations

from engine.contract.operation import Operation
from engine.model.definition import Definition
from engine.runtime.advance import Loaded
from engine.runtime.claimed import operation_of
from engine.runtime.limits import MOST_ROWS
from engine.runtime.rooms import Rooms
from engine.store import effects
from engine.store.effects import EffectRow, EffectState
from engine.store.sessions import WriteSession


def undoes(rooms: Rooms, definition: Definition, operation: Operation, effect: EffectRow) -> bool:
    """Whether an operation is declared, or drawn at the effect's step, to undo the effect's operation."""
    done = operation_of(rooms.registry, effect.operation)
    node = definition.nodes.get(effect.step_key)
    drawn = node.operation.compensate if node is not None and node.operation is not None else None
    named = drawn or (done.compensate if done is not None else None)
    return named in (operation.name, operation.reference)


def is_compensation(rooms: Rooms, definition: Definition, operation: Operation) -> bool:
    """Whether an operation is declared, or drawn, to undo another one."""
    names = (operation.name, operation.reference)
    drawn = (node.operation.compensate for node in definition.nodes.values() if node.operation is not None)
    return any(each.compensate in names for each in rooms.registry) or any(each in names for each in drawn)


def mark_compensated(rooms: Rooms, session: WriteSession, loaded: Loaded, operation: Operation | None) -> None:
    """Mark the newest document that ``operation`` undoes as compensated, if there is one."""
    definition = loaded.deployed.definition
    if operation is None or not is_compensation(rooms, definition, operation):
        return
    instance = loaded.instance
    known = session.all(
        effects.OF_INSTANCE,
        {"tenant_id": instance.tenant_id, "workflow_id": instance.workflow_id, "limit": MOST_ROWS},
    )
    done = [each for each in known if each.state == EffectState.DONE and undoes(rooms, definition, operation, each)]
    if not done:
        return
    newest = max(done, key=lambda each: (each.updated_at, each.intent))
    session.run(
        effects.SET_STATE,
        {
            "tenant_id": newest.tenant_id,
            "workflow_id": newest.workflow_id,
            "step_key": newest.step_key,
            "iteration": newest.iteration,
            "intent": newest.intent,
            "new_state": EffectState.COMPENSATED,
            "new_result": newest.result,
            "new_updated_at": loaded.now,
        },
    )
