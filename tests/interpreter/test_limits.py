"""Endless loops, capped advances, scripts that fail, corrections by operators."""

from __future__ import annotations

import pytest

from engine.interpreter import Limits
from engine.interpreter.failures import ExpressionFailed, NotRunnable, ScriptStopped, StepLimitReached, UnstorableValue
from engine.model.graph import FlowNode, NodeKind, SignalEvent
from tests.interpreter.drawing import (
    boundary,
    call,
    catch,
    define,
    draw,
    feel_script,
    message,
    node,
    script,
    service,
    start,
    sub_process,
    task,
    throw,
    user,
)
from tests.interpreter.playing import Play


def test_an_endless_loop_ends_at_the_instances_limit() -> None:
    definition = define(draw("start -> xor -> a -> xor", a=task()))
    play = Play(definition, limits=Limits(steps_per_advance=100, steps_per_instance=1_000))

    for _ in range(9):
        assert play.last.is_capped
        play.go_on()

    with pytest.raises(StepLimitReached):
        play.go_on()


def _go_on_for_ever(play: Play) -> None:
    for _ in range(100):
        play.go_on()


def test_a_loop_that_forks_without_a_join_ends_at_the_limit_of_tokens() -> None:
    drawing = define(draw("start -> xor -> and -> a -> xor", "and -> b -> xor", a=task(), b=task()))
    play = Play(drawing, limits=Limits(steps_per_advance=100, tokens=200))

    with pytest.raises(StepLimitReached, match="more than 200 tokens"):
        _go_on_for_ever(play)


def test_a_capped_advance_goes_on_where_it_stopped_and_in_the_same_order() -> None:
    lines = ("start -> and1 -> a -> b -> and2 -> done", "and1 -> c -> d -> and2")
    nodes = {name: task() for name in "abcd"}
    whole = Play(define(draw(*lines, **nodes)))
    capped = Play(define(draw(*lines, **nodes)), limits=Limits(steps_per_advance=1))
    while capped.last.is_capped:
        capped.go_on()

    assert capped.path == whole.path
    assert capped.last.is_finished


def test_a_script_that_stops_is_a_failure_of_its_task() -> None:
    with pytest.raises(ScriptStopped, match="division") as stopped:
        Play(define(draw("start -> a -> done", a=script("x = 1 / 0"))))

    assert stopped.value.element_id == "a"


def test_a_feel_script_that_gives_no_context_is_a_failure() -> None:
    with pytest.raises(ExpressionFailed) as failed:
        Play(define(draw("start -> a -> done", a=feel_script("1 + 1"))))

    assert failed.value.element_id == "a"


def test_a_feel_value_that_cannot_be_stored_names_its_task() -> None:
    with pytest.raises(UnstorableValue) as failed:
        Play(define(draw("start -> a -> done", a=feel_script("{x: [1..3]}"))))

    assert failed.value.element_id == "a"


@pytest.mark.parametrize(
    "node_with_range",
    [service(inputs={"x": "[1..3]"}), user(binds="[1..3]"), throw(message("m", payload={"x": "[1..3]"}))],
)
def test_a_value_that_cannot_leave_the_interpreter_is_a_failure(node_with_range: FlowNode) -> None:
    with pytest.raises(ExpressionFailed, match="Range"):
        Play(define(draw("start -> a -> done", a=node_with_range)))


NOT_RUNNABLE = [
    ("a", {"a": node(NodeKind.SERVICE_TASK)}),
    ("a", {"a": catch(SignalEvent(name="s"))}),
    ("a", {"a": throw(SignalEvent(name="s"))}),
    ("a", {"a": call("missing")}),
    ("a", {"a": node(NodeKind.SUB_PROCESS)}),
    ("drawn", {"a": feel_script("{x: ")}),
]


@pytest.mark.parametrize(("element_id", "nodes"), NOT_RUNNABLE)
def test_what_is_not_run_is_refused_by_element(element_id: str, nodes: dict[str, object]) -> None:
    with pytest.raises(NotRunnable) as refused:
        Play(define(draw("start -> a -> done", **nodes)))  # pyright: ignore[reportArgumentType]

    assert refused.value.element_id in (element_id, "a")


def test_the_start_event_to_begin_at_is_named_where_there_are_several() -> None:
    scope = draw(
        "start1 -> a -> done",
        "start2 -> b -> done",
        start1=start(message("m")),
        start2=start(message("n")),
        a=task(),
        b=task(),
    )
    definition = define(scope)

    assert Play(definition, start_element="start2").path == ["start2", "b", "done"]
    for wrong in (None, "a", "missing"):
        with pytest.raises(NotRunnable):
            Play(definition, start_element=wrong)


def test_a_correction_reaches_every_branch_and_is_no_conflict_where_they_join() -> None:
    inner = draw("start1 -> c -> end1", c=user())
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> and2 -> last -> done",
                "and1 -> b -> and2",
                "and1 -> sub -> and2",
                a=user(),
                b=user(),
                sub=sub_process(inner),
                last=user(),
            )
        ),
        {"x": 1, "y": 1},
    )
    play.complete("a", y=2)

    play.correct(x=5, z=6)
    for name in ("b", "c"):
        play.complete(name)

    assert play.wait("last").shown == {"x": 5, "y": 2, "z": 6}
    assert play.path[-1] == "and2"


def test_a_correction_does_not_reach_into_a_called_process() -> None:
    called = draw("start1 -> c -> d -> end1", c=user(), d=user())
    play = Play(define(draw("start -> calls -> done", calls=call("other")), called={"other": called}), {"x": 1})

    play.correct(x=5)
    play.complete("c")

    assert play.wait("d").shown == {"x": 1}


def test_a_correction_of_a_finished_instance_changes_its_record() -> None:
    play = Play(define(draw("start -> done")), {"x": 1})

    play.correct(x=2)

    assert play.variables == {"x": 2}
    assert play.last.is_finished


def test_cancelling_a_finished_instance_changes_nothing() -> None:
    play = Play(define(draw("start -> done")), {"x": 1})

    play.cancel()

    assert play.last.is_finished
    assert play.variables == {"x": 1}


def test_nodes_that_normalising_inserted_do_not_show_in_the_path() -> None:
    scope = draw("start -> a -> xor_inserted -> done", a=service())
    nodes = {**scope.nodes, "xor_inserted": node(NodeKind.EXCLUSIVE_GATEWAY)}
    nodes["xor_inserted"] = type(nodes["a"])(
        element_id=scope.nodes["xor_inserted"].element_id,
        kind=NodeKind.EXCLUSIVE_GATEWAY,
        drawn_id="a",
        incoming=scope.nodes["xor_inserted"].incoming,
        outgoing=scope.nodes["xor_inserted"].outgoing,
    )
    play = Play(define(type(scope)(scope_id="process", nodes=nodes, flows=scope.flows)))

    play.succeed("a")

    assert play.path == ["start", "a", "done"]


def test_a_boundary_event_does_not_change_how_its_task_is_left() -> None:
    play = Play(define(draw("start -> a -> done", "told -> end2", a=user(), told=boundary("a", message("m")))))

    play.complete("a")

    assert play.path == ["start", "a", "done"]
