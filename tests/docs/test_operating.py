"""``docs/operating.md`` and ``docs/dependencies.md`` name what there is."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from engine.identity.permissions import Role
from tests.docs.following import ROOT
from vermilion.settings import EventSender, Settings, SystemSettings

#: Each command is a process of its own.
pytestmark = pytest.mark.timeout(600)

OPERATING = (ROOT / "docs" / "operating.md").read_text()
DEPENDENCIES = (ROOT / "docs" / "dependencies.md").read_text()


def test_every_setting_is_described() -> None:
    rows = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|", OPERATING.partition("## Settings")[2].partition("\n## ")[0], re.M)
    described = {name: meaning for names, meaning in rows for name in re.findall(r"`(\w+)`", names)}

    assert set(described) == set(Settings.model_fields)
    assert set(re.findall(r"`(\w+)`", described["systems"])) == set(SystemSettings.model_fields)
    assert set(re.findall(r"`(\w+)`", described["event_senders"])) == set(EventSender.model_fields)


def test_every_role_of_people_is_described() -> None:
    described = set(re.findall(r"^\| `(\w+)` \|", OPERATING.partition("## People")[2].partition("\n## ")[0], re.M))

    assert described == {role.value for role in Role} - {Role.SERVICE.value}


def test_every_direct_dependency_has_a_line_with_reason_and_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = (project["project"]["dependencies"], *project["dependency-groups"].values())
    declared = [each for group in groups for each in group]
    wanted = {re.split(r"[\[=<>~]", each)[0] for each in declared}
    wanted |= json.loads((ROOT / "package.json").read_text())["devDependencies"].keys()
    rows = re.findall(r"^\| `([@\w./-]+)` \| ([^|]+) \|[^|]*\| ([^|]+) \|$", DEPENDENCIES, re.MULTILINE)

    assert sorted(name for name, _, _ in rows) == sorted(wanted)
