"""What a script reads and writes, found in its text."""

from __future__ import annotations

import pytest

from engine.model.graph import ScriptLanguage
from engine.model.script_names import script_names


@pytest.mark.parametrize(
    ("script", "changed"),
    [
        ("{ref: amount * 2}", {"ref"}),
        ('{"ref" : 1, other: {inner: 2}}', {"ref", "other", "inner"}),
        ("1 + 1", set[str]()),
    ],
)
def test_the_entries_of_a_feel_script_are_what_it_writes(script: str, changed: set[str]) -> None:
    assert script_names(script, ScriptLanguage.FEEL).changed == changed


@pytest.mark.timeout(20)
def test_a_long_text_in_a_script_is_read_in_one_go() -> None:
    """Looked for at each of its characters, a name of this length took minutes."""
    assert script_names("{x: " + f'"{"a" * 65_000}"' + "}", ScriptLanguage.FEEL).changed == {"x"}
