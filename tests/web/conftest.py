"""One house per test module: what tests start in it has keys of its own."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.web.house import House, open_house


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    folder = tmp_path_factory.mktemp("house")
    with open_house(folder, f"sqlite:///{folder}/vermilion.sqlite") as opened:
        yield opened
