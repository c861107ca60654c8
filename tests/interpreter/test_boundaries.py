"""Boundary events, errors and ends: who is stopped, who goes on, and with what (BPMN 2.0.2, 10.5)."""

from __future__ import annotations

import pytest

from engine.interpreter.failures import ConflictingValues, UncaughtError
from engine.interpreter.messages import StepOutcome
from tests.interpreter.drawing import (
    after,
    boundary,
    call,
    catch,
    define,
    draw,
    each,
    end,
    error,
    every,
    feel_script,
    message,
    service,
    sub_process,
    task,
    terminate,
    user,
    while_loop,
)
from tests.interpreter.playing import Play


def test_an_interrupting_timer_withdraws_the_task() -> None:
    play = Play(
        define(draw("start -> a -> end1", "late -> b -> end2", a=user(), b=task(), late=boundary("a", after("PT1H"))))
    )
    task_id = play.wait("a").wait_id

    play.fire("late")

    assert play.last.is_finished
    assert play.path == ["start", "late", "b", "end2"]
    assert (task_id, True) in [(closed.wait_id, closed.is_withdrawn) for closed in play.last.closed]
    assert [(step.element_id, step.outcome) for step in play.last.steps] == [
        ("a", StepOutcome.WITHDRAWN),
        ("late", StepOutcome.COMPLETED),
        ("b", StepOutcome.COMPLETED),
    ]


def test_a_completed_task_withdraws_its_boundary_events() -> None:
    play = Play(
        define(
            draw(
                "start -> a -> b -> done",
                "late -> end2",
                "told -> end3",
                a=user(),
                b=user(),
                late=boundary("a", after("PT1H")),
                told=boundary("a", message("m"), is_interrupting=False),
            )
        )
    )
    assert play.waiting == ["a", "late", "told"]

    play.complete("a")

    assert play.waiting == ["b"]
    assert sorted(closed.is_withdrawn for closed in play.last.closed) == [False, True, True]


def test_a_non_interrupting_message_goes_beside_the_task_every_time_it_comes() -> None:
    play = Play(
        define(
            draw(
                "start -> a -> done",
                "told -> note -> end2",
                a=user(),
                note=service(result=None),
                told=boundary("a", message("m", result="news"), is_interrupting=False, status="TOLD"),
            )
        )
    )

    for news in ("first", "second", "third"):
        play.receive("told", news)
        assert [entered.status for entered in play.last.statuses] == ["TOLD"]

    assert play.waiting == ["a", "note", "note", "note", "told"]
    play.complete("a")
    assert not play.last.is_finished
    for _ in range(3):
        play.succeed("note")
    assert play.last.is_finished
    assert play.path.count("told") == 3


def test_a_non_interrupting_timer_fires_once_and_a_cycle_as_often_as_it_says() -> None:
    definition = define(
        draw(
            "start -> a -> done",
            "once -> end2",
            "often -> end3",
            a=user(),
            once=boundary("a", after("PT1H"), is_interrupting=False),
            often=boundary("a", every("R3/PT10M"), is_interrupting=False),
        )
    )
    play = Play(definition)
    first = play.wait("often").due_at

    play.fire("often")
    second = play.wait("often").due_at
    play.fire("often")
    play.fire("often")
    play.fire("once")

    assert (second - first).total_seconds() == 600
    assert play.waiting == ["a"]
    assert play.path.count("often") == 3


def test_what_is_written_beside_a_task_merges_where_both_end_and_is_not_seen_by_the_task() -> None:
    inner = draw(
        "start1 -> a -> end1",
        "told -> note -> end2",
        a=user(),
        note=feel_script("{noted: true}"),
        told=boundary("a", message("m"), is_interrupting=False),
    )
    play = Play(define(draw("start -> sub -> last -> done", sub=sub_process(inner), last=user())))

    play.receive("told")
    assert "noted" not in play.wait("a").shown
    play.complete("a", decided=True)

    assert play.wait("last").shown == {"noted": True, "decided": True}


def test_an_interrupting_event_stops_a_sub_process_at_once_with_everything_inside() -> None:
    innermost = draw("start2 -> c -> end4", "inner_late -> end5", c=user(), inner_late=boundary("c", after("PT9H")))
    inner = draw("start1 -> and1 -> a -> end1", "and1 -> deep -> end2", a=service(), deep=sub_process(innermost))
    play = Play(
        define(
            draw(
                "start -> sub -> done",
                "stop -> b -> end3",
                sub=sub_process(inner),
                b=user(),
                stop=boundary("sub", message("stop")),
            )
        ),
        {"x": 1},
    )
    assert play.waiting == ["a", "c", "inner_late", "stop"]

    play.receive("stop")

    assert play.waiting == ["b"]
    assert play.wait("b").shown == {"x": 1}
    withdrawn = {step.element_id for step in play.last.steps if step.outcome is StepOutcome.WITHDRAWN}
    assert withdrawn == {"sub", "a", "deep", "c"}
    play.complete("b")
    assert play.last.is_finished


def test_what_an_interrupted_sub_process_wrote_is_gone() -> None:
    inner = draw("start1 -> a -> b -> end1", a=feel_script("{x: 2, y: 2}"), b=user())
    play = Play(
        define(
            draw(
                "start -> sub -> done",
                "stop -> c -> end3",
                sub=sub_process(inner),
                c=user(),
                stop=boundary("sub", message("stop")),
            )
        ),
        {"x": 1},
    )

    play.receive("stop")

    assert play.wait("c").shown == {"x": 1}


def test_a_write_beside_a_sub_process_conflicts_with_a_later_one_inside_it() -> None:
    inner = draw("start1 -> a -> end1", a=user())
    outer = draw(
        "start2 -> sub -> end2",
        "told -> note -> end4",
        sub=sub_process(inner),
        note=feel_script("{x: 2}"),
        told=boundary("sub", message("m"), is_interrupting=False),
    )
    play = Play(define(draw("start -> outer -> done", outer=sub_process(outer))), {"x": 1})
    play.receive("told")

    with pytest.raises(ConflictingValues):
        play.complete("a", x=3)

    play.complete("a", y=3)
    assert play.variables == {"x": 2, "y": 3}


# --- errors ---


def _catching(*codes: str | None) -> Play:
    boundaries = {f"on_{code}": boundary("a", error(code)) for code in codes}
    return Play(
        define(
            draw(
                "start -> a -> done",
                *(f"{name} -> handle_{name} -> end_{name}" for name in boundaries),
                **boundaries,
                **{f"handle_{name}": task() for name in boundaries},
                a=service(),
            )
        )
    )


# The error boundary events drawn (None catches all), the error, and the one that catches.
ROUTES = [
    ((None,), "broken", "on_None"),
    (("broken",), "broken", "on_broken"),
    ((None, "broken"), "broken", "on_broken"),
    (("other", None), "broken", "on_None"),
]


@pytest.mark.parametrize(("codes", "code", "caught_by"), ROUTES)
def test_a_failed_job_goes_to_the_boundary_event_of_its_code_before_one_for_all(
    codes: tuple[str | None, ...], code: str, caught_by: str
) -> None:
    play = _catching(*codes)
    wait_id = play.wait("a").wait_id

    play.fail("a", code)

    assert play.last.is_finished
    assert play.last.path[0] == caught_by
    assert [(closed.wait_id, closed.is_withdrawn) for closed in play.last.closed] == [(wait_id, False)]
    step = play.last.steps[0]
    assert (step.element_id, step.outcome, step.error_code) == ("a", StepOutcome.FAILED, code)


@pytest.mark.parametrize("codes", [(), ("other",)])
def test_a_failed_job_that_nothing_catches_is_a_failure_and_the_job_stays_open(codes: tuple[str, ...]) -> None:
    play = _catching(*codes)

    with pytest.raises(UncaughtError) as failed:
        play.fail("a", "broken")

    assert (failed.value.element_id, failed.value.error_code) == ("a", "broken")
    assert play.waiting == ["a"]
    play.succeed("a")
    assert play.last.is_finished


def test_an_error_goes_to_the_nearest_scope_that_catches_it_never_to_a_sibling() -> None:
    innermost = draw("start2 -> fails -> end2", fails=service())
    inner = draw(
        "start1 -> and1 -> deep -> end1",
        "and1 -> sibling -> end4",
        "beside -> end5",
        deep=sub_process(innermost),
        sibling=user(),
        beside=boundary("sibling", error()),
    )
    play = Play(
        define(
            draw(
                "start -> sub -> done",
                "wrong -> end6",
                "right -> handle -> end3",
                sub=sub_process(inner),
                handle=task(),
                wrong=boundary("sub", error("other")),
                right=boundary("sub", error("broken")),
            )
        )
    )

    play.fail("fails", "broken")

    assert play.last.is_finished
    assert play.last.path == ("right", "handle", "end3")
    outcomes = {str(step.element_id): step.outcome for step in play.last.steps}
    assert outcomes["fails"] is outcomes["sub"] is StepOutcome.FAILED
    assert outcomes["sibling"] is outcomes["deep"] is StepOutcome.WITHDRAWN


def test_an_error_end_event_is_caught_on_its_sub_process_with_what_the_branch_knew() -> None:
    inner = draw("start1 -> a -> end1", a=feel_script('{reason: "too dear"}'), end1=end(error("refused")))
    play = Play(
        define(
            draw(
                "start -> sub -> done",
                "on_error -> b -> end2",
                sub=sub_process(inner),
                b=user(),
                on_error=boundary("sub", error("refused")),
            )
        )
    )

    assert play.wait("b").shown == {"reason": "too dear"}
    assert play.path == ["start", "start1", "a", "end1", "on_error"]


def test_an_error_end_event_that_nothing_catches_fails_the_instance() -> None:
    inner = draw("start1 -> and1 -> end1", "and1 -> a -> end2", a=user(), end1=end(error("refused")))
    play = Play(
        define(draw("start -> sub -> done", "other -> end3", sub=sub_process(inner), other=boundary("sub", error("x"))))
    )

    assert play.last.is_finished
    assert play.last.error_code == "refused"
    assert play.last.error_message
    assert play.waiting == []
    assert "done" not in play.path


def test_an_error_passes_from_a_called_process_to_its_caller_without_its_variables() -> None:
    called = draw("start1 -> a -> end1", a=feel_script("{inside: 1}"), end1=end(error("refused")))
    play = Play(
        define(
            draw(
                "start -> calls -> done",
                "caught -> b -> end2",
                calls=call("other"),
                b=user(),
                caught=boundary("calls", error()),
            ),
            called={"other": called},
        ),
        {"x": 1},
    )

    assert play.wait("b").shown == {"x": 1}


def test_an_error_in_one_instance_of_many_goes_to_the_activitys_boundary_and_ends_the_others() -> None:
    play = Play(
        define(
            draw(
                "start -> many -> done",
                "caught -> end2",
                many=service(loop=each("[1, 2, 3]", item="i")),
                caught=boundary("many", error()),
            )
        )
    )

    play.fail("many", place=1)

    assert play.last.is_finished
    assert play.last.path == ("caught", "end2")
    assert sorted(closed.is_withdrawn for closed in play.last.closed) == [False, True, True]


def test_an_error_takes_nothing_of_one_instances_own_variables_along() -> None:
    inner = draw("start1 -> a -> end1", a=feel_script("{y: 2}"), end1=end(error("refused")))
    play = Play(
        define(
            draw(
                "start -> many -> done",
                "caught -> b -> end2",
                many=sub_process(inner, loop=each("[1, 2]", item="i")),
                b=user(),
                caught=boundary("many", error()),
            )
        ),
        {"x": 1},
    )

    assert play.wait("b").shown == {"x": 1}


def test_a_boundary_timer_on_a_loop_ends_the_loop() -> None:
    play = Play(
        define(
            draw(
                "start -> a -> done", "late -> end2", a=user(loop=while_loop("true")), late=boundary("a", after("PT1H"))
            )
        )
    )
    play.complete("a")
    play.complete("a")

    play.fire("late")

    assert play.last.is_finished
    assert play.waiting == []


# --- ends ---


def test_a_terminate_end_event_withdraws_everything_else() -> None:
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> end1",
                "and1 -> b -> end2",
                "and1 -> wait -> end3",
                a=user(),
                b=service(),
                wait=catch(after("PT1H")),
                end1=end(terminate()),
            )
        )
    )

    play.complete("a", x=1)

    assert play.last.is_finished
    assert play.waiting == []
    assert play.variables["x"] == 1


def test_a_terminate_end_event_in_a_sub_process_ends_only_that() -> None:
    inner = draw("start1 -> and1 -> end1", "and1 -> a -> end2", a=user(), end1=end(terminate()))
    play = Play(define(draw("start -> sub -> b -> done", sub=sub_process(inner), b=user())))

    assert play.waiting == ["b"]


def test_a_process_without_end_events_ends_when_no_token_is_left() -> None:
    play = Play(define(draw("start -> a", a=user())))

    play.complete("a")

    assert play.last.is_finished


def test_cancelling_withdraws_everything_and_keeps_the_variables() -> None:
    inner = draw("start1 -> a -> end1", a=user())
    play = Play(
        define(draw("start -> and1 -> sub -> end2", "and1 -> b -> end3", sub=sub_process(inner), b=service())), {"x": 1}
    )

    play.cancel()

    assert play.last.is_finished
    assert play.waiting == []
    assert play.variables == {"x": 1}
    assert all(closed.is_withdrawn for closed in play.last.closed)
    assert {step.outcome for step in play.last.steps} == {StepOutcome.WITHDRAWN}
