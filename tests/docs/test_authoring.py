"""``docs/authoring-a-process.md`` is followed word by word, and its tables are what the product says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deploy.write_documents import DOCUMENTS, ROOT, rewritten
from engine.model.settings import Cancellation, Message, ProcessSettings, Role, Status
from tests.docs.following import Reader
from tests.docs.workplace import OpenWorkplace

#: Each command is a process of its own.
pytestmark = pytest.mark.timeout(600)

DOCUMENT = (ROOT / "docs" / "authoring-a-process.md").read_text()


def test_a_process_is_authored_word_by_word(tmp_path: Path) -> None:
    with Reader(folder=tmp_path) as reader:
        place = OpenWorkplace(reader)

        assert reader.follow(place.here(DOCUMENT)) == 21


@pytest.mark.parametrize("name", DOCUMENTS)
def test_generated_tables_are_those_of_the_product(name: str) -> None:
    text = (ROOT / name).read_text()

    assert rewritten(text) == text, "Run .venv/bin/python deploy/write_documents.py"


def test_every_entry_of_process_yaml_is_described() -> None:
    described = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", DOCUMENT.partition("## Reference: process.yaml")[2], re.M))

    assert list(described) == list(ProcessSettings.model_fields)
    for entry, model in {
        "statuses": Status,
        "cancellation": Cancellation,
        "messages": Message,
        "roles": Role,
    }.items():
        fields = {field.alias or name for name, field in model.model_fields.items()}
        assert fields <= set(re.findall(r"`(\w+)`", described[entry])), entry
