"""Shows decisions, with the names of who made them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.runtime.encoding import unpack_mapping
from engine.runtime.limits import MOST_ROWS
from engine.runtime.views import DecisionView
from engine.store import approvals, people
from engine.store.approvals import ApprovalRow
from engine.store.instances import InstanceHead
from engine.store.sessions import ReadSession
from engine.store.statements import FIRST


def approval_rows(session: ReadSession, instance: InstanceHead) -> list[ApprovalRow]:
    """Return the decisions of an instance in order, as stored."""
    page = {"tenant_id": instance.tenant_id, "workflow_id": instance.workflow_id, "after": FIRST, "limit": MOST_ROWS}
    return session.all(approvals.OF_INSTANCE, page)


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


def names_of(session: ReadSession, tenant_id: str, person_ids: Iterable[str]) -> Mapping[str, str]:
    """Return what people are called, by their id; one statement for each ``MOST_NAMES`` of them."""
    wanted = list(dict.fromkeys(person_ids))
    names: dict[str, str] = {}
    for start in range(0, len(wanted), people.MOST_NAMES):
        some = wanted[start : start + people.MOST_NAMES]
        slots = some + [some[0]] * (people.MOST_NAMES - len(some))
        named = {f"person_{number}": person_id for number, person_id in enumerate(slots)}
        found = session.all(people.NAMES, {"tenant_id": tenant_id, **named})
        names |= {each.person_id: each.name for each in found}
    return names


def name_of(session: ReadSession, tenant_id: str, person_id: str) -> str:
    """Return a person's name, or their id where the person is no longer known."""
    person = session.one(people.BY_ID, {"tenant_id": tenant_id, "person_id": person_id})
    return person.name if person is not None else person_id
