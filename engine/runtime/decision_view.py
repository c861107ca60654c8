"""Shows decisions, with the names of who made them."""

from __future__ import annotations

from engine.runtime.encoding import unpack_mapping
from engine.runtime.limits import MOST_ROWS
from engine.runtime.views import DecisionView
from engine.store import approvals, people
from engine.store.approvals import ApprovalRow
from engine.store.instances import InstanceHead
from engine.store.sessions import ReadSession
from engine.store.statements import FIRST


def decision_views(session: ReadSession, instance: InstanceHead) -> tuple[DecisionView, ...]:
    """Return the decisions of an instance in order."""
    page = {"tenant_id": instance.tenant_id, "workflow_id": instance.workflow_id, "after": FIRST, "limit": MOST_ROWS}
    rows = session.all(approvals.OF_INSTANCE, page)
    names = {person_id: name_of(session, instance.tenant_id, person_id) for person_id in {r.person_id for r in rows}}
    return tuple(decision_view(each, names[each.person_id]) for each in rows)


def decision_view(row: ApprovalRow, name: str) -> DecisionView:
    """Return a decision as it is shown."""
    return DecisionView(
        approval_id=row.approval_id,
        task_id=row.task_id,
        step_key=row.step_key,
        person_id=row.person_id,
        name=name,
        decided_at=row.decided_at,
        bound_digest=row.bound_digest,
        values=unpack_mapping(row.values),
    )


def name_of(session: ReadSession, tenant_id: str, person_id: str) -> str:
    """Return a person's name, or their id where the person is no longer known."""
    person = session.one(people.BY_ID, {"tenant_id": tenant_id, "person_id": person_id})
    return person.name if person is not None else person_id
