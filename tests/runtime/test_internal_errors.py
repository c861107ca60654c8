"""A mistake of the engine's own loses as little as a mistake of a drawing: what was received is kept (P15)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from structlog.testing import capture_logs

from engine.contract.ids import WorkflowId
from engine.interpreter import Interpreter
from engine.interpreter.messages import Advance, Happening
from engine.model.definition import Definition
from engine.runtime.commands import EventFate, ExecutionState, Failed, JobOutcome, RepairRequest
from engine.store import Store
from tests.interpreter.playing import PlainScripts
from tests.runtime.company import Company
from tests.runtime.files import HUMAN, PURCHASE


class _Stumbling(Interpreter):
    """Fails like a programming error while ``stumbles``."""

    stumbles = False

    def advance(
        self,
        definition: Definition,
        state: bytes,
        happening: Happening,
        *,
        now: datetime,
        new_id: Callable[[], str],
    ) -> Advance:
        """Advance, or fail."""
        if self.stumbles:
            raise IndexError("list index out of range")
        return super().advance(definition, state, happening, now=now, new_id=new_id)


@pytest.fixture
def interpreter() -> _Stumbling:
    """An interpreter that can be told to fail."""
    return _Stumbling(PlainScripts())


@pytest.fixture
def stumbling(store: Store, interpreter: _Stumbling) -> Company:
    """A company with it; the test runs once per kind of database."""
    return Company(store, HUMAN, PURCHASE, interpreter=interpreter)


def repair(company: Company, workflow_id: str) -> ExecutionState:
    """Repair the only incident of an instance."""
    request = RepairRequest(workflow_id=WorkflowId(workflow_id), reason="the engine was mended")
    return company.runtime.repair(company.operator, request).execution_state


@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_an_outcome_is_kept_and_applied_again(stumbling: Company, interpreter: _Stumbling, outcome: str) -> None:
    answer = stumbling.receive("e1", "material.shortage", ref="R1", amount=5).instances[0]
    claimed = stumbling.work()
    interpreter.stumbles = True

    received: JobOutcome = (
        stumbling.done(value="6") if outcome == "done" else Failed(error_code="not_found", message="no such material")
    )
    with capture_logs() as logs:
        assert not stumbling.record(claimed, received).is_late

    assert [(each["event"], each["workflow_id"], each["trace_id"]) for each in logs] == [
        ("interpreting.failed", answer.workflow_id, claimed.correlation.trace_id)
    ]
    view = stumbling.runtime.instance(stumbling.operator, answer.workflow_id)
    assert [(each.code, each.can_be_applied_again) for each in view.incidents] == [("internal_error", True)]
    assert "engine itself failed" in view.incidents[0].message
    stumbling.clear_leases()
    assert stumbling.sweep_and_claim() is None
    interpreter.stumbles = False
    if outcome == "done":
        assert repair(stumbling, answer.workflow_id) is ExecutionState.WAITING
        assert stumbling.status(answer.workflow_id) == ("WAITING_APPROVAL", "waiting")


def test_a_decision_is_kept_and_applied_again(stumbling: Company, interpreter: _Stumbling) -> None:
    answer = stumbling.to_approval()
    task_id = stumbling.task_of(answer.workflow_id)
    interpreter.stumbles = True

    decided = stumbling.decide(task_id, approved=True, note="")

    assert decided.instance.execution_state is ExecutionState.INCIDENT
    interpreter.stumbles = False
    repair(stumbling, answer.workflow_id)
    assert stumbling.status(answer.workflow_id) == ("EXECUTING", "waiting")


def test_an_event_that_starts_is_kept_and_applied_again(
    stumbling: Company, interpreter: _Stumbling, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(interpreter, "start", None)
        received = stumbling.receive("e1", "material.shortage", ref="R1", amount=5)

    assert received.fate is EventFate.STARTED
    answer = received.instances[0]
    assert answer.execution_state is ExecutionState.INCIDENT
    repair(stumbling, answer.workflow_id)
    assert stumbling.status(answer.workflow_id) == ("ANALYZING", "waiting")


def test_a_start_by_hand_that_the_engine_fails_at_stores_nothing(
    stumbling: Company, interpreter: _Stumbling, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(interpreter, "start", None)
        with pytest.raises(Exception, match="engine itself failed"):
            stumbling.start("human", amount=1)

    assert stumbling.runtime.instances(stumbling.operator).items == ()
