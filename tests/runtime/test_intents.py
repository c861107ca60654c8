"""Earlier versions of an intent are settled before a new one is sent (DECISIONS, Words and ids)."""

from __future__ import annotations

from engine.runtime.commands import ClaimedJob
from engine.store import Store
from tests.runtime.company import Company
from tests.runtime.files import bpmn, call, flow, line


def _twice(process: str, intent: str) -> dict[str, bytes]:
    """Return a process that creates a document, once more in a loop, and ends."""
    body = (
        '<startEvent id="begin"/>'
        '<scriptTask id="first" scriptFormat="feel"><script>{round: 1}</script></scriptTask>'
        '<exclusiveGateway id="again"/>'
        + call("create", "test.create@1", {"amount": "round"}, "order", intent=intent)
        + '<scriptTask id="next" scriptFormat="feel"><script>{round: round + 1}</script></scriptTask>'
        '<exclusiveGateway id="enough" default="enough-done"/><endEvent id="done"/>'
        + line("begin", "first", "again", "create", "next", "enough")
        + flow("enough", "again", "round &lt; 3")
        + flow("enough", "done")
    )
    settings = f"key: {process}\ntitle: {{en: Twice}}\nowner: nobody\n".encode()
    return {"process.bpmn": bpmn(process, body), "process.yaml": settings}


def _second(store: Store, intent: str) -> ClaimedJob:
    """Carry out the first creation and return the claim of the second."""
    company = Company(store, _twice("twice", intent))
    company.start("twice")
    company.record(company.work(), company.done(number="PO-1"))
    return company.work()


def test_a_new_version_is_handed_out_with_the_earlier_one_that_was_carried_out(store: Store) -> None:
    claimed = _second(store, "round")

    assert claimed.idempotency_key.endswith(":v2")
    assert [each.intent for each in claimed.unsettled] == [1]


def test_documents_that_are_no_versions_of_each_other_stand_side_by_side(store: Store) -> None:
    claimed = _second(store, "")

    assert claimed.idempotency_key.endswith(":v2")
    assert claimed.unsettled == ()


def test_a_settled_version_is_not_handed_out_again(store: Store) -> None:
    company = Company(store, _twice("twice", "round"))
    company.start("twice")
    company.record(company.work(), company.done(number="PO-1"))
    claimed = company.work()
    (earlier,) = claimed.unsettled

    assert company.runtime.settle(company.worker, claimed, earlier, '{"number": "PO-1"}', is_void=True)
    company.clear_leases()
    again = company.sweep_and_claim()

    assert again is not None
    assert again.unsettled == ()
