"""Two tenants on one database never see, count or guess anything of each other, at any address."""

from __future__ import annotations

import uuid
from collections.abc import Generator
from dataclasses import dataclass

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from engine.identity import NewPerson, Role
from tests.databases import Databases
from tests.processes.shipped import files_of
from tests.web.house import API, House, open_house
from tests.web.test_permissions import uses
from vermilion.installation import Installation
from vermilion.people import DEPLOYER_LOGIN
from web.pages import request_forgery
from web.pages.reader import SESSION_COOKIE

_PASSWORD = "a password of the tests"
_LOGIN = "stranger"
#: What only the house's own people may ever read.
_RISK = "OURS-ALONE"
_ROLES = tuple(role for role in Role if role is not Role.SERVICE)


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """A house with a purchase that waits, and somebody of another tenant who may do everything there."""

    house: House
    application: Flask
    token: str
    session: str
    task_id: str
    workflow_id: str

    def ask(self, method: str, rule: str, body: dict[str, object], *, is_real: bool) -> TestResponse:
        """Use an address as the stranger: with the ids of the house's purchase, or with ids of nothing."""
        nothing = uuid.uuid4().hex
        values = {
            "<hex:workflow_id>": self.workflow_id if is_real else nothing,
            "<hex:task_id>": self.task_id if is_real else nothing,
            "<type:workflow_type>": "procurement",
            "<login>": "wei" if is_real else "nobody-here",
            "<path:name>": "page.css",
        }
        path = rule
        for mark, value in values.items():
            path = path.replace(mark, value)
        client = self.application.test_client()
        if rule.startswith(API):
            headers = {"Authorization": f"Bearer {self.token}"}
            return client.open(path, method=method, headers=headers, json=body if method == "POST" else None)
        client.set_cookie(SESSION_COOKIE, self.session)
        fields = {**body, request_forgery.FIELD: request_forgery.token_of(self.session)}
        return client.open(path, method=method, data=fields if method == "POST" else None)


@pytest.fixture(scope="module")
def neighbours(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Generator[Neighbours]:
    folder = tmp_path_factory.mktemp("neighbours")
    url = databases.url("sqlite", folder)
    with open_house(folder, url) as house:
        settings = house.here.settings.model_copy(update={"tenant": "other", "event_senders": {}})
        with Installation(settings) as other:
            other.seed([NewPerson(login=_LOGIN, name="A Stranger", roles=_ROLES, groups=("purchasing", "planning"))])
            other.runtime.deploy(other.actor(DEPLOYER_LOGIN), files_of("procurement"))
            other.runtime.seed_password(other.tenant_id, _LOGIN, _PASSWORD)
            task = house.approval(_RISK)
            yield Neighbours(
                house=house,
                application=other.application(),
                token=other.new_token(_LOGIN, "test", None),
                session=other.runtime.sign_in_with_password(other.tenant_id, _LOGIN, _PASSWORD).secret,
                task_id=task["task_id"],
                workflow_id=task["workflow_id"],
            )


#: Signing out would end what the other tests go on with.
_USES = {place: body for place, body in uses().items() if place[1] != "/sign-out"}


@pytest.mark.parametrize(("method", "rule"), list(_USES))
def test_an_address_with_ids_of_another_tenant_answers_as_if_nothing_were_there(
    neighbours: Neighbours, method: str, rule: str
) -> None:
    body = dict(_USES[method, rule])
    real = neighbours.ask(method, rule, body, is_real=True)
    made_up = neighbours.ask(method, rule, body, is_real=False)
    text, status = real.get_data(as_text=True), real.status_code
    real.close()
    made_up.close()

    if any(mark in rule for mark in ("workflow_id", "task_id", "<login>")):
        assert (status, made_up.status_code) == (404, 404)
    for ours in (_RISK, "Li Wei", "Lin Mei"):
        assert ours not in text


def test_what_a_stranger_tried_changed_nothing(neighbours: Neighbours) -> None:
    for (method, rule), body in _USES.items():
        if method == "POST":
            neighbours.ask(method, rule, dict(body), is_real=True).close()

    task = neighbours.house.get(f"/tasks/{neighbours.task_id}", "wei").get_json()
    assert task["decision"] is None
    assert task["business_key"] == _RISK
    assert neighbours.house.get(f"/instances/{neighbours.workflow_id}").get_json()["execution_state"] == "waiting"


def test_lists_and_counts_of_one_tenant_leave_the_other_out(neighbours: Neighbours) -> None:
    seen = neighbours.ask("GET", f"{API}/instances", {}, is_real=True).get_json()["items"]
    assert neighbours.workflow_id not in [each["workflow_id"] for each in seen]
    assert neighbours.ask("GET", f"{API}/tasks", {}, is_real=True).get_json()["items"] == []
    assert len(neighbours.house.get("/instances").get_json()["items"]) == 1


def test_a_key_of_one_tenant_is_free_in_the_other(neighbours: Neighbours) -> None:
    body: dict[str, object] = {
        "workflow_type": "procurement",
        "variables": {"material_id": "MAT-001", "material_risk_id": _RISK},
    }
    answer = neighbours.ask("POST", f"{API}/instances", body, is_real=True)

    assert answer.status_code == 201
    assert answer.get_json()["workflow_id"] != neighbours.workflow_id
