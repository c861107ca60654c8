"""Every page: nothing goes wrong in the browser, axe finds nothing, no page is wider than its window."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tests.browser.stage import DESK, PHONE, Look, Stage, Windows

pytestmark = pytest.mark.xdist_group("browser")

_LOOKS = (
    Look(width=PHONE, scheme="light", language="en"),
    Look(width=PHONE, scheme="dark", language="zh"),
    Look(width=DESK, scheme="dark", language="en"),
    Look(width=DESK, scheme="light", language="zh"),
)
#: By the name of the page: who looks, and where. None: nobody signed in.
_PAGES: Mapping[str, tuple[str | None, str]] = {
    "sign-in": (None, "/sign-in"),
    "welcome": (None, "/welcome"),
    "inbox": ("wei", "/inbox"),
    "inbox-empty": ("anna", "/inbox"),
    "task": ("wei", "/tasks/{open_task}"),
    "task-decided": ("wei", "/tasks/{decided_task}"),
    "start": ("lin", "/start"),
    "start-process": ("lin", "/start/procurement"),
    "work": ("omar", "/work"),
    "work-nothing-found": ("omar", "/work?key=NOTHING-LIKE-THIS"),
    "instance-waiting": ("omar", "/work/{open_instance}"),
    "instance-done": ("zhao", "/work/{decided_instance}"),
    "incidents": ("omar", "/work/incidents"),
    "processes": ("ines", "/processes"),
    "process": ("ines", "/processes/procurement"),
    "people": ("adam", "/people"),
    "person": ("adam", "/people/wei"),
    "me": ("wei", "/me"),
    "not-allowed": ("wei", "/people"),
    "not-found": ("wei", "/nothing-here"),
}


@pytest.fixture(scope="module")
def places(stage: Stage) -> Mapping[str, str]:
    """The ids that stand in addresses: of a purchase that waits, and of one that is done."""
    waits, done = stage.house.approval("PAGE-WAITS"), stage.house.approval("PAGE-DONE")
    stage.house.post(
        f"/tasks/{done['task_id']}/decision",
        {"values": {"action": "approve"}, "bound_digest": done["bound_digest"]},
        "wei",
    )
    stage.work()
    return {
        "open_task": waits["task_id"],
        "open_instance": waits["workflow_id"],
        "decided_task": done["task_id"],
        "decided_instance": done["workflow_id"],
    }


@pytest.mark.parametrize("look", _LOOKS, ids=str)
@pytest.mark.parametrize("name", list(_PAGES))
def test_a_page_is_sound_in_every_look(windows: Windows, places: Mapping[str, str], name: str, look: Look) -> None:
    login, path = _PAGES[name]
    with windows.opened(look, login) as window:
        status = window.open(path.format_map(places))

        assert status == {"not-found": 404, "not-allowed": 403}.get(name, 200)
        assert window.page.get_attribute("html", "lang") == ("zh-Hans" if look.language == "zh" else "en")
        window.page.wait_for_load_state("networkidle")
        window.check_accessible()


@pytest.mark.parametrize("name", list(_PAGES))
def test_a_chinese_page_holds_no_english_sentence(windows: Windows, places: Mapping[str, str], name: str) -> None:
    login, path = _PAGES[name]
    with windows.opened(Look(language="zh"), login) as window:
        window.open(path.format_map(places))
        # What an engine wrote is quoted as it was written.
        window.page.evaluate("document.querySelectorAll('.pencil').forEach((each) => each.remove())")
        written = window.text

    # Three English words in a row are a sentence nobody translated; names, ids and codes are shorter.
    assert re.findall(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}\b", written) == []


def test_the_check_of_accessibility_sees_what_is_wrong(windows: Windows) -> None:
    with windows.opened(Look()) as window:
        window.open("/sign-in")
        window.page.evaluate("document.querySelector('label[for=login]').remove()")

        with pytest.raises(AssertionError, match="label"):
            window.check_accessible()
