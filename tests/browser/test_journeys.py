"""A purchase, from the shortage to the requisition, as its people see it: on a phone and a desk, with and without
scripts."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest

from sandbox.wms import StockChange
from tests.browser.stage import DESK, PHONE, Look, Window, Windows

pytestmark = pytest.mark.xdist_group("browser")

_LOOKS = (
    Look(width=DESK),
    Look(width=DESK, has_scripts=False),
    Look(width=PHONE),
    Look(width=PHONE, has_scripts=False),
)
#: Short materials that a purchasing manager alone approves, one for each look.
_MATERIALS: Mapping[str, str] = dict(zip(map(str, _LOOKS), ("MAT-016", "MAT-021", "MAT-022", "MAT-023"), strict=True))


_DECIDE = "form.decide .actions button"
#: More than any page has places to stop at.
_MOST_STOPS = 80


def _tab_to(window: Window, selector: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(_MOST_STOPS):
        window.page.keyboard.press("Tab")
        if window.page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
    pytest.fail(f"{selector} cannot be reached with the keyboard on {window.page.url}")


def _choose(window: Window, action: str) -> None:
    window.page.check(f'input[name="action"][value="{action}"]')


def _decide(window: Window) -> None:
    window.page.click(_DECIDE)
    window.page.wait_for_url("**/inbox")


def _open_task(window: Window, risk: str) -> None:
    window.page.click(f'main tr:has-text("{risk}") a')
    window.page.wait_for_url("**/tasks/*")


def _requisitions(windows: Windows, risk: str) -> list[str]:
    erp = windows.stage.house.company.erp
    return [
        row["number"]
        for row in erp.database.rows("select number from requisitions where reference like ?", f"{risk}/%")
    ]


@pytest.mark.parametrize("look", _LOOKS, ids=str)
def test_a_shortage_becomes_a_requisition(windows: Windows, look: Look) -> None:
    risk, material = f"RISK-{look}", _MATERIALS[str(look)]
    with windows.opened(look) as window:
        window.sign_in("lin")
        window.open("/start")
        window.page.click('main a[href*="/start/procurement"]')
        window.page.fill("[name=material_id]", material)
        window.page.fill("[name=material_risk_id]", risk)
        window.page.click("main form button")
        window.page.wait_for_url("**/work/*")
        instance = window.path
        windows.stage.work()

        window.sign_in("wei")
        assert window.path == "/inbox"
        _open_task(window, risk)
        for voice in ("ink", "pencil", "consequence"):
            assert window.page.locator(f"main .block.{voice}").count() >= 1, voice
        _choose(window, "approve")
        _decide(window)
        assert risk in window.page.inner_text(".notice")
        windows.stage.work()

        window.open(instance)
        (document,) = _requisitions(windows, risk)
        for expected in ("Succeeded", "Li Wei", "Lin Mei", document):
            assert expected in window.text

        window.page.goto(windows.stage.house.company.reach["erp"].url)
        assert document in window.text


@pytest.mark.parametrize("look", _LOOKS, ids=str)
def test_a_rejection_needs_its_reason_and_ends_the_purchase(windows: Windows, look: Look) -> None:
    risk = f"REJECT-{look}"
    task = windows.stage.house.approval(risk)
    with windows.opened(look, "wei") as window:
        window.open(f"/tasks/{task['task_id']}")
        _choose(window, "reject")
        window.page.click(_DECIDE)
        window.page.wait_for_selector(".error-summary")
        assert window.page.is_checked('input[name="action"][value="reject"]')
        assert window.page.locator(".error-summary a").count() == 1

        window.page.fill("[name=reason]", "Buy from the second supplier")
        _decide(window)
        windows.stage.work()

        window.open(f"/work/{task['workflow_id']}")
        assert "Rejected" in window.text
        assert "Buy from the second supplier" in window.text
    assert _requisitions(windows, risk) == []


@pytest.mark.parametrize("look", _LOOKS, ids=str)
def test_what_is_sent_back_is_computed_again_with_the_quantity_wished(windows: Windows, look: Look) -> None:
    risk = f"BACK-{look}"
    task = windows.stage.house.approval(risk)
    with windows.opened(look, "wei") as window:
        window.open(f"/tasks/{task['task_id']}")
        _choose(window, "send_back")
        window.page.fill("[name=quantity]", "350")
        window.page.fill("[name=reason]", "Less is enough")
        _decide(window)
        windows.stage.work()

        window.open("/inbox")
        _open_task(window, risk)
        assert window.path != f"/tasks/{task['task_id']}"
        assert "350" in window.text
        _choose(window, "approve")
        _decide(window)
        windows.stage.work()
        window.open(f"/work/{task['workflow_id']}")
        assert "Succeeded" in window.text
    assert len(_requisitions(windows, risk)) == 1


@pytest.mark.parametrize("look", _LOOKS, ids=str)
def test_facts_that_changed_after_the_approval_are_put_to_the_person_again(windows: Windows, look: Look) -> None:
    risk = f"CHANGED-{look}"
    task = windows.stage.house.approval(risk)
    material = task["facts"]["choice"]["risk_case"]["material_id"]
    with windows.opened(look, "wei") as window:
        window.open(f"/tasks/{task['task_id']}")
        assert "400" in window.text
        windows.stage.house.company.wms.set_stock(material, StockChange(on_hand=Decimal(220)))
        _choose(window, "approve")
        _decide(window)
        windows.stage.work()
        assert _requisitions(windows, risk) == []

        window.open("/inbox")
        _open_task(window, risk)
        assert window.path != f"/tasks/{task['task_id']}"
        assert "300" in window.text


@pytest.mark.parametrize("look", _LOOKS, ids=str)
def test_a_page_of_yesterday_decides_nothing_and_shows_what_holds_now(windows: Windows, look: Look) -> None:
    task = windows.stage.house.approval(f"OLD-{look}")
    with windows.opened(look, "wei") as window, windows.opened(Look(), "mara") as other:
        window.open(f"/tasks/{task['task_id']}")
        other.open(f"/tasks/{task['task_id']}")
        _choose(other, "reject")
        other.page.fill("[name=reason]", "Too late")
        _decide(other)

        _choose(window, "approve")
        window.page.click(_DECIDE)
        window.page.wait_for_selector(".error-summary")
        assert "Mara Okafor" in window.text
    windows.stage.work()


def test_the_keyboard_alone_approves(windows: Windows) -> None:
    risk = "KEYBOARD"
    task = windows.stage.house.approval(risk)
    with windows.opened(Look(), "wei") as window:
        window.open("/inbox")
        _tab_to(window, f'a[href="/tasks/{task["task_id"]}"]')
        window.page.keyboard.press("Enter")
        window.page.wait_for_url("**/tasks/*")
        _tab_to(window, "input[name=action]")
        window.page.keyboard.press("Space")
        assert window.page.is_checked("input[name=action][value=approve]")
        _tab_to(window, _DECIDE)
        window.page.keyboard.press("Enter")
        window.page.wait_for_url("**/inbox")
        assert risk in window.page.inner_text(".notice")
    windows.stage.work()
    assert len(_requisitions(windows, risk)) == 1
