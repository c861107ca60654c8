"""The manners of the API: sign-in, permissions, sound bodies, idempotency, its own description."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import orjson
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from engine.contract.ids import PersonId, TenantId
from engine.contract.registry import OperationRegistry
from engine.identity import Actor, Permission
from engine.interpreter import Interpreter
from engine.runtime import Runtime
from engine.store import Store
from tests.interpreter.playing import PlainScripts
from tests.web.house import API, House
from web.answers import to_json
from web.application import create_application
from web.pages.site import PageSettings

_numbers = itertools.count(1)


def _start_body() -> dict[str, Any]:
    values = {"material_risk_id": f"A-{next(_numbers)}", "material_id": "MAT-002"}
    return {"workflow_type": "procurement", "variables": values}


# --- sign-in and permissions ---------------------------------------------------------------------------------------

_ROUTES = [
    ("GET", "/processes"),
    ("GET", "/processes/procurement"),
    ("GET", "/instances"),
    ("GET", "/instances/" + "0" * 32),
    ("POST", "/instances"),
    ("POST", "/instances/" + "0" * 32 + "/cancel"),
    ("POST", "/instances/" + "0" * 32 + "/repair"),
    ("GET", "/tasks"),
    ("GET", "/tasks/" + "0" * 32),
    ("POST", "/tasks/" + "0" * 32 + "/decision"),
]


@pytest.mark.parametrize(("method", "path"), _ROUTES)
@pytest.mark.parametrize("header", [None, "Bearer vmt_wrong", "Bearer ", "Basic bGluOmxpbg=="])
def test_without_a_valid_token_every_route_answers_401(
    house: House, method: str, path: str, header: str | None
) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = house.client.open(API + path, method=method, headers=headers, data=b"{}")

    assert (answer.status_code, answer.get_json()["code"]) == (401, "not_signed_in")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("method", "path", "login"),
    [
        ("POST", "/instances", "zhao"),
        ("POST", "/instances/" + "0" * 32 + "/repair", "lin"),
        ("POST", "/instances/" + "0" * 32 + "/cancel", "zhao"),
        ("POST", "/tasks/" + "0" * 32 + "/decision", "omar"),
    ],
)
def test_a_missing_permission_is_named_with_whom_to_ask(house: House, method: str, path: str, login: str) -> None:
    bodies: dict[str, Any] = {
        "instances": _start_body(),
        "repair": {"reason": "mend it"},
        "cancel": {"reason": "no longer needed"},
        "decision": {"values": {}, "bound_digest": ""},
    }
    answer = house.post(path, bodies[path.rsplit("/", 1)[-1]], login)

    assert answer.status_code == 403
    assert "permission" in answer.get_json()["detail"]


# --- bodies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b'{"workflow_type": NaN}', "not_json"),
        (b"\xff\xfe", "not_json"),
        (b'{"a":' * 100 + b"1" + b"}" * 100, "too_deep"),
        (b"[" * 100_000 + b"]" * 100_000, "not_json"),
        (b'{"workflow_type": "procurement", "business_key": "a\\u0000"}', "not_text"),
        (b'{"workflow_type": "procurement", "variables": {"a": ["\\ud800"]}}', "not_text"),
        (b'{"workflow_type": "procurement", "variables": {"\xed\xa0\x80": 1}}', "not_text"),
        (b'{"workflow_type": "procurement", "variables": {"a": 1e6145}}', "not_json"),
        (b'{"workflow_type": "procurement", "variables": {"a": 1e-99999999999999999999}}', "not_json"),
        (b'{"workflow_type": "procurement", "variables": {"a": 1%s}}' % (b"0" * 5000), "not_json"),
        (b"[]", "invalid_input"),
        (b'{"workflow_type": "procurement", "nobody": "knows this"}', "invalid_input"),
        (b'{"workflow_type": "../../etc/passwd"}', "invalid_input"),
        (b'{"workflow_type": "nothing-like-it"}', "unknown_process"),
        (b"{" + b" " * 1_000_001 + b"}", "too_large"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_with_its_reason(house: House, raw: bytes, code: str) -> None:
    answer = house.post("/instances", None, "lin", raw=raw)

    assert answer.status_code in (400, 404, 413, 422)
    assert answer.content_type == "application/problem+json"
    assert answer.get_json()["code"] == code


@pytest.mark.parametrize(
    "path", ["/instances/xyz", "/instances/" + "0" * 31, "/tasks/" + "G" * 32, "/nowhere", "/instances/" + "0" * 32]
)
def test_what_is_not_there_is_a_problem_too(house: House, path: str) -> None:
    answer = house.get(path)

    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")


@pytest.mark.parametrize(
    "query",
    [
        "cursor=nonsense",
        "limit=0",
        "limit=many",
        "limit=1000",
        "execution_state=lost",
        "x=1",
        "workflow_type=a%00b",
        "business_status=%00",
    ],
)
def test_a_wrong_query_is_named(house: House, query: str) -> None:
    answer = house.get(f"/instances?{query}")

    assert answer.status_code == 422
    assert answer.get_json()["detail"]


def test_a_text_that_cannot_be_kept_is_refused_with_its_place(house: House) -> None:
    answer = house.post("/instances", {"workflow_type": "procurement", "variables": {"a": [{"b": "\0"}]}}, "lin")

    assert answer.get_json()["field"] == "variables.a.b"


def test_without_its_database_the_api_says_so_and_asks_to_try_again(tmp_path: Path) -> None:
    runtime = Runtime(
        Store(f"sqlite:///{tmp_path}/nowhere/vermilion.sqlite"),
        Interpreter(PlainScripts()),
        OperationRegistry([]),
        new_id=lambda: "0" * 32,
    )
    nobody = Actor(
        tenant_id=TenantId("main"),
        person_id=PersonId("0" * 32),
        name="Nobody",
        permissions=frozenset(Permission),
        groups=frozenset(),
    )
    client = create_application(
        runtime, pages=PageSettings(tenant_id=nobody.tenant_id), senders=(), watcher=nobody
    ).test_client()
    for path in (f"{API}/instances", "/metrics"):
        answer = client.get(path, headers={"Authorization": "Bearer vmt_x"})

        assert (answer.status_code, answer.get_json()["code"]) == (503, "store_unavailable")
        assert answer.get_json()["retryable"]
        assert answer.headers["Retry-After"]
        assert str(tmp_path) not in answer.get_data(as_text=True)


@pytest.mark.parametrize("number", [2**64, -(2**64), 10**60])
def test_a_number_that_json_writers_refuse_is_answered_as_a_text(number: int) -> None:
    assert orjson.loads(to_json({"a": [number], "b": 1})) == {"a": [str(number)], "b": 1}


# --- once ------------------------------------------------------------------------------------------------------------


def test_a_start_sent_twice_with_one_key_makes_one_instance(house: House) -> None:
    body = _start_body()
    first = house.post("/instances", body, "lin", key="start-1")
    again = house.post("/instances", body, "lin", key="start-1")

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.get_json()["workflow_id"] == first.get_json()["workflow_id"]


def test_a_key_used_for_another_request_is_refused(house: House) -> None:
    house.post("/instances", _start_body(), "lin", key="start-2")
    answer = house.post("/instances", _start_body(), "lin", key="start-2")

    assert (answer.status_code, answer.get_json()["code"]) == (422, "key_reused")


def test_a_key_belongs_to_its_caller(house: House) -> None:
    started = house.post("/instances", _start_body(), "lin", key="shared").get_json()
    cancelled = house.post(
        f"/instances/{started['workflow_id']}/cancel", {"reason": "not needed"}, "omar", key="shared"
    )

    assert cancelled.status_code == 200


def test_a_repeated_cancellation_gets_the_very_same_answer(house: House) -> None:
    started = house.post("/instances", _start_body(), "lin").get_json()
    path = f"/instances/{started['workflow_id']}/cancel"
    first = house.post(path, {"reason": "not needed"}, "omar", key="cancel-1")
    again = house.post(path, {"reason": "not needed"}, "omar", key="cancel-1")
    without_key = house.post(path, {"reason": "not needed"}, "omar")

    assert first.get_data() == again.get_data()
    assert without_key.get_json()["business_status"] == "CANCELLED"


# --- lists -----------------------------------------------------------------------------------------------------------


def test_a_list_is_read_page_by_page_without_a_gap(house: House) -> None:
    for _ in range(5):
        house.post("/instances", _start_body(), "lin")
    whole = [each["workflow_id"] for each in house.get("/instances?limit=200").get_json()["items"]]

    read: list[str] = []
    cursor = ""
    while True:
        page = house.get("/instances?limit=2" + cursor).get_json()
        read += [each["workflow_id"] for each in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"

    assert read == whole
    assert len(set(read)) == len(read) >= 5


# --- about itself --------------------------------------------------------------------------------------------------


def test_the_openapi_document_is_valid_and_names_every_route(house: House) -> None:
    document = house.client.get(f"{API}/openapi.json").get_json()

    OpenAPIV31SpecValidator(document).validate()
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    routed = {
        (method, rule.rule.replace("<hex:", "{").replace("<type:", "{").replace(">", "}"))
        for rule in house.client.application.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(API) and not rule.rule.endswith("openapi.json")
    }
    assert described == routed


def test_health_readiness_and_metrics_are_open(house: House) -> None:
    house.approval("A-metrics")

    assert house.client.get("/healthz").get_json() == {"status": "ok"}
    assert house.client.get("/readyz").get_json() == {"status": "ok"}
    metrics = house.client.get("/metrics").get_data(as_text=True)
    assert 'vermilion_open_tasks{role="purchasing_manager"}' in metrics
    assert "A-metrics" not in metrics


def test_an_incoming_trace_goes_through_to_the_instance(house: House) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    answer = house.client.post(
        f"{API}/instances",
        json=_start_body(),
        headers=house.headers("lin") | {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"},
    ).get_json()

    assert house.get(f"/instances/{answer['workflow_id']}").get_json()["trace_id"] == trace
