"""Signing in, in a browser."""

from __future__ import annotations

import pytest

from tests.browser.stage import DESK, PHONE, Look, Windows

pytestmark = pytest.mark.xdist_group("browser")


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "plain"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_person_signs_in_and_comes_to_what_is_theirs(windows: Windows, width: int, has_scripts: bool) -> None:
    with windows.opened(Look(width=width, has_scripts=has_scripts)) as window:
        window.sign_in("wei")

        assert window.path == "/inbox"
        assert "Li Wei" in window.page.content()
