"""``procurement``: the shipped process, from a reported shortage over the manager's approval to the verified document.

The sandbox company runs in a process of its own, answers without delay, and its work does not count. Every purchase is
for a material of its own. The ERP confirms when it is told to, and the benchmark hands its event over as the API would.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import httpx

from bench.house import House
from bench.measuring import Phase
from bench.report import Line
from bench.running import WARM_UP, Given, run_counted, warm_up
from engine.contract.ids import EventId, TaskId
from engine.interpreter.values import Value
from engine.runtime.commands import DecideRequest, InstanceAnswer, ReceivedEvent
from vermilion.company_process import CompanyProcess, CompanyReach
from vermilion.installation import read_folder
from vermilion.shipped import PROCUREMENT, shipped_process

COUNT = 60


class _Purchase:
    """One purchase, driven from outside."""

    def __init__(self, house: House, number: int) -> None:
        self._house = house
        self._number = number
        self._risk = f"bench-{number}"

    def event(self, event_type: str, data: Mapping[str, Value]) -> ReceivedEvent:
        """Return a business event as the border hands it over."""
        event_id = f"{self._risk}-{event_type}"
        digest = hashlib.sha256(json.dumps([event_id, str(data)]).encode()).hexdigest()
        return ReceivedEvent(
            source="bench",
            event_id=EventId(event_id),
            event_type=event_type,
            occurred_at=None,
            data=data,
            body_digest=digest,
        )

    def shortage(self) -> ReceivedEvent:
        """Return the event that starts it, for a material of its own."""
        material = f"MAT-001-{self._number + WARM_UP + 1:04}"
        return self.event(
            "material.shortage",
            {"material_id": material, "material_risk_id": self._risk, "reported_by": "mes"},
        )

    def approval(self, instance: InstanceAnswer) -> DecideRequest:
        """Return the manager's decision."""
        waits = self._house.runtime.instance(self._house.watcher, instance.workflow_id).waits
        (task_id,) = (TaskId(each.wait_id) for each in waits if each.kind == "task")
        seen = self._house.runtime.task(self._house.manager, task_id)
        return DecideRequest(task_id=task_id, values={"action": "approve"}, bound_digest=seen.bound_digest)

    def document_number(self, instance: InstanceAnswer) -> str:
        """Return the number of the requisition that was written."""
        requisition = self._house.runtime.instance(self._house.watcher, instance.workflow_id).variables["requisition"]
        assert isinstance(requisition, Mapping)
        return str(requisition["number"])


def measure(given: Given) -> Line:
    """Measure it, phase by phase."""
    phases = {name: Phase() for name in ("shortage to approval", "approval to document", "confirmation to end")}
    copies = given.instances(COUNT) + WARM_UP
    with (
        tempfile.TemporaryDirectory(prefix="vermilion-bench-company-") as folder,
        CompanyProcess(
            Path(folder),
            ports={},
            options=["--copies", str(copies), "--latency", "0", "0", "--confirmation", "late"],
        ) as company,
        given.tables() as tables,
        given.house(tables.url, company.reach.connections()) as house,
        httpx.Client(trust_env=False, timeout=10) as client,
    ):
        assert house.deploy(read_folder(shipped_process(PROCUREMENT))) == PROCUREMENT
        desk = _Desk(client, company.reach)
        warm_up(lambda number: _run(house, desk, number, [Phase(), Phase(), Phase()]))
        measured = run_counted(
            given, tables.size, lambda number: _run(house, desk, number, list(phases.values())), COUNT
        )
    return measured.line("procurement", given, phases)


class _Desk:
    """The administrator of the sandbox ERP."""

    def __init__(self, client: httpx.Client, reach: CompanyReach) -> None:
        self._client = client
        self._url = reach.urls["erp"]
        self._headers = {"Authorization": f"Bearer {reach.admin_tokens['erp']}"}

    def confirm(self, number: str) -> None:
        """Have the ERP confirm a requisition."""
        self._client.post(f"{self._url}/confirm/{number}", headers=self._headers).raise_for_status()


def _run(house: House, desk: _Desk, number: int, phases: list[Phase]) -> None:
    """Run one purchase to its end."""
    purchase = _Purchase(house, number)
    shortage = purchase.shortage()
    with phases[0].measured(house.store):
        (instance,) = house.runtime.receive(house.service, shortage).instances
        house.work()
    approval = purchase.approval(instance)
    with phases[1].measured(house.store):
        house.runtime.decide(house.manager, approval)
        house.work()
    document = purchase.document_number(instance)
    desk.confirm(document)
    confirmed = purchase.event("erp.requisition.confirmed", {"number": document, "status": "confirmed"})
    with phases[2].measured(house.store):
        house.runtime.receive(house.service, confirmed)
        house.work()
    ended = house.runtime.instance(house.watcher, instance.workflow_id)
    assert ended.business_status == "SUCCEEDED", ended.business_status
