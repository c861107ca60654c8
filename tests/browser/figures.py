"""How fast the pages of an approver are on a slow phone: ``python -m tests.browser.figures``.

As Lighthouse's mobile run does: a processor four times slower, 1.6 Mbit/s with 150 ms to the server. Told are the first
and the largest paint, how long scripts blocked the page (beyond 50 ms each), how far it moved while loading, and bytes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, find_browser
from tests.browser.stage import PHONE, Look, Windows, open_stage
from tests.web.house import open_house
from vermilion.people import DEMO_PEOPLE

_SLOWER = 4
_NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
_ORDERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Network.enable", {}),
    ("Network.emulateNetworkConditions", _NETWORK),
    ("Emulation.setCPUThrottlingRate", {"rate": _SLOWER}),
)
_OBSERVE = """
window.seen = {largest: 0, moved: 0, blocked: 0};
const watch = (type, note) =>
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({type, buffered: true});
watch("largest-contentful-paint", (each) => { seen.largest = each.startTime; });
watch("layout-shift", (each) => { if (!each.hadRecentInput) seen.moved += each.value; });
watch("longtask", (each) => { seen.blocked += Math.max(0, each.duration - 50); });
"""
_READ = """() => ({
  ...seen,
  first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, each) => sum + each.transferSize, 0),
  script: performance.getEntriesByType("resource").filter((each) => each.name.endsWith(".js"))
    .reduce((sum, each) => sum + each.transferSize, 0),
})"""


def figures_of(windows: Windows, path: str, *, has_scripts: bool = True) -> dict[str, float]:
    """Return the figures of one page for a first visit, in milliseconds and bytes."""
    with windows.opened(Look(width=PHONE, has_scripts=has_scripts), "wei") as window:
        page = window.page
        tools = page.context.new_cdp_session(page)
        for order, terms in _ORDERS:
            tools.send(order, terms)  # pyright: ignore[reportUnknownMemberType]
        page.add_init_script(_OBSERVE)
        window.open(path)
        page.wait_for_load_state("networkidle")
        found: dict[str, Any] = page.evaluate(_READ)
        return {name: round(value, 3) for name, value in found.items()}


def main() -> int:
    """Print the figures of the inbox and the approval; 1 when there is no browser."""
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
            task = house.approval("RISK-1")["task_id"]
            browser = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
            windows = Windows(stage=stage, browser=browser)
            for path in ("/inbox", f"/tasks/{task}"):
                shown = figures_of(windows, path)
                sys.stdout.write(json.dumps({"page": path.partition("/")[2].split("/")[0], **shown}) + "\n")
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
