"""``vermilion demo``: one document and SUCCEEDED, also where systems fail; without keys at most one document.

What stands in the ERP is read from the sandbox's own ledger. A fault that did not fire makes a row fail.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.promises.dice import NoPause
from vermilion.demonstration import Fault, Play, Played, play
from vermilion.installation import Parts

FAULTS = ("delay", "rate_limited", "unavailable", "wrong_json", "cut_before", "cut_after")
WRITE = "create_requisition"
READS = (
    "read_stock",
    "read_demand",
    "read_supply",
    "preflight_requisition",
    "find_requisition",
    "read_requisition",
)
COUNT = 2
#: Where the first fault already leaves nothing to ask again: a late answer is an answer, and a write whose document was
#: made is found by its key. Reads that happen twice in a purchase meet the second fault with their second happening.
FIRES_ONCE = {
    *((WRITE, name) for name in ("delay", "wrong_json", "cut_after")),
    *((operation, "delay") for operation in ("preflight_requisition", "find_requisition", "read_requisition")),
}


def played(*, fault: tuple[str, str] | None = None, keys_on: bool = True) -> Played:
    """Play a purchase with a fault of an operation; its pauses are drawn with dice that show nought."""
    faults = () if fault is None else (Fault(operation=fault[0], name=fault[1], count=COUNT),)
    return play(Play(faults=faults, keys_on=keys_on), lambda _: None, Parts(dice=NoPause()))


def fired(result: Played, operation: str, name: str) -> int:
    """Return how often a fault has fired."""
    return result.faults_fired[f"{operation}:{name}"]


def test_a_purchase_without_a_fault_succeeds_with_one_document() -> None:
    result = played()
    assert (result.status, result.execution_state) == ("SUCCEEDED", "finished")
    assert [(each["quantity"], each["status"]) for each in result.erp_documents] == [("400", "confirmed")]


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("operation", [WRITE, *READS])
def test_a_fault_that_fires_twice_changes_nothing(operation: str, name: str) -> None:
    result = played(fault=(operation, name))
    assert (result.status, result.waiting_for) == ("SUCCEEDED", ())
    assert [(each["quantity"], each["status"]) for each in result.erp_documents] == [("400", "confirmed")]
    assert fired(result, operation, name) == (1 if (operation, name) in FIRES_ONCE else COUNT)


def test_without_keys_a_purchase_succeeds_with_one_document() -> None:
    result = played(keys_on=False)
    assert result.status == "SUCCEEDED"
    assert [(each["key"], each["status"]) for each in result.erp_documents] == [(None, "confirmed")]


@pytest.mark.parametrize("name", FAULTS)
def test_without_keys_a_fault_on_the_write_leaves_at_most_one_document(name: str) -> None:
    result = played(fault=(WRITE, name), keys_on=False)
    assert len(result.erp_documents) <= 1
    assert fired(result, WRITE, name) >= 1
    if result.status == "SUCCEEDED":
        assert len(result.erp_documents) == 1
    else:
        assert result.waiting_for, f"{result.status}, and nobody is asked"


REAL_COMMANDS: tuple[tuple[str, ...], ...] = (
    (),
    ("--fault", f"{WRITE}:cut_after={COUNT}"),
    ("--fault", f"read_stock:unavailable={COUNT}"),
)


@pytest.mark.parametrize("options", REAL_COMMANDS, ids=lambda row: " ".join(row) or "plain")
def test_the_command_prints_one_object_and_exits_with_nought(options: tuple[str, ...]) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "vermilion", "demo", "--json", *options],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    result: dict[str, Any] = json.loads(ended.stdout)
    assert (result["status"], len(result["erp_documents"])) == ("SUCCEEDED", 1)
    assert {"workflow_id", "business_key", "timeline"} <= result.keys()
    assert {"time", "step", "event", "workflow_id", "trace_id"} <= result["timeline"][0].keys()


def test_the_command_says_when_a_person_has_to_go_on() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "vermilion", "demo", "--json", "--no-keys", "--fault", f"{WRITE}:cut_before=9"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode == 3, ended.stderr
    result: dict[str, Any] = json.loads(ended.stdout)
    assert result["erp_documents"] == []
    assert result["waiting_for"]
