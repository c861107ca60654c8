"""An operator sends an instance back: a token goes on before a node, whatever stood or had ended before."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import zstandard

from engine.contract.ids import StepKey
from engine.contract.origin import Origin
from engine.interpreter.failures import NotRunnable, StateUnreadable
from engine.interpreter.messages import Advance, CancelAll, Restarted, StatusEntered, StepOutcome
from engine.model.graph import Scope
from tests.interpreter.drawing import (
    after,
    boundary,
    define,
    draw,
    end,
    error,
    feel_script,
    service,
    sub_process,
    user,
    with_data_objects,
)
from tests.interpreter.playing import Play


def restart(play: Play, element_id: str) -> Advance:
    return play.happens(Restarted(element_id=StepKey(element_id), source="omar"))


def failing() -> Scope:
    """Draw a read, a check, and an end that fails when the check does not like what was read."""
    return draw(
        "start -> again -> read -> xor -> done if read > 5",
        "xor -> failed else",
        again=feel_script("{version: if version = null then 1 else version + 1}"),
        read=replace(service(result="read"), status="READING"),
        failed=end(error("broken")),
    )


def test_an_instance_that_failed_goes_on_where_it_is_sent_with_variables_and_origins() -> None:
    play = Play(define(failing()), {"hint": "R1"}, origin=Origin.MODEL)
    assert play.succeed("read", 3).error_code == "broken"

    sent_back = restart(play, "again")

    assert (sent_back.is_finished, sent_back.error_code) == (False, None)
    assert sent_back.variables == {"hint": "R1", "version": 2, "read": 3}
    assert sent_back.path == ("again",)
    assert sent_back.statuses == (StatusEntered(element_id=StepKey("read"), status="READING"),)
    assert play.interpreter.origins(play.definition, sent_back.state)["hint"] == (Origin.MODEL, "test")
    assert play.succeed("read", 7).is_finished


def test_what_was_known_inside_a_sub_process_is_kept_when_its_error_ends_the_instance() -> None:
    inner = draw("start -> note -> failed", note=feel_script("{found: 7}"), failed=end(error("broken")))
    play = Play(define(draw("start -> wait -> inside -> done", wait=user(), inside=sub_process(inner))), {"ref": "R1"})

    play.complete("wait")

    assert (play.last.error_code, play.variables) == ("broken", {"ref": "R1", "found": 7})


def test_executions_are_counted_on_so_that_no_intent_is_used_twice() -> None:
    play = Play(define(failing()))
    first = play.wait("read").intent
    play.succeed("read", 3)

    restart(play, "again")

    assert (first, play.wait("read").intent) == (1, 2)
    assert [(each.element_id, each.execution_number) for each in play.last.steps] == [("again", 2), ("read", 2)]


def test_everything_that_is_still_open_is_withdrawn() -> None:
    inner = draw("start -> a -> done", a=user())
    play = Play(
        define(
            draw(
                "start -> and1 -> inside -> done",
                "and1 -> b -> done2",
                "late -> done3",
                inside=sub_process(inner),
                b=service(),
                late=boundary("inside", after("PT1H")),
            )
        )
    )
    assert play.waiting == ["a", "b", "late"]

    restart(play, "b")

    assert play.waiting == ["b"]
    assert {each.element_id: each.outcome for each in play.last.steps} == {
        "a": StepOutcome.WITHDRAWN,
        "inside": StepOutcome.WITHDRAWN,
        "b": StepOutcome.ENTERED,
    }
    assert all(each.is_withdrawn for each in play.last.closed)
    assert play.succeed("b").is_finished


def test_data_objects_are_shared_again() -> None:
    scope = with_data_objects(
        draw(
            "start -> set -> end",
            "start2 -> and1 -> write -> done",
            "and1 -> ask -> done2",
            set=feel_script("{total: 1}"),
            write=feel_script("{total: total + 1}"),
            ask=user(),
        ),
        "total",
    )
    play = Play(define(scope), start_element="start")

    restart(play, "and1")

    assert play.wait("ask").shown["total"] == 2
    assert play.interpreter.variables(play.definition, play.last.state)["total"] == 2


def test_an_instance_is_restarted_more_than_once() -> None:
    play = Play(define(failing()))
    for version in range(2, 6):
        play.succeed("read", 3)
        restart(play, "again")
        assert (play.variables["version"], play.wait("read").intent) == (version, version)


def test_only_a_node_of_the_process_itself_can_be_gone_on_at() -> None:
    play = Play(define(draw("start -> inside -> done", inside=sub_process(draw("start -> a -> done", a=user())))))

    with pytest.raises(NotRunnable, match="no node of this process"):
        restart(play, "a")


def test_an_ended_state_of_old_that_kept_no_counts_is_not_restarted() -> None:
    play = Play(define(failing()))
    play.succeed("read", 3)
    document = json.loads(zstandard.decompress(play.last.state))
    old = {key: value for key, value in document.items() if key not in ("k", "n", "c")}
    play.last = replace(play.last, state=zstandard.compress(json.dumps(old).encode()))

    with pytest.raises(StateUnreadable, match="did not keep its counts"):
        restart(play, "again")


def test_a_failure_is_over_when_the_instance_is_cancelled() -> None:
    play = Play(define(failing()))
    assert play.succeed("read", 3).error_code == "broken"

    cancelled = play.happens(CancelAll())

    assert (cancelled.is_finished, cancelled.error_code) == (True, None)
