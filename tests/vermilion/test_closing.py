"""What an installation opens it closes, and a sandbox company that does not start says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.contract import Connection, RepeatRecognition
from vermilion.company_process import CompanyFailed, CompanyProcess
from vermilion.installation import Installation
from vermilion.settings import Settings


class Pool:
    """Remembers whether it was closed."""

    is_closed = False

    def close(self) -> None:
        """Close it."""
        self.is_closed = True


def test_what_adapters_keep_open_is_closed_with_the_installation(tmp_path: Path) -> None:
    erp = Connection(system="erp", base_url="http://erp", token="t", recognition=RepeatRecognition.NATIVE_KEY)
    with Installation(Settings(database=f"sqlite:///{tmp_path}/here.sqlite")) as here:
        here.worker([erp])
        pool = erp.kept_open.of(Pool, Pool)
        assert not pool.is_closed

    assert pool.is_closed


def test_a_company_that_does_not_start_says_why(tmp_path: Path) -> None:
    company = CompanyProcess(tmp_path, ports={}, options=["--no-such-option"])

    with pytest.raises(CompanyFailed, match="unrecognized arguments: --no-such-option"):
        company.__enter__()
