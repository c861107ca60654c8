"""``docs/adding-an-operation.md`` is followed word by word, and modules that offer no operations are refused."""

from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path

import pytest

from engine.contract import Operation
from tests.docs.following import ROOT, Reader
from tests.docs.workplace import free_ports
from vermilion.own_operations import OperationsNotLoaded, registry_of
from vermilion.settings import Settings

#: Each command is a process of its own.
pytestmark = pytest.mark.timeout(600)

DOCUMENT = (ROOT / "docs" / "adding-an-operation.md").read_text()
DECLARED = {"name", "version", "effect", "system", "timeout", "retry", "reconcile", "compensate", "permission"}


def test_an_operation_is_added_word_by_word(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with Reader(folder=tmp_path) as reader:
        reader.environment["PATH"] = f"{ROOT}/.venv/bin:{reader.environment['PATH']}"

        assert reader.follow(DOCUMENT.replace("8410", str(port))) == 11


def test_what_a_declaration_can_say_is_described() -> None:
    described = set(re.findall(r"`(\w+)`", DOCUMENT.partition("What the declaration says")[2])) | {"name"}

    assert described >= DECLARED
    assert {field.name for field in dataclasses.fields(Operation)} >= DECLARED


_CONTRADICTION = """
from engine.contract import Call, Effect, Values, operation

class Nothing(Values):
    pass

@operation("house.write", version=1, effect=Effect.WRITE, system="house")
def write(call: Call, given: Nothing) -> Nothing:
    return given

OPERATIONS = (write,)
"""


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("not_there_at_all", None, "cannot be imported: No module named"),
        ("offers_nothing", "OPERATION = ()", "offers nothing: give it a line OPERATIONS"),
        ("offers_functions", "OPERATIONS = (print,)", "offers nothing"),
        ("is_no_python", "def", "cannot be imported"),
        ("contradicts_itself", _CONTRADICTION, "names in `reconcile`"),
        ("declares_twice", "from service_tasks.wms import OPERATIONS", "is declared twice"),
    ],
)
def test_a_module_that_offers_no_operations_is_refused(
    name: str, content: str | None, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    if content is not None:
        (tmp_path / f"{name}.py").write_text(content)

    with pytest.raises(OperationsNotLoaded, match=re.escape(says)):
        registry_of(Settings(operations=(name,)))
