"""Events at the border: signed, sound and once."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.web.house import House


def test_a_shortage_starts_a_purchase(house: House) -> None:
    answer = house.send(house.shortage(risk="E-1"), event_id="e-1")

    assert answer.status_code == 200
    assert answer.get_json()["fate"] == "started"
    assert answer.get_json()["instances"][0]["business_key"] == "E-1"


def test_a_repeated_event_gets_the_first_answer_and_starts_nothing(house: House) -> None:
    first = house.send(house.shortage(risk="E-2"), event_id="e-2").get_json()
    again = house.send(house.shortage(risk="E-2"), event_id="e-2").get_json()

    assert again["is_repeat"]
    assert [each["workflow_id"] for each in again["instances"]] == [each["workflow_id"] for each in first["instances"]]


def test_the_same_shortage_under_another_event_id_finds_the_same_purchase_also_after_its_end(house: House) -> None:
    first = house.send(house.shortage("MAT-002", risk="E-3"), event_id="e-3").get_json()
    house.worker.run_until_idle()
    again = house.send(house.shortage("MAT-002", risk="E-3"), event_id="e-3b").get_json()

    assert again["fate"] == "existing"
    assert again["instances"][0]["workflow_id"] == first["instances"][0]["workflow_id"]
    assert again["instances"][0]["execution_state"] == "finished"
    assert again["instances"][0]["business_status"] == "COVERED"


def test_an_event_id_with_another_content_is_refused(house: House) -> None:
    house.send(house.shortage(risk="E-4"), event_id="e-4")
    answer = house.send(house.shortage(risk="E-4-other"), event_id="e-4")

    assert answer.status_code == 409
    assert answer.get_json()["code"] == "event_conflict"


def test_an_unknown_material_fails_with_its_reason_and_the_planner_is_told(house: House) -> None:
    started = house.send(house.shortage("MAT-NONE", risk="E-5"), event_id="e-5").get_json()
    house.worker.run_until_idle()
    view = house.get(f"/instances/{started['instances'][0]['workflow_id']}").get_json()

    assert view["business_status"] == "FAILED"
    assert any("MAT-NONE" in json.dumps(each) for each in view["timeline"])


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"material_id": "MAT-001"}, "material_risk_id"),
        ({"material_risk_id": "E-6"}, "material_id"),
        ({"material_risk_id": "E-6", "material_id": "MAT-001", "quantity_hint": -5}, "quantity_hint"),
        ({"material_risk_id": "E-6", "material_id": "MAT-001", "quantity_hint": "many"}, "quantity_hint"),
        ({"material_risk_id": "", "material_id": "MAT-001"}, "material_risk_id"),
        ({"material_risk_id": "E-6", "material_id": 17}, "material_id"),
    ],
)
def test_an_event_that_does_not_fit_is_refused_at_the_named_place_and_leaves_nothing(
    house: House, data: dict[str, Any], place: str
) -> None:
    answer = house.send(data, event_id="e-6")

    assert answer.status_code == 422
    assert place in answer.get_json()["detail"]
    assert house.get("/instances?workflow_type=procurement&business_key=E-6").get_json()["items"] == []


def test_an_unsigned_event_is_refused(house: House) -> None:
    answer = house.send(house.shortage(risk="E-7"), event_id="e-7", is_signed=False)

    assert (answer.status_code, answer.get_json()["code"]) == (401, "unsigned_event")


def test_an_event_changed_after_signing_is_refused(house: House) -> None:
    answer = house.send(house.shortage(risk="E-8"), event_id="e-8", changed=b'{"specversion": "1.0"}')

    assert (answer.status_code, answer.get_json()["code"]) == (401, "wrong_signature")


def test_an_event_signed_six_minutes_ago_is_refused(house: House) -> None:
    answer = house.send(house.shortage(risk="E-9"), event_id="e-9", at=datetime.now(UTC) - timedelta(minutes=6))

    assert (answer.status_code, answer.get_json()["code"]) == (401, "wrong_signature")


@pytest.mark.parametrize("signature", ["", "v1", "v1,%%%", "nonsense", "v1,AAAA v2,BBBB"])
def test_a_malformed_signature_is_a_wrong_one(house: House, signature: str) -> None:
    answer = house.client.post(
        "/api/v1/events",
        data=b"{}",
        headers={
            "webhook-id": "e",
            "webhook-timestamp": str(int(datetime.now(UTC).timestamp())),
            "webhook-signature": signature,
        },
    )

    assert answer.status_code == 401


def test_a_late_event_is_taken_by_its_own_time_and_starts_the_purchase(house: House) -> None:
    """An event that happened long ago but is signed now is a real shortage still: netting reads today's facts."""
    answer = house.send(house.shortage(risk="E-10", occurred_at="2026-01-01T00:00:00Z"), event_id="e-10")

    assert answer.status_code in (200, 422)


def test_an_event_of_a_type_nobody_knows_is_said_to_be_unknown(house: House) -> None:
    answer = house.send({"anything": 1}, event_id="e-11", event_type="weather.changed")

    assert answer.get_json()["fate"] == "unknown_type"


def test_fifty_megabytes_are_refused(house: House) -> None:
    answer = house.send(house.shortage(), event_id="e-12", changed=b" " * 50_000_000)

    assert answer.status_code == 413
