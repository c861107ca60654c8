"""Sub-processes, called processes, loops and multi-instance activities (BPMN 2.0.2, 10.3)."""

from __future__ import annotations

import pytest

from engine.interpreter import Limits
from engine.interpreter.failures import ConflictingValues, ExpressionFailed, InterpretationFailed, NotRunnable
from engine.model.graph import NodeKind
from tests.interpreter.drawing import (
    call,
    define,
    draw,
    each,
    feel_script,
    node,
    service,
    sub_process,
    task,
    user,
    while_loop,
    with_data_objects,
)
from tests.interpreter.playing import Play


def test_a_sub_process_sees_and_changes_the_variables_around_it() -> None:
    inner = draw("start1 -> a -> end1", a=user())
    play = Play(define(draw("start -> sub -> b -> done", sub=sub_process(inner), b=user())), {"x": 1})

    assert play.wait("a").shown == {"x": 1}
    play.complete("a", x=2, y=3)

    assert play.wait("b").shown == {"x": 2, "y": 3}


def test_what_happens_inside_is_not_seen_outside_before_it_is_done() -> None:
    inner = draw("start1 -> a -> a2 -> end1", a=user(), a2=user())
    play = Play(
        define(
            draw(
                "start -> and1 -> sub -> and2 -> done",
                "and1 -> b -> b2 -> and2",
                sub=sub_process(inner),
                b=user(),
                b2=user(),
            )
        ),
        {"x": 1},
    )

    play.complete("a", x=2)
    play.complete("b")

    assert play.wait("b2").shown == {"x": 1}
    play.complete("a2")
    play.complete("b2")
    assert play.variables == {"x": 2}


def test_branches_that_end_inside_merge_and_a_conflict_names_the_sub_process() -> None:
    def process(in_a: str, in_b: str) -> Play:
        inner = draw("start1 -> and1 -> a -> end1", "and1 -> b -> end2", a=feel_script(in_a), b=feel_script(in_b))
        return Play(define(draw("start -> sub -> done", sub=sub_process(inner))), {"x": 1})

    assert process("{y: 1}", "{z: 2}").variables == {"x": 1, "y": 1, "z": 2}
    with pytest.raises(ConflictingValues) as failed:
        process("{x: 2}", "{x: 3}")
    assert failed.value.element_id == "sub"


def test_a_write_inside_a_sub_process_conflicts_with_one_in_the_branch_beside_it() -> None:
    inner = draw("start1 -> a -> end1", a=feel_script("{x: 2}"))
    definition = define(
        draw(
            "start -> and1 -> sub -> and2 -> done", "and1 -> b -> and2", sub=sub_process(inner), b=feel_script("{x: 3}")
        )
    )

    with pytest.raises(ConflictingValues):
        Play(definition)


def test_a_called_process_gets_a_copy_and_gives_its_results_back() -> None:
    called = draw("start1 -> a -> end1", a=service(result="answer"))
    play = Play(define(draw("start -> calls -> done", calls=call("other")), called={"other": called}), {"x": 1})

    play.succeed("a", 42)

    assert play.variables == {"x": 1, "answer": 42}
    assert play.path == ["start", "start1", "a", "end1", "calls", "done"]


def test_calls_nest() -> None:
    inner = draw("start2 -> a -> end2", a=user())
    outer = draw("start1 -> calls_inner -> end1", calls_inner=call("inner"))
    play = Play(
        define(draw("start -> calls_outer -> done", calls_outer=call("outer")), called={"inner": inner, "outer": outer})
    )

    play.complete("a", x=1)

    assert play.last.is_finished
    assert play.variables == {"x": 1}


def test_a_process_that_calls_itself_without_end_is_stopped() -> None:
    called = draw("start1 -> again -> end1", again=call("other"))

    with pytest.raises(InterpretationFailed, match="inside one another"):
        Play(define(draw("start -> calls -> done", calls=call("other")), called={"other": called}))


def test_a_call_to_a_process_that_is_not_there_is_refused() -> None:
    with pytest.raises(NotRunnable) as refused:
        Play(define(draw("start -> calls -> done", calls=call("missing"))))

    assert refused.value.element_id == "calls"


def test_data_objects_are_seen_by_all_branches_of_their_scope_at_once() -> None:
    inner = draw("start1 -> c -> end1", c=user())
    scope = draw(
        "start -> and1 -> a -> a2 -> end2",
        "and1 -> b -> sub -> end3",
        a=user(),
        a2=user(),
        b=user(),
        sub=sub_process(inner),
    )
    play = Play(define(with_data_objects(scope, "total")), {"x": 1})

    play.complete("a", total=5, x=2)
    play.complete("b")
    assert play.wait("c").shown == {"x": 1, "total": 5}
    play.complete("c", total=6)

    assert play.interpreter.variables(play.definition, play.last.state)["total"] == 6
    assert play.wait("a2").shown == {"x": 2, "total": 6}
    play.complete("a2")
    assert play.variables["total"] == 6


# --- standard loops ---

# condition, tested before, maximum; how often the body ran, starting with n = 0
LOOPS: list[tuple[str, bool, int | None, int]] = [
    ("n < 3", False, None, 3),
    ("n < 3", True, None, 3),
    ("n < 0", False, None, 1),
    ("n < 0", True, None, 0),
    ("true", False, 4, 4),
    ("true", True, 0, 0),
    ("loopCounter < 5", False, None, 5),
    ("loopCounter < 5", True, None, 5),
]


@pytest.mark.parametrize(("condition", "is_tested_before", "maximum", "rounds"), LOOPS)
def test_a_standard_loop_runs_while_its_condition_holds(
    condition: str, is_tested_before: bool, maximum: int | None, rounds: int
) -> None:
    loop = while_loop(condition, is_tested_before=is_tested_before, maximum=maximum)
    play = Play(define(draw("start -> a -> done", a=feel_script("{n: n + 1}", loop=loop))), {"n": 0})

    assert play.path.count("a") == rounds
    assert play.variables == {"n": rounds}


def test_a_looped_task_counts_its_iterations() -> None:
    play = Play(
        define(draw("start -> a -> done", a=user(loop=while_loop("not(ok)")))), {"ok": False, "loopCounter": "mine"}
    )

    assert (play.wait("a").iteration, play.wait("a").shown["loopCounter"]) == ("1", 1)
    play.complete("a", ok=False)
    assert (play.wait("a").iteration, play.wait("a").shown["loopCounter"]) == ("2", 2)
    play.complete("a", ok=True)

    assert play.last.is_finished
    assert play.variables == {"ok": True, "loopCounter": "mine"}


# --- multi-instance ---


@pytest.mark.parametrize("is_sequential", [False, True])
def test_outputs_stand_in_input_order_whatever_the_order_of_completion(is_sequential: bool) -> None:
    loop = each("items", item="item", output="results", output_item="answer", is_sequential=is_sequential)
    play = Play(
        define(draw("start -> many -> done", many=service(result="answer", inputs={"of": "item"}, loop=loop))),
        {"items": ["a", None, "c"]},
    )

    if is_sequential:
        for answer in (1, 2, 3):
            assert play.waiting == ["many"]
            play.succeed("many", answer)
    else:
        assert [play.wait("many", place).iteration for place in range(3)] == ["1", "2", "3"]
        assert [play.wait("many", place).arguments for place in range(3)] == [{"of": "a"}, {"of": None}, {"of": "c"}]
        play.succeed("many", 3, place=2)
        play.succeed("many", 1, place=0)
        play.succeed("many", 2)

    assert play.last.is_finished
    assert play.variables == {"items": ["a", None, "c"], "results": [1, 2, 3]}


def test_a_cardinality_gives_so_many_instances_with_their_counter() -> None:
    loop = each(times="n + 1", output="squares", output_item="square")
    play = Play(
        define(draw("start -> many -> done", many=feel_script("{square: loopCounter * loopCounter}", loop=loop))),
        {"n": 3},
    )

    assert play.variables == {"n": 3, "squares": [1, 4, 9, 16]}


@pytest.mark.parametrize(
    "loop", [each("[]", output="out", output_item="x"), each(times="0", output="out", output_item="x")]
)
def test_no_instances_are_done_at_once(loop: object) -> None:
    play = Play(define(draw("start -> many -> done", many=task(loop=loop))))

    assert play.last.is_finished
    assert play.variables == {"out": []}


BAD = [
    each("null"),
    each("5"),
    each('"text"'),
    each(times="-1"),
    each(times="1.5"),
    each(times="null"),
    each(times="99999"),
]


@pytest.mark.parametrize("loop", BAD)
def test_a_collection_or_number_that_is_none_is_a_failure(loop: object) -> None:
    with pytest.raises(ExpressionFailed) as failed:
        Play(define(draw("start -> many -> done", many=task(loop=loop))))

    assert failed.value.element_id == "many"


def test_a_completion_condition_ends_the_instances_that_are_left() -> None:
    loop = each(
        "[1, 2, 3, 4]",
        item="i",
        output="votes",
        output_item="vote",
        until="numberOfCompletedInstances / numberOfInstances >= 0.5 and vote",
    )
    play = Play(define(draw("start -> many -> done", many=user(loop=loop))))

    play.complete("many", place=3, vote=True)
    play.complete("many", place=1, vote=True)

    assert play.last.is_finished
    assert play.variables == {"votes": [True, True]}
    assert sorted(closed.is_withdrawn for closed in play.last.closed) == [False, True, True]


# Instances in all, active, completed, terminated, when the first of three is completed.
COUNTS = [(False, "[3, 2, 1, 0]"), (True, "[3, 0, 1, 0]")]


@pytest.mark.parametrize(("is_sequential", "seen"), COUNTS)
def test_a_completion_condition_sees_the_standards_counts(is_sequential: bool, seen: str) -> None:
    """BPMN 2.0.2, table 10.31."""
    counts = "[numberOfInstances, numberOfActiveInstances, numberOfCompletedInstances, numberOfTerminatedInstances]"
    loop = each(times="3", is_sequential=is_sequential, until=f"{counts} = {seen}")
    play = Play(define(draw("start -> many -> done", many=user(loop=loop))))

    play.complete("many")

    assert play.last.is_finished


def test_what_an_instance_writes_stays_its_own() -> None:
    play = Play(
        define(draw("start -> many -> done", many=feel_script("{x: i}", loop=each("[1, 2]", item="i")))), {"x": 0}
    )

    assert play.variables == {"x": 0}


def test_a_sub_process_for_each_item_with_loops_inside_has_index_paths() -> None:
    inner = draw(
        "start1 -> ask -> end1", ask=service(result="r", loop=each("[1, 2]", item="j", output="rs", output_item="r"))
    )
    loop = each('["a", "b"]', item="i", output="all", output_item="rs")
    play = Play(define(draw("start -> sub -> done", sub=sub_process(inner, loop=loop))))

    assert [play.wait("ask", place).iteration for place in range(4)] == ["1.1", "1.2", "2.1", "2.2"]
    assert len({play.wait("ask", place).intent for place in range(4)}) == 4
    for answer in ("a1", "a2", "b1", "b2"):
        play.succeed("ask", answer)

    assert play.last.is_finished
    assert play.variables == {"all": [["a1", "a2"], ["b1", "b2"]]}


def test_a_looped_sub_process_hands_its_variables_from_round_to_round() -> None:
    inner = draw("start1 -> a -> end1", a=user())
    play = Play(define(draw("start -> sub -> done", sub=sub_process(inner, loop=while_loop("n < 2")))), {"n": 0})

    play.complete("a", n=1)
    play.complete("a", n=2)

    assert play.variables == {"n": 2}


def test_more_instances_than_allowed_are_refused() -> None:
    with pytest.raises(ExpressionFailed, match="allowed"):
        Play(define(draw("start -> many -> done", many=task(loop=each(times="5")))), limits=Limits(instances=4))


def test_a_manual_task_in_a_multi_instance_waits_for_each_person() -> None:
    play = Play(define(draw("start -> many -> done", many=node(NodeKind.MANUAL_TASK, loop=each(times="2")))))

    assert play.waiting == ["many", "many"]
