"""Two workers and everything said twice: one transition, one document, on every database (W6, W15, P5)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from standardwebhooks import Webhook

from engine.contract.ids import EventId, TaskId
from engine.runtime.commands import DecideRequest, DecisionAnswer
from engine.runtime.errors import AlreadyDecided
from tests.promises.books import Case, Foreign, Row, count_rows
from tests.promises.judge import judge
from tests.promises.purchase import LEASE
from tests.promises.stage import SECRET, Stage, stage_on

Answer = TypeVar("Answer")

#: Purchases that run at once.
PURCHASES = 3
#: How often each thing is said.
TIMES = 3
_MOST_LOOKS = 1200
#: Jobs of one purchase.
_JOBS = 17
#: The way of a purchase that a person approves; MAT-001 and its copies need one signature.
WAY = ("CREATED", "ANALYZING", "VALIDATING", "WAITING_APPROVAL", "APPROVED", "EXECUTING", "SUCCEEDED")


class WorkerProcess:
    """A worker process; ``end`` lets it finish what it does, and returns what became of its doubles."""

    def __init__(self, stage: Stage, *options: str) -> None:
        file = stage.folder / "settings.json"
        file.write_text(json.dumps(_revealed(stage)))
        command = [sys.executable, "-m", "tests.promises.worker_process", str(file), *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.owner: str = json.loads(self.process.stdout.readline())["working"]

    def end(self) -> dict[str, Any]:
        """Close its input and wait."""
        said, _ = self.process.communicate(timeout=60)
        return json.loads(said)

    def wait_until_stopped(self) -> None:
        """Wait until it has stopped itself."""
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), status

    def go_on(self) -> None:
        """Let a stopped process go on."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it whatever it does."""
        with self.process:
            self.process.kill()


def _revealed(stage: Stage) -> dict[str, Any]:
    """Return the settings with their secrets, which only the process of this test reads."""
    settings = stage.settings()
    content: dict[str, Any] = settings.model_dump(mode="json", exclude={"systems", "event_senders"})
    content["systems"] = {
        name: {"base_url": each.base_url, "token": each.token.get_secret_value()}
        for name, each in settings.systems.items()
    }
    return content


@contextmanager
def workers(stage: Stage, count: int) -> Generator[list[WorkerProcess]]:
    """Run so many worker processes."""
    running = [WorkerProcess(stage) for _ in range(count)]
    try:
        yield running
    finally:
        for each in running:
            each.kill()


def at_once(move: Callable[[], Answer], times: int = TIMES) -> list[Answer | BaseException]:
    """Make a move several times at the same moment; give what each returned or raised."""
    gate = threading.Barrier(times)

    def run() -> Answer | BaseException:
        gate.wait()
        try:
            return move()
        except Exception as error:
            return error

    with ThreadPoolExecutor(times) as pool:
        return [each.result() for each in [pool.submit(run) for _ in range(times)]]


def until(holds: Callable[[], bool], what: str) -> None:
    """Look until something holds."""
    turn = threading.Event()
    for _ in range(_MOST_LOOKS):
        if holds():
            return
        turn.wait(0.05)
    pytest.fail(f"not within a minute: {what}")


def send(stage: Stage, event: dict[str, Any]) -> list[int]:
    """Send an event several times at once; return the statuses of the answers."""
    application = stage.here.application()
    body = json.dumps(event)
    now = datetime.now(UTC)
    headers = {
        "content-type": "application/cloudevents+json",
        "webhook-id": event["id"],
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(SECRET).sign(event["id"], now, body),
    }
    answers = at_once(lambda: application.test_client().post("/api/v1/events", data=body, headers=headers).status_code)
    assert all(isinstance(each, int) for each in answers), answers
    return [each for each in answers if isinstance(each, int)]


def shortage(number: int) -> dict[str, Any]:
    """Return the event of a shortage."""
    data = {"material_id": f"MAT-001-{number:04}", "material_risk_id": f"RISK-{number}", "reported_by": "mes"}
    return {
        "specversion": "1.0",
        "id": f"shortage-{number}",
        "source": "/sandbox/mes",
        "type": "material.shortage",
        "data": data,
    }


def decide(stage: Stage, task_id: TaskId) -> list[DecisionAnswer]:
    """Let the manager's decision arrive several times at once, and another manager's with them."""
    runtime = stage.here.runtime
    manager, other = stage.here.actor("wei"), stage.here.actor("mara")
    digest = runtime.task(manager, task_id).bound_digest
    turn = iter([manager] * TIMES + [other])
    guard = threading.Lock()

    def move() -> DecisionAnswer:
        with guard:
            actor = next(turn)
        request = DecideRequest(
            task_id=task_id,
            values={"action": "approve"},
            bound_digest=digest,
            event_id=EventId(f"{actor.person_id}-{task_id}"[:60]),
        )
        return runtime.decide(actor, request)

    answers = at_once(move, TIMES + 1)
    refused = [each for each in answers if isinstance(each, BaseException)]
    assert all(isinstance(each, AlreadyDecided) for each in refused), refused
    return [each for each in answers if isinstance(each, DecisionAnswer)]


def documents(foreign: Foreign) -> list[Row]:
    """Return the documents of these purchases; others stood in the ERP before."""
    return [each for number in range(1, PURCHASES + 1) for each in foreign.documents_of(f"RISK-{number}")]


def tell_confirmations(stage: Stage) -> None:
    """Let the ERP confirm everything, and tell each confirmation several times at once."""
    for document in documents(stage.foreign()):
        if document["status"] == "accepted":
            stage.desk.switch("erp", f"/confirm/{document['number']}", {})
    for row in stage.desk.ledger()["events"]:
        assert set(send(stage, json.loads(row["body"]))) == {200}


def statuses(stage: Stage) -> Counter[str]:
    """Return how many instances are in each business status."""
    return Counter(case.instance["business_status"] for case in stage.cases())


def is_told(stage: Stage) -> bool:
    """Whether every message of the outbox was published."""
    return all(row["sent_at"] is not None for case in stage.cases() for row in case.outbox)


def open_tasks(stage: Stage) -> list[TaskId]:
    """Return every open task."""
    return [TaskId(row["task_id"]) for case in stage.cases() for row in case.task]


def ways(cases: Sequence[Case]) -> set[tuple[str, ...]]:
    """Return the ways that instances went through the statuses."""
    return {tuple(after for _, after, _ in case.transitions) for case in cases}


def count_creates(foreign: Foreign) -> int:
    """Return how often the ERP was asked to create something."""
    return sum(each["operation"] == "create_requisition" for each in foreign.calls)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_workers_and_everything_said_twice_make_one_transition_and_one_document(
    store_url: str, tmp_path: Path
) -> None:
    with stage_on(store_url, tmp_path) as stage, workers(stage, 2) as running:
        for number in range(1, PURCHASES + 1):
            assert set(send(stage, shortage(number))) == {200}
        until(lambda: len(open_tasks(stage)) == PURCHASES, "approvals are asked for")
        for task_id in open_tasks(stage):
            answers = decide(stage, task_id)
            assert len({each.approval_id for each in answers}) == 1
            assert sum(not each.is_repeat for each in answers) == 1
        until(lambda: len(documents(stage.foreign())) == PURCHASES, "documents are made")
        tell_confirmations(stage)
        until(lambda: statuses(stage) == {"SUCCEEDED": PURCHASES} and is_told(stage), "all is done and told")
        counts = [each.end() for each in running]
        cases, foreign = stage.cases(), stage.foreign()

    assert judge(cases, foreign) == ()
    assert ways(cases) == {WAY}
    assert len(documents(foreign)) == count_creates(foreign) == PURCHASES
    assert count_rows(store_url, "approval") == PURCHASES
    assert all(each.get("claims_taken_twice", 0) == each.get("records_in_time_2", 0) == 0 for each in counts), counts
    assert all(each.get("records_in_time_0", 0) == 0 for each in counts), counts
    assert sum(each.get("records_in_time_1", 0) for each in counts) == PURCHASES * _JOBS, counts
    assert all(each["has_ended"] for each in counts)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_worker_that_was_frozen_and_replaced_cannot_record(store_url: str, tmp_path: Path) -> None:
    with stage_on(store_url, tmp_path) as stage:
        frozen = WorkerProcess(stage, "--stop-at", "call:after_answer")
        try:
            send(stage, shortage(1))
            until(lambda: bool(open_tasks(stage)), "an approval is asked for")
            decide(stage, open_tasks(stage)[0])
            frozen.wait_until_stopped()
            stage.here.store.move_clock(LEASE + timedelta(seconds=1))
            with workers(stage, 1) as (other,):
                until(lambda: bool(stage.cases()[0].effect[0]["state"] == "done"), "the other one has taken over")
                tell_confirmations(stage)
                until(lambda: statuses(stage) == {"SUCCEEDED": 1} and is_told(stage), "the other one has ended it")
                frozen.go_on()
                until(lambda: bool(late_results(stage)), "the late result stands in the audit")
                assert [each["owner"] for each in late_results(stage)] == [frozen.owner]
                other.end()
            frozen.end()
            cases, foreign = stage.cases(), stage.foreign()
        finally:
            frozen.kill()

    assert judge(cases, foreign) == ()
    assert ways(cases) == {WAY}
    assert len(documents(foreign)) == count_creates(foreign) == 1


def late_results(stage: Stage) -> list[dict[str, Any]]:
    """Return the details of results that came from the frozen process after it was replaced."""
    (case,) = stage.cases()
    late = [row["detail"] for row in case.audit if row["event"] == "late_result"]
    return [detail for detail in late if detail["element"] == "create_requisition" and detail["attempt"] == 1]
