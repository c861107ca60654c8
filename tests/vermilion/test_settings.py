"""Settings become what adapters and workers are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from vermilion.installation import connections_of
from vermilion.settings import SettingsRefused, load_settings

_ERP = """
[systems.erp]
base_url = "http://127.0.0.1:8401/"
token = "secret"
recognition = "search_only"
"""


def write(folder: Path, more: str) -> Path:
    """Write a settings file with one system."""
    path = folder / "vermilion.toml"
    path.write_text(_ERP + more)
    return path


def test_a_system_says_with_which_answers_it_has_done_nothing(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, "refusals = [503]\nrate_per_second = 2.5\n"), environment={})

    (connection,) = connections_of(settings)

    assert (connection.base_url, connection.refusals) == ("http://127.0.0.1:8401", frozenset({503}))
    assert connection.rate_per_second == 2.5


@pytest.mark.parametrize("entry", ["refusals = [404]", "rate_per_second = 0.0", "concurrency = 0", "webhooks = {}"])
def test_an_entry_that_means_nothing_is_named(tmp_path: Path, entry: str) -> None:
    with pytest.raises(SettingsRefused, match=f"systems.erp.{entry.split()[0]}"):
        load_settings(write(tmp_path, entry), environment={})
