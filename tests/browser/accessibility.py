"""Accessibility rules, checked by axe in the page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

_AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
#: WCAG 2.2 up to AA, and what axe calls best practice.
_TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
#: The third-party viewer's own markup (its canvas and its mark).
_NOT_OURS = (".djs-container", ".bjs-powered-by")
_RUN = """([tags, notOurs]) => axe.run({exclude: notOurs.map((each) => [each])}, {
  runOnly: {type: 'tag', values: tags}, resultTypes: ['violations'],
})"""


@cache
def _source() -> str:
    return _AXE.read_text()


def violations_of(page: Page) -> list[str]:
    """Return what is not accessible on a page: rule, reason and place of each.

    axe comes in through the debugger, beside the page's own content security policy, and sends nothing.
    """
    page.evaluate(_source())
    found: dict[str, Any] = page.evaluate(_RUN, [list(_TAGS), list(_NOT_OURS)])
    return [
        f"{page.url}: {rule['id']}: {rule['help']}: {node['html']} ({node['failureSummary']})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
