"""Both READMEs are followed word by word, and name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from tests.docs.following import ROOT, Reader
from tests.docs.workplace import OpenWorkplace
from vermilion.__main__ import main

#: Each command is a process of its own.
pytestmark = pytest.mark.timeout(600)

READMES = ("README.md", "README.zh-CN.md")
_LANGUAGE = {"README.md": {"Accept-Language": "en"}, "README.zh-CN.md": {"Accept-Language": "zh-CN"}}


@pytest.mark.parametrize("name", READMES)
def test_an_approval_leads_to_the_requisition_word_by_word(name: str, tmp_path: Path) -> None:
    text = (ROOT / name).read_text()
    shown = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    with Reader(folder=tmp_path) as reader:
        place = OpenWorkplace(reader)

        reader.expects(shown[0], place.as_documented(place.printed))
        welcome = httpx.get(place.here("http://127.0.0.1:8400/"), follow_redirects=True, headers=_LANGUAGE[name]).text
        for button in re.findall(r"\*\*([^*]+)\*\*", text):
            assert button in welcome

        assert reader.follow(place.here(text)) == 2

        page = httpx.get(place.here("http://127.0.0.1:8401/")).text
        assert "PR-10002" in page
        assert "400 pc" in page


@pytest.mark.parametrize("name", READMES)
def test_every_command_is_in_the_table(name: str) -> None:
    described = re.findall(r"^\| `vermilion ([\w-]+)", (ROOT / name).read_text(), re.MULTILINE)

    assert sorted(described) == sorted(main.commands)


@pytest.mark.parametrize("name", READMES)
def test_every_room_and_the_databases_of_the_tests_are_named(name: str) -> None:
    text = (ROOT / name).read_text()

    for room in _ROOMS:
        assert f"`{room}/`" in text
        assert (ROOT / room).is_dir()
    for part in (ROOT / "engine").iterdir():
        assert f"`{part.name}`" in text or not any(part.glob("[a-z]*.py")), part
    assert all(f"`{address}`" in text for address in _DEFAULTS)


_ROOMS = ("processes", "service_tasks", "engine", "web", "vermilion", "sandbox", "tests", "bench", "docs", "deploy")
#: As ``tests/databases.py`` has them when no variable is set.
_DEFAULTS = ("postgresql+psycopg://postgres@127.0.0.1:5432/test", "mysql+pymysql://root@127.0.0.1:3306/test")


def test_the_databases_are_those_of_the_tests() -> None:
    source = (ROOT / "tests" / "databases.py").read_text()

    assert all(f'"{address}"' in source for address in _DEFAULTS)


@pytest.mark.parametrize(
    "path", [*READMES, *sorted(each.relative_to(ROOT).as_posix() for each in (ROOT / "docs").glob("*.md"))]
)
def test_every_link_leads_somewhere(path: str) -> None:
    document = ROOT / path
    prose = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)#]+)\)", prose)

    for target in targets:
        assert target.startswith("https://") or (document.parent / target).exists(), target
