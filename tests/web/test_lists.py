"""The lists of instances and of incidents, the catalogue, and what the rail counts: with good and bad filters."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from sqlalchemy import create_engine, text

from tests.web.house import House
from tests.web.visitor import Page, Visitor

_KEYS = "//main//table//tbody/tr/td[1]"


@pytest.fixture(scope="module")
def waiting(house: House) -> str:
    """A purchase that waits for Li Wei."""
    house.approval("LIST-1")
    return "LIST-1"


@pytest.fixture
def incidents(house: House, waiting: str) -> Generator[int]:
    """More open incidents than one list shows."""
    many = 1203
    engine = create_engine(str(house.here.settings.database))
    added = text(
        "INSERT INTO incident (tenant_id, incident_id, workflow_id, code, message, role, opened_at)"
        " SELECT tenant_id, :id, workflow_id, 'outcome_unknown',"
        " 'The ERP did not answer.', 'operator', created_at FROM instance WHERE business_key = :key"
    )
    with engine.begin() as connection:
        connection.execute(added, [{"id": _id(number), "key": waiting} for number in range(many)])
    yield many
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM incident WHERE message = 'The ERP did not answer.'"))


def _id(number: int) -> bytes:
    return number.to_bytes(16, "big")


def _place(page: Page, address: str) -> str:
    return " ".join(page.texts(f"//nav//a[@href='{address}']"))


@pytest.mark.parametrize(
    "filters",
    ["", "?process=procurement", "?key=LIST-1", "?state=waiting", "?process=procurement&status=WAITING_APPROVAL"],
)
def test_filters_that_fit_show_the_instance(house: House, waiting: str, filters: str) -> None:
    page = Visitor(house, "omar").open(f"/work{filters}")

    assert page.status == 200
    assert waiting in page.texts(_KEYS)


@pytest.mark.usefixtures("waiting")
@pytest.mark.parametrize(
    "filters",
    [
        "process=bogus",
        "process=bogus&status=WAITING_APPROVAL",
        "status=BOGUS",
        "state=bogus",
        "key=nobody",
        "key=%3Cscript%3E",
        f"cursor={'0' * 32}&key=nobody",
    ],
)
def test_filters_that_fit_nothing_say_so_and_lead_back(house: House, filters: str) -> None:
    page = Visitor(house, "omar").open(f"/work?{filters}")

    assert page.status == 200
    assert "Nothing fits" in page.text
    assert page.texts(_KEYS) == []
    assert "<script>" not in page.html


@pytest.mark.usefixtures("waiting")
@pytest.mark.parametrize("filters", ["cursor=bogus", "cursor=%00", "key=%00", "key=" + "x" * 60_000])
def test_what_can_be_no_filter_is_a_sentence(house: House, filters: str) -> None:
    page = Visitor(house, "omar").open(f"/work?{filters}")

    assert page.status == 422
    assert page.heading == "Not like this"
    assert "Traceback" not in page.html


def test_who_decides_sees_in_the_rail_how_much_waits(house: House, waiting: str) -> None:
    assert waiting
    assert _place(Visitor(house, "wei").open("/me"), "/inbox") == "Inbox 1"
    assert _place(Visitor(house, "anna").open("/me"), "/inbox") == "Inbox"
    assert _place(Visitor(house, "zhao").open("/work"), "/inbox") == ""


def test_an_operator_finds_the_oldest_incidents_with_key_and_role_and_how_many_there_are(
    house: House, incidents: int
) -> None:
    visitor = Visitor(house, "omar")
    with house.here.store.counting() as counted:
        page = visitor.open("/work/incidents")

    assert incidents > 1000
    assert len(page.texts("//main//section//li")) == 200
    assert page.texts("//main//section//li//a")[0] == "LIST-1"
    assert "for: " in page.texts("//main//section//li")[0]
    assert "These are the oldest." in page.text
    assert _place(page, "/work/incidents") == "For an operator 999+"
    assert page.texts("//nav//a[@aria-current='page']/@href") == ["/work/incidents"]
    assert counted.statements <= 12


def test_without_incidents_the_list_says_what_would_stand_there(house: House) -> None:
    page = Visitor(house, "omar").open("/work/incidents")

    assert "Nothing needs an operator" in page.text
    assert _place(page, "/work/incidents") == "For an operator"
    assert _place(Visitor(house, "wei").open("/work"), "/work/incidents") == ""


def test_the_catalogue_leads_to_drawing_statuses_and_instances(house: House) -> None:
    visitor = Visitor(house, "ines")
    catalogue = visitor.open("/processes")
    process = visitor.open("/processes/procurement")
    drawing = visitor.client.get("/processes/procurement/drawing")

    assert "/processes/procurement" in catalogue.texts("//main//a/@href")
    assert "/work?process=procurement" in process.texts("//a/@href")
    assert "Statuses" in process.texts("//h2")
    assert drawing.content_type == "application/xml"
    assert b"definitions" in drawing.data


@pytest.mark.parametrize("address", ["/processes/bogus", "/processes/bogus/drawing"])
def test_a_process_that_is_not_there_is_a_sentence(house: House, address: str) -> None:
    page = Visitor(house, "ines").open(address)

    assert page.status == 404
    assert "bogus" in page.text
