"""What commands say about an instance, and what they ask of its row."""

from __future__ import annotations

from engine.contract.ids import WorkflowId
from engine.runtime.commands import ExecutionState, InstanceAnswer
from engine.runtime.errors import UnknownInstance
from engine.store import instances
from engine.store.instances import InstanceHead, InstanceRow
from engine.store.sessions import ReadSession


def answer_of(instance: InstanceHead, *, is_new: bool = False) -> InstanceAnswer:
    """Return an instance as commands answer with it."""
    return InstanceAnswer(
        workflow_id=instance.workflow_id,
        workflow_type=instance.workflow_type,
        business_key=instance.business_key,
        business_status=instance.business_status,
        execution_state=ExecutionState(instance.execution_state),
        version=instance.version,
        is_new=is_new,
    )


def is_finished(instance: InstanceHead) -> bool:
    """Whether nothing will run in it any more."""
    return instance.execution_state == ExecutionState.FINISHED


def load(session: ReadSession, tenant_id: str, workflow_id: str) -> InstanceRow:
    """Return an instance with its state. Raises UnknownInstance."""
    found = session.one(instances.BY_ID, {"tenant_id": tenant_id, "workflow_id": WorkflowId(workflow_id)})
    if found is None:
        raise UnknownInstance(workflow_id=workflow_id)
    return found
