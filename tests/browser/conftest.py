"""One browser and one installation for all tests here; they run in one process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.stage import Stage, Windows, open_stage
from tests.web.house import open_house
from vermilion.people import DEMO_PEOPLE

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_browser() -> str | None:
    """Return the path of the system's Chromium, None where there is none."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    """The system's Chromium; without one its tests are skipped, or fail where everything is required."""
    program = find_browser()
    if program is None:
        reason = f"NO BROWSER: none of {', '.join(_NAMES)} is installed; install the package `chromium`"
        if os.environ.get("VERMILION_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    """The installation that all windows look at."""
    folder = tmp_path_factory.mktemp("stage")
    with (
        open_house(folder, f"sqlite:///{folder}/vermilion.sqlite") as house,
        open_stage(house, tuple(each.login for each in DEMO_PEOPLE)) as opened,
    ):
        yield opened


@pytest.fixture(scope="session")
def windows(stage: Stage, browser: Browser) -> Windows:
    """Opens windows at the installation."""
    return Windows(stage=stage, browser=browser)
