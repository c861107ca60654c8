"""Pictures of the pages for the README and the documentation: ``python -m tests.browser.pictures``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, find_browser
from tests.browser.stage import DESK, PHONE, Look, Stage, Windows, open_stage
from tests.web.house import open_house
from vermilion.people import DEMO_PEOPLE

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
#: By the name of the picture: who looks, where.
_SHOWN: Mapping[str, tuple[str | None, str]] = {
    "welcome": (None, "/welcome"),
    "sign-in": (None, "/sign-in"),
    "inbox": ("wei", "/inbox"),
    "approve": ("wei", "/tasks/{task_id}"),
    "decided": ("zhao", "/tasks/{decided_id}"),
    "start-list": ("lin", "/start"),
    "start": ("lin", "/start/procurement"),
    "work": ("omar", "/work"),
    "instance": ("omar", "/work/{workflow_id}"),
    "incidents": ("omar", "/work/incidents"),
    "processes": ("ines", "/processes"),
    "process": ("ines", "/processes/procurement"),
    "people": ("adam", "/people"),
    "person": ("adam", "/people/wei"),
    "me": ("wei", "/me"),
}
#: Materials of the sandbox by the number of their shortage; the first is bought, the others wait.
_SHORTAGES: Mapping[str, str] = {"RISK-2041": "MAT-016", "RISK-2042": "MAT-001", "RISK-2043": "MAT-021"}
#: One that the rules refuse, so that an operator has something to look at.
_REFUSED = ("RISK-2040", "MAT-014")


def _set_the_stage(stage: Stage) -> dict[str, str]:
    """Let a purchase be done and others wait; return the ids that stand in addresses."""
    house = stage.house
    for risk, material in (_REFUSED, *_SHORTAGES.items()):
        house.send(house.shortage(material, risk), event_id=risk)
    house.worker.run_until_idle()
    tasks = {each["business_key"]: each for each in house.get("/tasks", "wei").get_json()["items"]}
    done, waiting, _ = (tasks[risk] for risk in _SHORTAGES)
    shown = house.get(f"/tasks/{done['task_id']}", "wei").get_json()
    decision = {"values": {"action": "approve"}, "bound_digest": shown["bound_digest"]}
    house.post(f"/tasks/{done['task_id']}/decision", decision, "wei")
    stage.work()
    return {
        "task_id": waiting["task_id"],
        "decided_id": done["task_id"],
        "workflow_id": done["workflow_id"],
    }


def take(windows: Windows, folder: Path) -> None:
    """Take every picture, on a phone and a desk, in both languages; the approval also in the dark."""
    ids = _set_the_stage(windows.stage)
    for width in (PHONE, DESK):
        for language in ("en", "zh"):
            for scheme in ("light", "dark"):
                look = Look(width=width, language=language, scheme=scheme)
                for name, (login, path) in _SHOWN.items():
                    if scheme == "dark" and name != "approve":
                        continue
                    with windows.opened(look, login) as window:
                        window.open(path.format_map(ids))
                        window.page.wait_for_load_state("networkidle")
                        mark = "-dark" if scheme == "dark" else ""
                        file = folder / f"{name}-{width}-{language}{mark}.png"
                        window.picture(file, is_whole=name == "approve" and width == DESK)


def main() -> int:
    """Write all pictures; 1 when there is no browser."""
    program = find_browser()
    if program is None:
        sys.stderr.write("No browser is installed; install the package `chromium`.\n")
        return 1
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        with (
            open_house(folder, f"sqlite:///{folder}/vermilion.sqlite") as house,
            open_stage(house, tuple(each.login for each in DEMO_PEOPLE)) as stage,
        ):
            browser = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
            take(Windows(stage=stage, browser=browser), FOLDER)
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
