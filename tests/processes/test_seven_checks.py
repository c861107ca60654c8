"""The seven checks before the write, on the real engine: in each case only that check prevents the harm.

Checks 1 to 4 have their tables in ``tests/service_tasks/test_rules_execution.py``; here each stops a real purchase.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.contract.ids import BusinessKey, TaskId, WorkflowId, WorkflowType
from engine.contract.keys import idempotency_key, sent_key
from engine.identity import Actor
from engine.interpreter.values import Value
from engine.model.scenarios import Scenario
from engine.runtime.commands import DecideRequest, RepairRequest, StartRequest
from engine.runtime.views import InstanceView
from engine.store import Store
from tests.processes.stage import TENANT, RunningStage, running_stage

SCENARIO = Scenario.model_validate(
    {
        "name": "seven-checks",
        "shows": "One purchase, waiting for its approval.",
        "start": {"form": {"by": "pia", "values": {}}},
        "expect": {},
    }
)


@pytest.fixture
def stage(tmp_path: Path, sqlite_store: Store) -> Iterator[RunningStage]:
    with running_stage(SCENARIO, tmp_path, sqlite_store) as stage:
        yield stage


class Purchase:
    """A purchase of MAT-001 that waits for the purchasing manager."""

    def __init__(self, stage: RunningStage, material_id: str = "MAT-001") -> None:
        self.stage = stage.stage
        self.company = stage.company
        request = StartRequest(
            workflow_type=WorkflowType("procurement"),
            variables={"material_id": material_id, "material_risk_id": "MR-7"},
        )
        self.workflow_id: WorkflowId = self.stage.runtime.start(self.stage.actor("pia"), request).workflow_id
        self.stage.run()

    @property
    def now(self) -> InstanceView:
        return self.stage.runtime.instance(self.stage.watcher, self.workflow_id)

    @property
    def documents(self) -> list[dict[str, Any]]:
        found = self.stage.switches.ledger("erp")["requisitions"]
        return [each for each in found if str(each["reference"]).startswith("MR-7/")]

    def approve(self, step_key: str = "approve_purchase", by: str = "wei") -> None:
        actor: Actor = self.stage.actor(by)
        task_id = next(TaskId(wait.wait_id) for wait in self.now.waits if wait.step_key == step_key)
        shown = self.stage.runtime.task(actor, task_id)
        request = DecideRequest(task_id=task_id, values={"action": "approve"}, bound_digest=shown.bound_digest)
        self.stage.runtime.decide(actor, request)

    def correct(self, **values: Value) -> None:
        """Change data by an operator's command, which no task and no gateway checks."""
        request = RepairRequest(workflow_id=self.workflow_id, reason="a test", values=values)
        self.stage.runtime.repair(self.stage.actor("omar"), request)

    def goes_back(self) -> tuple[object, object, int]:
        """Run, and return the failed check of the last comparison, the status and the number of documents."""
        self.stage.run()
        statuses = [e.detail["after"] for e in self.now.timeline if e.event == "status"]
        voided = statuses.count("ANALYZING") - 1
        return voided, self.now.business_status, len(self.documents)


def changed(draft: Any, **requisition: Value) -> Value:
    return {**draft, "requisition": {**draft["requisition"], **requisition}}


def test_check_1_an_approved_draft_that_was_changed_is_not_written(stage: RunningStage) -> None:
    purchase = Purchase(stage)
    purchase.approve()
    purchase.correct(draft=changed(purchase.now.variables["draft"], cost_centre="CC-110"))
    assert purchase.goes_back() == (1, "WAITING_APPROVAL", 0)


def test_check_2_an_approval_that_was_used_before_is_not_used_again(stage: RunningStage) -> None:
    purchase = Purchase(stage)
    purchase.approve()
    signatures: Any = purchase.now.variables["signatures"]
    purchase.correct(consumed=[each["approval_id"] for each in signatures])
    assert purchase.goes_back() == (1, "WAITING_APPROVAL", 0)


def test_check_3_facts_that_moved_are_approved_again(stage: RunningStage) -> None:
    purchase = Purchase(stage)
    purchase.approve()
    stage.stage.switches.post("wms", "/stock/MAT-001", {"on_hand": "220"})
    assert purchase.goes_back() == (1, "WAITING_APPROVAL", 0)
    assert purchase.now.variables["differences"]


def test_check_4_more_than_the_signers_may_approve_is_not_written(stage: RunningStage) -> None:
    purchase = Purchase(stage)
    purchase.approve()
    purchase.correct(approval={"approval": "purchasing_manager", "limit": Decimal(900)})
    assert purchase.goes_back() == (1, "WAITING_APPROVAL", 0)


def test_check_5_without_the_right_to_write_nothing_is_sent(stage: RunningStage) -> None:
    purchase = Purchase(stage)
    stage.stage.switches.post("erp", "/permissions", {"may_write": False})
    purchase.approve()
    assert purchase.goes_back() == (0, "APPROVED", 0)
    assert [(each.step_key, each.code) for each in purchase.now.incidents] == [("preflight_write", "not_permitted")]


def test_check_6_a_document_of_this_very_intent_is_adopted_and_none_is_added(stage: RunningStage) -> None:
    purchase = Purchase(stage)
    key = sent_key(idempotency_key(TENANT, purchase.workflow_id, "create_requisition", "0", 1))
    draft: Any = purchase.now.variables["draft"]
    reach = stage.company.reach["erp"]
    body = {name: str(value) for name, value in draft["requisition"].items()}
    headers = {"authorization": f"Bearer {reach.service}", "idempotency-key": key}
    written = httpx.post(f"{reach.url}/v1/requisitions", json=body, headers=headers)
    assert written.is_success, written.text

    purchase.approve()

    assert purchase.goes_back() == (0, "EXECUTING", 1)
    requisition: Any = purchase.now.variables["requisition"]
    assert requisition["number"] == purchase.documents[0]["number"]
    assert "create_requisition" not in {step.step_key for step in purchase.now.steps}


def test_check_7_an_erp_that_could_not_verify_a_lost_answer_is_not_written_to(
    tmp_path: Path, sqlite_store: Store
) -> None:
    with running_stage(SCENARIO, tmp_path, sqlite_store, forgets_keys=True) as stage:
        purchase = Purchase(stage)
        purchase.approve()
        assert purchase.goes_back() == (0, "APPROVED", 0)
        assert [(each.step_key, each.code) for each in purchase.now.incidents] == [("preflight_write", "business_rule")]


def test_when_all_seven_hold_one_document_is_written(stage: RunningStage) -> None:
    purchase = Purchase(stage)
    assert purchase.now.business_key == BusinessKey("MR-7")
    purchase.approve()
    assert purchase.goes_back() == (0, "EXECUTING", 1)
