"""Messages early and late, timers, reminders, escalations, cancelling."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from engine.contract.ids import WorkflowId
from engine.interpreter.values import Value
from engine.runtime import errors
from engine.runtime.commands import CancelRequest, EventFate, ExecutionState
from engine.store import Store, messages
from engine.store.statements import FIRST
from tests.runtime.company import Company, break_state, keep_message
from tests.runtime.files import NUMBERED


def test_a_message_reaches_the_instance_that_waits_with_its_key(everywhere: Company) -> None:
    answer = everywhere.to_write()
    everywhere.record(everywhere.work(), everywhere.done(number="PO-5"))

    told = everywhere.receive("c1", "order.confirmed", number="PO-5")

    assert told.fate is EventFate.CORRELATED
    assert told.instances[0].workflow_id == answer.workflow_id
    assert everywhere.status(answer.workflow_id) == ("SUCCEEDED", "finished")


def test_an_early_message_is_delivered_when_its_wait_opens(everywhere: Company) -> None:
    answer = everywhere.to_write()
    claimed = everywhere.work()

    told = everywhere.receive("c1", "order.confirmed", number="PO-5")
    everywhere.record(claimed, everywhere.done(number="PO-5"))

    assert told.fate is EventFate.KEPT
    assert everywhere.status(answer.workflow_id) == ("SUCCEEDED", "finished")


def test_a_kept_message_that_a_crash_left_is_delivered_by_the_sweep(everywhere: Company) -> None:
    answer = everywhere.to_write()
    everywhere.record(everywhere.work(), everywhere.done(number="PO-5"))
    keep_message(everywhere, "confirmed", "PO-5", {"number": "PO-5"})

    everywhere.runtime.sweep(everywhere.worker)

    assert everywhere.status(answer.workflow_id) == ("SUCCEEDED", "finished")
    with everywhere.store.reading() as session:
        assert session.all(messages.KEPT, {"after": FIRST, "limit": 9}) == []


@pytest.mark.parametrize("lot", [Decimal("1.5"), Decimal("1.500"), "1.5"])
def test_a_number_is_one_key_however_it_is_written(sqlite_store: Store, lot: Value) -> None:
    company = Company(sqlite_store, NUMBERED)
    answer = company.receive("o1", "ordered", number=Decimal("7.00"), lot=Decimal("1.50")).instances[0]

    assert company.receive("o2", "ordered", number=7, lot=3).fate is EventFate.EXISTING
    assert answer.business_key == "7"
    assert company.receive("d1", "delivered", lot=lot).fate is EventFate.CORRELATED
    assert company.status(answer.workflow_id)[1] == "finished"


@pytest.mark.parametrize("lot", [Decimal("1.5"), Decimal("1.500")])
def test_a_number_that_comes_early_is_found_however_it_is_written(sqlite_store: Store, lot: Value) -> None:
    company = Company(sqlite_store, NUMBERED)
    assert company.receive("d1", "delivered", lot=lot).fate is EventFate.KEPT

    answer = company.receive("o1", "ordered", number=7, lot=Decimal("1.50")).instances[0]

    assert company.status(answer.workflow_id)[1] == "finished"


def test_a_key_that_is_too_long_to_be_looked_for_is_an_incident(everywhere: Company) -> None:
    answer = everywhere.to_write()

    everywhere.record(everywhere.work(), everywhere.done(number="X" * 500))

    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert [(each.code, each.can_be_applied_again) for each in view.incidents] == [("key_too_long", True)]


def test_messages_for_nobody_do_not_keep_the_sweep_from_those_that_are_awaited(company: Company) -> None:
    for number in range(510):
        keep_message(company, "confirmed", f"nobody-{number}", {})
    answer = company.to_write()
    company.record(company.work(), company.done(number="PO-5"))
    keep_message(company, "confirmed", "PO-5", {"number": "PO-5"})

    assert company.runtime.sweep(company.worker).count == 0
    assert company.runtime.sweep(company.worker).count == 1

    assert company.status(answer.workflow_id) == ("SUCCEEDED", "finished")


def test_a_message_for_nobody_waits(company: Company) -> None:
    assert company.receive("c1", "order.confirmed", number="PO-9").fate is EventFate.KEPT
    assert company.receive("c1", "order.confirmed", number="PO-9").is_repeat


def test_a_timer_fires_once_and_not_early(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    everywhere.store.move_clock(timedelta(days=4, hours=23))
    everywhere.runtime.fire_due(everywhere.worker, 10)
    assert everywhere.status(answer.workflow_id)[0] == "WAITING_APPROVAL"

    everywhere.store.move_clock(timedelta(hours=2))
    fired = everywhere.runtime.fire_due(everywhere.worker, 10)

    assert (fired.count, fired.failed) == (1, 0)
    assert everywhere.status(answer.workflow_id) == ("CANCELLED", "finished")
    assert everywhere.runtime.fire_due(everywhere.worker, 10).count == 0


def test_a_task_is_reminded_and_escalated(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    task_id = everywhere.task_of(answer.workflow_id)
    request = everywhere.decision(task_id, approved=True)
    with pytest.raises(errors.NotYourTask):
        everywhere.runtime.decide(everywhere.people["director"], request)

    everywhere.store.move_clock(timedelta(hours=17))
    assert everywhere.runtime.fire_due(everywhere.worker, 10).count == 2

    topics = [each.topic for each in everywhere.runtime.take_outbox(everywhere.worker, 10)]
    assert sorted(topics) == ["task.escalated", "task.reminder"]
    assert [each.task_id for each in everywhere.runtime.tasks(everywhere.people["director"]).items] == [task_id]
    assert [each.task_id for each in everywhere.runtime.tasks(everywhere.manager).items] == [task_id]
    everywhere.runtime.decide(everywhere.people["director"], request)


def test_a_decided_task_takes_its_timers_with_it(company: Company) -> None:
    answer = company.to_approval()

    company.decide(company.task_of(answer.workflow_id), approved=True)

    company.store.move_clock(timedelta(days=9))
    assert company.runtime.fire_due(company.worker, 10).count == 0
    assert company.status(answer.workflow_id)[0] == "EXECUTING"


def test_an_outgoing_message_is_taken_once_until_it_fails(company: Company) -> None:
    company.to_approval()
    company.store.move_clock(timedelta(hours=9))
    company.runtime.fire_due(company.worker, 10)

    (taken,) = company.runtime.take_outbox(company.worker, 10)
    assert company.runtime.take_outbox(company.worker, 10) == ()
    company.runtime.mark_failed(company.worker, taken.message_id, timedelta(0))
    (again,) = company.runtime.take_outbox(company.worker, 10)
    company.runtime.mark_sent(company.worker, again.message_id)

    company.store.move_clock(timedelta(hours=1))
    assert again.failure_count == 1
    assert company.runtime.take_outbox(company.worker, 10) == ()


def test_a_timer_that_fails_does_not_stop_the_others(company: Company) -> None:
    broken = company.to_approval("R1")
    answer = company.to_approval("R2")
    break_state(company, broken.workflow_id)
    company.store.move_clock(timedelta(days=6))

    fired = company.runtime.fire_due(company.worker, 10)

    assert fired.failed >= 1
    assert company.status(answer.workflow_id) == ("CANCELLED", "finished")


# --- cancelling --------------------------------------------------------------------------------------------------


def cancel_request(workflow_id: str, reason: str = "not needed") -> CancelRequest:
    """Return a cancel command."""
    return CancelRequest(workflow_id=WorkflowId(workflow_id), reason=reason)


def test_an_instance_that_wrote_nothing_is_cancelled_at_once(everywhere: Company) -> None:
    answer = everywhere.to_approval()

    cancelled = everywhere.runtime.cancel(everywhere.operator, cancel_request(answer.workflow_id))

    assert (cancelled.business_status, cancelled.execution_state) == ("CANCELLED", ExecutionState.FINISHED)
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert view.waits == ()
    assert view.cancel_reason == "not needed"
    assert everywhere.runtime.cancel(everywhere.operator, cancel_request(answer.workflow_id)) == cancelled


def test_a_case_that_could_not_take_its_first_steps_is_cancelled(everywhere: Company) -> None:
    everywhere.forget_operation("test.add@1")
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    assert answer.execution_state is ExecutionState.INCIDENT

    cancelled = everywhere.runtime.cancel(everywhere.operator, cancel_request(answer.workflow_id))

    assert (cancelled.business_status, cancelled.execution_state) == ("CANCELLED", ExecutionState.FINISHED)
    view = everywhere.runtime.instance(everywhere.operator, answer.workflow_id)
    assert [each.closed_at is None for each in view.incidents] == [False]


def test_a_job_in_flight_when_its_instance_is_cancelled_is_late(everywhere: Company) -> None:
    answer = everywhere.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    claimed = everywhere.work()

    everywhere.runtime.cancel(everywhere.operator, cancel_request(answer.workflow_id))

    assert everywhere.record(claimed, everywhere.done(value="6")).is_late
    assert everywhere.status(answer.workflow_id) == ("CANCELLED", "finished")


def test_an_instance_that_wrote_is_asked_to_cancel_and_compensates(everywhere: Company) -> None:
    answer = everywhere.to_write()
    everywhere.record(everywhere.work(), everywhere.done(number="PO-5"))

    asked = everywhere.runtime.cancel(everywhere.operator, cancel_request(answer.workflow_id))
    assert asked.business_status == "COMPENSATING"
    claimed = everywhere.work()
    assert claimed.operation == "test.undo@1"
    everywhere.record(claimed, everywhere.done(number="PO-5"))

    assert everywhere.status(answer.workflow_id) == ("CANCELLED", "finished")
    documents = everywhere.runtime.instance(everywhere.operator, answer.workflow_id).documents
    assert [(each.step_key, each.state) for each in documents] == [("create", "compensated"), ("undo", "done")]


def test_a_cancel_before_the_drawing_waits_for_it_is_kept(everywhere: Company) -> None:
    answer = everywhere.to_write()
    claimed = everywhere.work()

    asked = everywhere.runtime.cancel(everywhere.operator, cancel_request(answer.workflow_id))
    assert asked.business_status == "EXECUTING"
    everywhere.runtime.cancel(everywhere.operator, cancel_request(answer.workflow_id))
    everywhere.record(claimed, everywhere.done(number="PO-5"))

    assert everywhere.status(answer.workflow_id)[0] == "COMPENSATING"


def test_an_ended_instance_is_not_cancelled(company: Company) -> None:
    answer = company.to_approval()
    company.decide(company.task_of(answer.workflow_id), approved=False)

    with pytest.raises(errors.CannotCancel, match="REJECTED"):
        company.runtime.cancel(company.operator, cancel_request(answer.workflow_id))
