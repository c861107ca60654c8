"""Who may use which address: every route of pages and API, for every role. A route that is missing here fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from engine.identity import PERMISSIONS_OF, NewPerson, Permission, Role
from tests.web.house import API, House
from web.pages import request_forgery
from web.pages.reader import SESSION_COOKIE

PASSWORD = "a password of the tests"
#: Nobody has to be signed in; everybody who is signed in may.
EVERYBODY, SIGNED_IN = "everybody", "signed in"
_GROUPS = ("planning", "purchasing", "finance")


@dataclass(frozen=True, kw_only=True)
class Use:
    """What an address needs, and a sound use of it."""

    needs: str
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])


_READS = {
    "/": EVERYBODY,
    "/healthz": EVERYBODY,
    "/readyz": EVERYBODY,
    "/metrics": EVERYBODY,
    "/static/<path:name>": EVERYBODY,
    "/sign-in": EVERYBODY,
    "/welcome": EVERYBODY,
    f"{API}/openapi.json": EVERYBODY,
    "/me": SIGNED_IN,
    "/inbox": Permission.READ_TASKS,
    "/tasks/<hex:task_id>": Permission.READ_TASKS,
    f"{API}/tasks": Permission.READ_TASKS,
    f"{API}/tasks/<hex:task_id>": Permission.READ_TASKS,
    "/start": Permission.READ_PROCESSES,
    "/start/<type:workflow_type>": Permission.READ_PROCESSES,
    "/processes": Permission.READ_PROCESSES,
    "/processes/<type:workflow_type>": Permission.READ_PROCESSES,
    "/processes/<type:workflow_type>/drawing": Permission.READ_PROCESSES,
    f"{API}/processes": Permission.READ_PROCESSES,
    f"{API}/processes/<type:workflow_type>": Permission.READ_PROCESSES,
    "/work": Permission.READ_INSTANCES,
    "/work/incidents": Permission.READ_INSTANCES,
    "/work/<hex:workflow_id>": Permission.READ_INSTANCES,
    "/work/<hex:workflow_id>/drawing": Permission.READ_INSTANCES,
    "/work/<hex:workflow_id>/marks": Permission.READ_INSTANCES,
    f"{API}/instances": Permission.READ_INSTANCES,
    f"{API}/instances/<hex:workflow_id>": Permission.READ_INSTANCES,
    "/people": Permission.MANAGE_PEOPLE,
    "/people/<login>": Permission.MANAGE_PEOPLE,
}
_REASON = {"reason": "a reason of the tests"}
_START = {"workflow_type": "procurement", "variables": {"material_id": "MAT-002", "material_risk_id": "PERMISSIONS"}}
_CHANGES = {
    "/sign-in": Use(needs=EVERYBODY),
    "/sign-out": Use(needs=EVERYBODY),
    "/language": Use(needs=EVERYBODY, body={"language": "en"}),
    "/theme": Use(needs=EVERYBODY, body={"theme": "dark"}),
    "/me": Use(needs=SIGNED_IN),
    "/tasks/<hex:task_id>": Use(needs=Permission.DECIDE, body={"action": "reject", "reason": "a reason"}),
    f"{API}/tasks/<hex:task_id>/decision": Use(needs=Permission.DECIDE, body={"values": {}, "bound_digest": ""}),
    "/start/<type:workflow_type>": Use(
        needs=Permission.START, body={"material_id": "MAT-002", "material_risk_id": "PERMISSIONS"}
    ),
    f"{API}/instances": Use(needs=Permission.START, body=_START),
    "/work/<hex:workflow_id>/cancel": Use(needs=Permission.CANCEL, body=_REASON),
    f"{API}/instances/<hex:workflow_id>/cancel": Use(needs=Permission.CANCEL, body=_REASON),
    "/work/<hex:workflow_id>/repair": Use(needs=Permission.REPAIR, body=_REASON),
    f"{API}/instances/<hex:workflow_id>/repair": Use(needs=Permission.REPAIR, body=_REASON),
    "/people": Use(needs=Permission.MANAGE_PEOPLE, body={"login": "lin", "name": "Somebody"}),
    "/people/<login>/change": Use(needs=Permission.MANAGE_PEOPLE),
    "/people/<login>/password": Use(needs=Permission.MANAGE_PEOPLE, body={"password": "short"}),
    "/people/<login>/tokens": Use(needs=Permission.MANAGE_TOKENS, body={"name": "test", "days": "30"}),
    "/people/<login>/tokens/revoke": Use(needs=Permission.MANAGE_TOKENS, body={"token": "0" * 32}),
}
#: Signed by the sending system, not by a person; see the tests of events.
_BY_SIGNATURE = {("POST", f"{API}/events")}
_TABLE = {("GET", rule): Use(needs=needs) for rule, needs in _READS.items()} | {
    ("POST", rule): use for rule, use in _CHANGES.items()
}


def uses() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Return every method and address with what a sound use of it sends."""
    return {place: use.body for place, use in _TABLE.items()}


class Place:
    """A house with somebody of each role, and things to ask for."""

    def __init__(self, house: House) -> None:
        self.application: Flask = house.here.application()
        here = house.here
        here.seed(
            [NewPerson(login=f"only-{role}", name=f"Only {role}", roles=(role,), groups=_GROUPS) for role in Role]
        )
        self._tokens = {role: here.new_token(f"only-{role}", "test", None) for role in Role}
        self._sessions: dict[str, str] = {}
        for role in Role:
            here.runtime.seed_password(here.tenant_id, f"only-{role}", PASSWORD)
            opened = here.runtime.sign_in_with_password(here.tenant_id, f"only-{role}", PASSWORD)
            self._sessions[role] = opened.secret
        cancelled, decided = house.approval("CANCELLED"), house.approval("DECIDED")
        self._values = {
            "<hex:workflow_id>": cancelled["workflow_id"],
            "<hex:task_id>": decided["task_id"],
            "<type:workflow_type>": "procurement",
            "<login>": "zhao",
            "<path:name>": "page.css",
        }

    def ask(self, method: str, rule: str, role: Role | None) -> TestResponse:
        """Use an address as somebody who has one role, or as nobody."""
        path = rule
        for mark, value in self._values.items():
            path = path.replace(mark, value)
        body = _TABLE[method, rule].body
        client = self.application.test_client()
        if rule.startswith(API):
            headers = {"Authorization": f"Bearer {self._tokens[role]}"} if role else {}
            return client.open(path, method=method, headers=headers, json=body if method == "POST" else None)
        cookie = SESSION_COOKIE if role else request_forgery.VISITOR_COOKIE
        secret = self._sessions[role] if role else "visitor"
        client.set_cookie(cookie, secret)
        fields = {**body, request_forgery.FIELD: request_forgery.token_of(secret)}
        return client.open(path, method=method, data=fields if method == "POST" else None)


@pytest.fixture(scope="module")
def place(house: House) -> Place:
    return Place(house)


def test_no_route_is_missing_here(house: House) -> None:
    routes = {
        (method, rule.rule)
        for rule in house.here.application().url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    assert routes - _BY_SIGNATURE == set(_TABLE)


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize(
    ("method", "rule"), [(method, rule) for (method, rule), use in _TABLE.items() if use.needs != EVERYBODY]
)
def test_a_role_may_do_what_it_holds_and_nothing_else(place: Place, method: str, rule: str, role: Role) -> None:
    needs = _TABLE[method, rule].needs
    answer = place.ask(method, rule, role)

    if needs == SIGNED_IN or needs in PERMISSIONS_OF[role]:
        assert answer.status_code not in (401, 403, 404, 405)
        assert answer.status_code < 500
        assert "/sign-in" not in answer.headers.get("Location", "")
    else:
        assert answer.status_code == 403


@pytest.mark.parametrize(("method", "rule"), list(_TABLE))
def test_nobody_gets_no_further_than_what_is_for_everybody(place: Place, method: str, rule: str) -> None:
    answer = place.ask(method, rule, None)
    answer.close()

    if _TABLE[method, rule].needs == EVERYBODY:
        assert answer.status_code not in (401, 403)
        assert answer.status_code < 500
    elif method == "GET" and not rule.startswith(API):
        assert answer.status_code == 303
        assert answer.headers["Location"].startswith("/sign-in")
    else:
        assert answer.status_code == 401
