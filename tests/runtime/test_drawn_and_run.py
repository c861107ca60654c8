"""Constructs that stock SpiffWorkflow runs wrongly run as drawn, from the deployed file to the rows."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.runtime.commands import EventFate
from engine.store import Store
from tests.runtime.company import Company
from tests.runtime.files import beside


def do_jobs(company: Company) -> list[tuple[str, str]]:
    """Do every job there is; return step and arguments of each."""
    done: list[tuple[str, str]] = []
    while (claimed := company.claim()) is not None:
        done.append((claimed.correlation.step_key, claimed.arguments))
        company.record(claimed, company.done(value="1"))
    return done


@pytest.mark.parametrize("is_sequential", [False, True])
def test_instances_without_an_output_keep_what_they_write_to_themselves(
    sqlite_store: Store, is_sequential: bool
) -> None:
    company = Company(sqlite_store, beside(is_sequential=is_sequential))
    answer = company.start("beside", ref="R1", things=[3, 5])

    assert do_jobs(company) == [("check", '{"value":"3"}'), ("check", '{"value":"5"}')]

    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert view.variables == {"ref": "R1", "things": [3, 5]}
    assert [wait.step_key for wait in view.waits if wait.kind == "task"] == ["approve"]


def test_a_message_beside_a_task_is_taken_each_time_it_comes_and_not_after_the_task(store: Store) -> None:
    company = Company(store, beside())
    # Two come before anybody waits, two while the task is open.
    for number in (1, 2):
        assert company.receive(f"n{number}", "note.taken", ref="R1", number=number).fate is EventFate.KEPT
    answer = company.start("beside", ref="R1", things=[])
    for number in (3, 4):
        assert company.receive(f"n{number}", "note.taken", ref="R1", number=number).fate is EventFate.CORRELATED
    assert company.receive("n4", "note.taken", ref="R1", number=4).is_repeat

    assert do_jobs(company) == [("tell", f'{{"value":"{number}"}}') for number in (1, 2, 3, 4)]

    company.decide(company.task_of(answer.workflow_id), approved=True, note="")
    assert company.receive("n5", "note.taken", ref="R1", number=5).fate is EventFate.KEPT
    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert sorted(wait.step_key for wait in view.waits) == ["early", "late"]


def test_the_first_of_two_times_behind_a_gateway_withdraws_the_other(store: Store) -> None:
    company = Company(store, beside())
    answer = company.start("beside", ref="R1", things=[])
    company.decide(company.task_of(answer.workflow_id), approved=True, note="")

    company.store.move_clock(timedelta(minutes=61))
    fired = company.runtime.fire_due(company.worker, 10)

    assert fired.count == 1
    view = company.runtime.instance(company.operator, answer.workflow_id)
    assert (view.execution_state, view.waits, view.current_step) == ("finished", (), "early_end")
    company.store.move_clock(timedelta(hours=2))
    assert company.runtime.fire_due(company.worker, 10).count == 0
