"""What the OpenAPI document says holds for whatever is sent: no failure of the server, no undocumented answer."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import checks as general_checks
from schemathesis.specs.openapi import checks as openapi_checks

from tests.web.house import API, House

#: Per operation, for sound and for unsound input.
_EXAMPLES = 40
_general: Any = general_checks
_openapi: Any = openapi_checks
_CHECKS = (
    _general.not_a_server_error,
    _openapi.status_code_conformance,
    _openapi.content_type_conformance,
    _openapi.response_schema_conformance,
)
_OPERATIONS = (
    ("receive_event", "omar"),
    ("list_processes", "omar"),
    ("show_process", "omar"),
    ("start_instance", "lin"),
    ("list_instances", "omar"),
    ("show_instance", "omar"),
    ("cancel_instance", "omar"),
    ("repair_instance", "omar"),
    ("list_tasks", "wei"),
    ("show_task", "wei"),
    ("decide_task", "wei"),
)


@pytest.fixture(scope="module")
def schema(house: House) -> Any:
    house.approval("FUZZ-1")
    return schemathesis.openapi.from_wsgi(f"{API}/openapi.json", house.here.application())


def test_every_operation_is_tried(schema: Any) -> None:
    found = {each.ok().definition.raw["operationId"] for each in schema.get_all_operations()}

    assert found == {name for name, _ in _OPERATIONS}


@pytest.mark.parametrize(("name", "login"), _OPERATIONS)
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
def test_no_input_gets_an_undocumented_answer(
    house: House, schema: Any, name: str, login: str, mode: schemathesis.GenerationMode
) -> None:
    operation = schema.find_operation_by_id(name)
    headers = house.headers(login)

    @settings(
        max_examples=_EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        case.call_and_validate(headers=headers, checks=list(_CHECKS))

    send()
