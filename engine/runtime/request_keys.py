"""Binds a start to its caller's Idempotency-Key in the transaction that makes the instance."""

from __future__ import annotations

from engine.contract.ids import WorkflowId
from engine.identity.actor import Actor
from engine.runtime.commands import InstanceAnswer, RequestKey
from engine.runtime.errors import KeyReused, UnknownInstance
from engine.runtime.instances import answer_of
from engine.runtime.rooms import Overtaken
from engine.store import api_requests, instances
from engine.store.instances import InstanceHead
from engine.store.sessions import ReadSession, WriteSession

#: HTTP status of a request that made something.
_CREATED = 201


def first_answer(session: ReadSession, actor: Actor, key: RequestKey | None) -> InstanceAnswer | None:
    """Return the instance that an earlier request with this key started, as it stands now; None without one.

    Raises
    ------
    KeyReused
        When the caller used the key for another request.
    UnknownInstance
        When that instance's retention is over: the key stands for it all the same, and starts no other.
    """
    if key is None:
        return None
    found = session.one(api_requests.BY_KEY, _named(actor, key))
    if found is None:
        return None
    if found.fingerprint != key.fingerprint:
        raise KeyReused(key=key.key)
    workflow_id = WorkflowId(found.answer.decode())
    head = session.one(instances.HEAD, {"tenant_id": actor.tenant_id, "workflow_id": workflow_id})
    if head is None:
        raise UnknownInstance(workflow_id=workflow_id)
    return answer_of(head)


def note_request(session: WriteSession, actor: Actor, key: RequestKey, started: InstanceHead) -> None:
    """Note in the start's own transaction which instance the key stands for.

    Raises
    ------
    Overtaken
        When another request with the key was faster.
    """
    is_new = session.run(
        api_requests.INSERT_IF_ABSENT,
        {
            **_named(actor, key),
            "fingerprint": key.fingerprint,
            "status_code": _CREATED,
            "answer": started.workflow_id.encode(),
            "created_at": started.created_at,
        },
    )
    if not is_new:
        raise Overtaken


def _named(actor: Actor, key: RequestKey) -> dict[str, str]:
    return {"tenant_id": actor.tenant_id, "person_id": actor.person_id, "request_key": key.key}
