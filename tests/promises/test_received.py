"""What was received is never lost (P15); a time-out after the request left is not a failure (W10)."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.interpreter import Interpreter
from engine.interpreter.failures import InterpretationFailed
from engine.interpreter.messages import Advance, Happening, JobSucceeded, MessageReceived, TaskCompleted
from engine.model import Definition
from engine.runtime import Runtime
from tests.promises.journeys import JOURNEYS, Journey
from tests.promises.stage import Stage, stage_on
from vermilion.ids import new_id
from vermilion.shipped import PROCUREMENT, shipped_process

_PLAIN = JOURNEYS["plain"]
_MOST_LOOKS = 200


class _FailsOnce:
    """An interpreter that cannot apply one happening the first time, as one with a defect that is mended then."""

    def __init__(self, interpreter: Interpreter, is_it: Callable[[Happening], bool]) -> None:
        self._interpreter = interpreter
        self._is_it = is_it
        self._has_failed = False

    def advance(self, definition: Definition, state: bytes, happening: Happening, **given: Any) -> Advance:
        if not self._has_failed and self._is_it(happening):
            self._has_failed = True
            raise InterpretationFailed("Something in here does not work.")
        return self._interpreter.advance(definition, state, happening, **given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._interpreter, name)


def break_once(stage: Stage, is_it: Callable[[Happening], bool]) -> None:
    """Let the runtime fail once to apply a happening."""
    here = stage.here
    interpreter: Any = _FailsOnce(Interpreter(here.scripts), is_it)
    here.runtime = Runtime(here.store, interpreter, here.registry, new_id=new_id, bell=here.bell.ring)


def count_writes(stage: Stage) -> int:
    """Return how often the write was sent; waits for the ERP to note the first, which it does after its answer."""
    turn = threading.Event()
    for _ in range(_MOST_LOOKS):
        count = sum(each["operation"] == "create_requisition" for each in stage.foreign().calls)
        if count:
            return count
        turn.wait(0.05)
    return 0


#: What comes from outside into a purchase, and what the audit calls its arrival.
ARRIVALS: list[tuple[str, str, Callable[[Happening], bool]]] = [
    ("decision", "decided", lambda each: isinstance(each, TaskCompleted)),
    ("outcome of the write", "job_done", lambda each: isinstance(each, JobSucceeded) and "create" in each.source),
    ("outcome of a read", "job_done", lambda each: isinstance(each, JobSucceeded) and "stock" in each.source),
    ("event", "message_correlated", lambda each: isinstance(each, MessageReceived)),
]


@pytest.mark.parametrize(("event", "is_it"), [row[1:] for row in ARRIVALS], ids=[row[0] for row in ARRIVALS])
def test_what_could_not_be_applied_is_kept_with_an_incident_and_applied_by_repair(
    event: str, is_it: Callable[[Happening], bool], sqlite_url: str, tmp_path: Path
) -> None:
    with stage_on(sqlite_url, tmp_path) as stage:
        break_once(stage, is_it)
        case = stage.play(_PLAIN)
        assert case.instance["business_status"] == "SUCCEEDED"
        assert stage.findings() == ()
        (incident,) = case.incident
        assert (incident["role"], incident["happening_digest"] is not None) == ("operator", True)
        events = [row["event"] for row in case.audit]
        details: list[dict[str, Any]] = [row["detail"] or {} for row in case.audit]
        kept = next(row for row, detail in zip(case.audit, details, strict=True) if "incident" in detail)
        assert kept["event"] == event
        assert events.count("repaired") == 1
        assert count_writes(stage) == 1


def impatient(folder: Path) -> Path:
    """Return the shipped process with a write that waits half a second for its answer."""
    copy = folder / "impatient"
    shutil.copytree(shipped_process(PROCUREMENT), copy)
    file = copy / "process.bpmn"
    drawn = file.read_text()
    operation = '<vermilion:operation name="erp.create_requisition@1"'
    assert drawn.count(operation) == 1
    file.write_text(drawn.replace(operation, f'{operation} timeout="PT0.5S"'))
    return copy


@pytest.mark.parametrize("keys_on", [True, False])
def test_an_answer_that_comes_after_its_time_out_is_looked_up_and_not_sent_again(
    keys_on: bool, sqlite_url: str, tmp_path: Path
) -> None:
    journey: Journey = replace(_PLAIN, keys_on=keys_on, faults=(("create_requisition", "delay", 1),), seconds=1.0)
    with stage_on(sqlite_url, tmp_path, keys_on=keys_on, process=impatient(tmp_path)) as stage:
        case = stage.play(journey)
        assert case.instance["business_status"] == "SUCCEEDED"
        assert stage.findings() == ()
        assert count_writes(stage) == 1
        assert "FAILED" not in {after for _, after, _ in case.transitions}
        assert [row["outcome"] for row in case.attempt if row["operation"].startswith("erp.create")] == ["found"]
