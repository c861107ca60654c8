"""``human_http``: the workload ``human`` over the JSON API, each request with its bearer token, as clients send it.

Requests go through Flask's test client, so that everything of the application counts and no network does. The client's
own work counts too, as it did when SpiffArena was measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bench.benchmarks.human import COUNT, MOST_BYTES, MOST_COMMITS, MOST_STATEMENTS
from bench.house import PROCESSES, House
from bench.measuring import Phase
from bench.report import Budget, Line
from bench.running import Given, run_counted, warm_up
from vermilion.installation import read_folder

#: Processor time of one instance, its two requests and the script sandbox included (ARCHITECTURE.md, Budgets).
MOST_CALIBRATIONS = 0.12


class _Api:
    """One person's client of the JSON API."""

    def __init__(self, client: FlaskClient, token: str) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"}

    def post(self, path: str, body: bytes) -> TestResponse:
        """Send JSON."""
        return self._client.post(f"/api/v1{path}", data=body, headers=self._headers, content_type="application/json")

    def get(self, path: str) -> Any:
        """Read JSON."""
        response = self._client.get(f"/api/v1{path}", headers=self._headers)
        assert response.status_code == HTTPStatus.OK, response.text
        return response.get_json()


def measure(given: Given) -> Line:
    """Measure the two requests of one instance: start it, and decide its task."""
    start, complete = Phase(), Phase()
    with given.tables() as tables, given.house(tables.url) as house:
        house.deploy(read_folder(PROCESSES / "human"))
        planner, reviewer = (_api(house, login) for login in ("planner", "reviewer"))
        warm_up(lambda number: _run(house, planner, reviewer, number, Phase(), Phase()))
        measured = run_counted(
            given, tables.size, lambda number: _run(house, planner, reviewer, number, start, complete), COUNT
        )
    phases = {"start": start, "complete": complete}
    cpu_ms = sum(phase.cpu_ms for phase in phases.values()) + measured.scripts_cpu / measured.count
    budgets = [
        Budget(what=f"{phase}.{what}", at_most=most, measured=found)
        for phase, each in phases.items()
        for what, most, found in (
            ("statements", MOST_STATEMENTS, each.statements),
            ("commits", MOST_COMMITS, each.commits),
        )
    ]
    if given.kind == "sqlite":
        budgets.append(Budget(what="cpu_ratio", at_most=MOST_CALIBRATIONS, measured=cpu_ms / measured.calibration_ms))
    budgets.extend(measured.bytes_budget(given.kind, MOST_BYTES))
    return measured.line("human_http", given, phases, budgets=tuple(budgets))


def _api(house: House, login: str) -> _Api:
    application = house.installation.application()
    return _Api(application.test_client(use_cookies=False), house.installation.new_token(login, "bench", None))


def _run(house: House, planner: _Api, reviewer: _Api, number: int, start: Phase, complete: Phase) -> None:
    """Run one instance to its end."""
    body = json.dumps({"workflow_type": "human", "variables": {"customer": f"Customer {number}"}}).encode()
    with start.measured(house.store):
        started = planner.post("/instances", body)
    assert started.status_code == HTTPStatus.CREATED, started.text
    path, decision = _decision(reviewer, started.get_json()["workflow_id"], number)
    with complete.measured(house.store):
        decided = reviewer.post(path, decision)
    assert decided.status_code == HTTPStatus.OK, decided.text


def _decision(reviewer: _Api, workflow_id: str, number: int) -> tuple[str, bytes]:
    """Return where and how the reviewer decides the one task that waits; looking it up is not measured."""
    (task,) = (each for each in reviewer.get("/tasks?limit=5")["items"] if each["workflow_id"] == workflow_id)
    shown = reviewer.get(f"/tasks/{task['task_id']}")
    values: Mapping[str, object] = {"approved": True, "comment": f"looks fine, instance {number}", "discount": 5}
    body = {"values": values, "bound_digest": shown["bound_digest"]}
    return f"/tasks/{task['task_id']}/decision", json.dumps(body).encode()
