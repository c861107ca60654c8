"""Two at once: one transition, on every database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from engine.contract.ids import JobId
from engine.runtime import errors
from engine.runtime.commands import ClaimedJob, InstanceAnswer
from tests.runtime.company import LEASE, Company

Answer = TypeVar("Answer")


def at_once(*moves: Callable[[], Answer]) -> list[Answer | BaseException]:
    """Run moves in threads that begin together; give what each returned or raised."""
    gate = threading.Barrier(len(moves))
    answers: list[Answer | BaseException] = [RuntimeError("did not run")] * len(moves)

    def run(number: int, move: Callable[[], Answer]) -> None:
        gate.wait()
        try:
            answers[number] = move()
        except BaseException as error:
            answers[number] = error

    threads = [threading.Thread(target=run, args=(number, move)) for number, move in enumerate(moves)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def events_of(company: Company, workflow_id: str) -> list[str]:
    """Return the audited events of an instance."""
    from engine.contract.ids import WorkflowId

    timeline = company.runtime.instance(company.operator, WorkflowId(workflow_id)).timeline
    return [each.event for each in timeline]


def test_two_deciders_one_decision(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    task_id = everywhere.task_of(answer.workflow_id)
    request = everywhere.decision(task_id, approved=True)

    answers = at_once(
        lambda: everywhere.runtime.decide(everywhere.manager, request),
        lambda: everywhere.runtime.decide(everywhere.people["second"], request),
    )

    refused = [each for each in answers if isinstance(each, BaseException)]
    assert [type(each) for each in refused] == [errors.AlreadyDecided]
    assert events_of(everywhere, answer.workflow_id).count("decided") == 1


def test_a_doubled_decision_gets_one_answer(everywhere: Company) -> None:
    answer = everywhere.to_approval()
    request = everywhere.decision(everywhere.task_of(answer.workflow_id), "d1", approved=True)

    answers = at_once(*[lambda: everywhere.runtime.decide(everywhere.manager, request)] * 3)

    approvals = {each.approval_id for each in answers if not isinstance(each, BaseException)}
    assert [each for each in answers if isinstance(each, BaseException)] == []
    assert len(approvals) == 1
    assert events_of(everywhere, answer.workflow_id).count("decided") == 1


def test_a_doubled_event_starts_one_instance(everywhere: Company) -> None:
    answers = at_once(*[lambda: everywhere.receive("e1", "material.shortage", ref="R1", amount=5)] * 3)

    assert [each for each in answers if isinstance(each, BaseException)] == []
    assert len(everywhere.runtime.instances(everywhere.operator).items) == 1


def test_two_starts_with_one_key_make_one_instance(everywhere: Company) -> None:
    answers = at_once(*[lambda: everywhere.start("purchase", ref="R1", amount=5)] * 3)

    started = [each for each in answers if isinstance(each, InstanceAnswer)]
    assert len({each.workflow_id for each in started}) == 1
    assert [each.is_new for each in started].count(True) == 1


def test_two_workers_one_claim(everywhere: Company) -> None:
    everywhere.to_write()
    (due,) = everywhere.runtime.due_jobs(10)

    def claim(owner: str) -> Callable[[], ClaimedJob | None]:
        return lambda: everywhere.runtime.claim(everywhere.worker, owner, JobId(due.job_id), LEASE)

    answers = at_once(*[claim(f"w{number}") for number in range(4)])

    assert [each for each in answers if isinstance(each, BaseException)] == []
    assert len([each for each in answers if each is not None]) == 1


def test_a_doubled_record_advances_once(everywhere: Company) -> None:
    answer = everywhere.to_write()
    claimed = everywhere.work()

    answers = at_once(*[lambda: everywhere.record(claimed, everywhere.done(number="PO-5"))] * 3)

    assert sorted(each.is_late for each in answers if not isinstance(each, BaseException)) == [False, True, True]
    assert events_of(everywhere, answer.workflow_id).count("job_done") == 2


def test_a_message_and_its_wait_that_come_at_once_meet(everywhere: Company) -> None:
    for number in range(5):
        answer = everywhere.to_write(f"R{number}", 5 + number)
        claimed = everywhere.work()
        order = f"PO-{number}"

        at_once(
            lambda claimed=claimed, order=order: everywhere.record(claimed, everywhere.done(number=order)),
            lambda order=order: everywhere.receive(f"c-{order}", "order.confirmed", number=order),
        )

        assert everywhere.status(answer.workflow_id) == ("SUCCEEDED", "finished")


def test_a_decision_and_a_cancel_at_once_leave_one_of_them(everywhere: Company) -> None:
    from tests.runtime.test_messages_and_time import cancel_request

    answer = everywhere.to_approval()
    request = everywhere.decision(everywhere.task_of(answer.workflow_id), approved=False)

    at_once(
        lambda: everywhere.runtime.decide(everywhere.manager, request),
        lambda: everywhere.runtime.cancel(everywhere.operator, cancel_request(answer.workflow_id)),
    )

    assert everywhere.status(answer.workflow_id) in (("REJECTED", "finished"), ("CANCELLED", "finished"))
