"""The drawn diagram: what happened stands on it, the viewer's mark stays visible, and it works by keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.stage import DESK, PHONE, Look, Stage, Window, Windows

pytestmark = pytest.mark.xdist_group("browser")

_DESK = Look(width=DESK)
_MARK = "a.bjs-powered-by"


@pytest.fixture(scope="module")
def instance(stage: Stage) -> str:
    """The address of a purchase that waits for Li Wei."""
    return f"/work/{stage.house.approval('DIAGRAM-1')['workflow_id']}"


def _diagram(window: Window, path: str) -> Locator:
    window.open(path)
    figure = window.page.locator("figure.diagram[data-shown]")
    figure.wait_for()
    return figure


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("route", ["instance", "process"])
def test_the_viewers_mark_is_whole_and_uncovered(windows: Windows, instance: str, route: str, width: int) -> None:
    path = {"instance": instance, "process": "/processes/procurement"}[route]
    with windows.opened(replace(_DESK, width=width), "omar") as window:
        mark = _diagram(window, path).locator(_MARK)
        mark.scroll_into_view_if_needed()

        expect(mark).to_be_visible()
        is_on_top = mark.evaluate(
            """mark => { const box = mark.getBoundingClientRect();
            return [[0.1, 0.1], [0.5, 0.5], [0.9, 0.9]].every(([x, y]) =>
              mark.contains(document.elementFromPoint(box.x + box.width * x, box.y + box.height * y))); }"""
        )
        assert is_on_top


def test_what_happened_stands_on_the_drawing(windows: Windows, instance: str) -> None:
    with windows.opened(_DESK, "omar") as window:
        figure = _diagram(window, instance)

        expect(figure.locator("[data-element-id=read_stock].mark-done")).to_have_count(1)
        expect(figure.locator("[data-element-id=approve_purchase].mark-waiting")).to_have_count(1)
        expect(figure.locator("[data-element-id=approve_purchase].by-person")).to_have_count(1)
        expect(figure.locator("[data-element-id=analyse_risk].by-model")).to_have_count(1)
        expect(figure.locator(".legend")).to_contain_text("waiting")
        expect(figure.locator("[data-element-id=approve_purchase] .djs-visual")).to_be_in_viewport()


def test_the_drawing_speaks_the_readers_language(windows: Windows, instance: str) -> None:
    with windows.opened(replace(_DESK, language="zh"), "zhao") as window:
        names = _diagram(window, instance).locator("[data-element-id=approve_purchase] text").text_content() or ""

        assert "".join(names.split()) == "审批采购"


def test_keys_move_it_and_change_its_size(windows: Windows, instance: str) -> None:
    with windows.opened(_DESK, "omar") as window:
        area = _diagram(window, instance).locator(".djs-container")
        drawn = area.locator("g.viewport")
        area.focus()
        places = [drawn.get_attribute("transform")]
        for key in ("ArrowRight", "ArrowDown", "+", "-", "0"):
            area.press(key)
            places.append(drawn.get_attribute("transform"))

        assert len(set(places)) == len(places)
        assert "Arrow keys" in (area.get_attribute("aria-label") or "")


def test_without_scripts_the_steps_are_a_list(windows: Windows, instance: str) -> None:
    with windows.opened(replace(_DESK, has_scripts=False), "omar") as window:
        window.open(instance)

        expect(window.page.locator("figure.diagram details.outline")).to_contain_text("Approve the purchase")
        expect(window.page.locator("figure.diagram .canvas")).to_be_hidden()


def test_a_drawing_that_cannot_be_loaded_is_said_in_a_sentence(windows: Windows, instance: str) -> None:
    with windows.opened(_DESK, "omar") as window:
        window.page.route("**/drawing", lambda route: route.fulfill(status=200, body="no drawing"))
        window.open(instance)

        expect(window.page.locator("figure.diagram .diagram-failed")).to_contain_text("The steps stand in the list")
        expect(window.page.locator("figure.diagram details.outline")).to_contain_text("Approve the purchase")
