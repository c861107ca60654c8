"""Every page: nothing goes wrong in the browser, axe finds nothing, no page is wider than its window."""

from __future__ import annotations

import pytest

from tests.browser.stage import DESK, PHONE, Look, Windows

pytestmark = pytest.mark.xdist_group("browser")

_LOOKS = (
    Look(width=PHONE, scheme="light", language="en"),
    Look(width=PHONE, scheme="dark", language="zh"),
    Look(width=DESK, scheme="dark", language="en"),
    Look(width=DESK, scheme="light", language="zh"),
)


@pytest.mark.parametrize("look", _LOOKS, ids=str)
def test_an_address_without_a_page_says_so(windows: Windows, look: Look) -> None:
    with windows.opened(look) as window:
        assert window.open("/nothing-here") == 404
        window.check_accessible()
