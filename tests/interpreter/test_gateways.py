"""Which flows are taken, and when tokens that meet go on together (BPMN 2.0.2, 13.4)."""

from __future__ import annotations

import pytest

from engine.interpreter.failures import (
    ConditionUndecided,
    ConflictingValues,
    Deadlock,
    InterpretationFailed,
    NoFlowTaken,
)
from engine.interpreter.values import Value
from engine.model.definition import Definition
from tests.interpreter.drawing import after, boundary, define, draw, feel_script, script, service, task, user
from tests.interpreter.playing import Play


def test_a_sequence_runs_to_its_end() -> None:
    play = Play(define(draw("start -> a -> b -> done", a=task(), b=feel_script("{x: 1 + 1}"))))

    assert play.path == ["start", "a", "b", "done"]
    assert play.last.is_finished
    assert play.variables == {"x": 2}


EXCLUSIVE = [(20, "high"), (5, "low"), (0, "other")]


@pytest.mark.parametrize(("amount", "taken"), EXCLUSIVE)
def test_an_exclusive_gateway_takes_the_first_flow_that_holds_else_the_default(amount: int, taken: str) -> None:
    definition = define(
        draw(
            "start -> xor",
            "xor -> other else",
            "xor -> high if amount > 10",
            "xor -> low if amount > 0",
            "high -> end1",
            "low -> end2",
            "other -> end3",
            high=task(),
            low=task(),
            other=task(),
        )
    )

    assert taken in Play(definition, {"amount": amount}).path


UNDECIDED: list[tuple[str, Value]] = [("amount > 10", None), ("amount > 10", "many"), ("amount", 1), ("missing", 1)]


@pytest.mark.parametrize(("condition", "amount"), UNDECIDED)
def test_a_condition_that_is_neither_true_nor_false_is_a_failure(condition: str, amount: Value) -> None:
    definition = define(draw("start -> xor", f"xor -> end1 if {condition}", "xor -> end2 else"))

    with pytest.raises(ConditionUndecided) as failed:
        Play(definition, {"amount": amount})

    assert failed.value.element_id == "xor"


@pytest.mark.parametrize("gateway", ["xor", "or"])
def test_no_flow_that_holds_and_no_default_is_a_failure(gateway: str) -> None:
    definition = define(draw(f"start -> {gateway}", f"{gateway} -> end1 if x > 1", f"{gateway} -> end2 if x > 2"))

    with pytest.raises(NoFlowTaken) as failed:
        Play(definition, {"x": 0})

    assert failed.value.element_id == gateway


def test_a_parallel_gateway_waits_for_every_branch() -> None:
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> and2 -> last -> done",
                "and1 -> b -> and2",
                "and1 -> c -> and2",
                a=user(),
                b=user(),
                c=user(),
                last=task(),
            )
        )
    )

    play.complete("b", y=2)
    play.complete("a", x=1)
    assert "last" not in play.path
    play.complete("c", z=3)

    assert play.path.count("last") == 1
    assert play.last.is_finished
    assert play.variables == {"x": 1, "y": 2, "z": 3}


# What branches A and B do with x (None: nothing), and what it is after they joined.
MERGES: list[tuple[str | None, str | None, Value]] = [
    (None, None, 1),
    ("x + 1", None, 2),
    (None, "x + 1", 2),
    ("x + 1", "x + 1", 2),
    ("2", "2.0", 2),
]


@pytest.mark.parametrize(("in_a", "in_b", "after"), MERGES)
def test_branches_that_join_keep_the_newer_value(in_a: str | None, in_b: str | None, after: Value) -> None:
    play = Play(_two_branches(in_a, in_b), {"x": 1})

    assert play.variables["x"] == after


@pytest.mark.parametrize(("in_a", "in_b"), [("2", "3"), ("true", "1"), ("[1, 2]", "[1]"), ("{a: 1}", "{b: 1}")])
def test_two_values_for_one_name_at_a_join_are_a_conflict(in_a: str, in_b: str) -> None:
    with pytest.raises(ConflictingValues, match="'x'") as failed:
        Play(_two_branches(in_a, in_b), {"x": 1})

    assert failed.value.element_id == "and2"


def _two_branches(in_a: str | None, in_b: str | None) -> Definition:
    return define(
        draw(
            "start -> and1 -> a -> and2 -> done",
            "and1 -> b -> and2",
            a=feel_script(f"{{x: {in_a}}}") if in_a else task(),
            b=feel_script(f"{{x: {in_b}}}") if in_b else task(),
        )
    )


def test_the_last_arriver_does_not_overwrite_with_its_stale_copy() -> None:
    """Stock SpiffWorkflow: x is 1, A sets 2, B arrives last, x is 1 again."""
    play = Play(
        define(
            draw("start -> and1 -> a -> and2 -> last -> done", "and1 -> b -> and2", a=user(), b=user(), last=user())
        ),
        {"x": 1},
    )

    play.complete("a", x=2)
    play.complete("b")

    assert play.wait("last").shown["x"] == 2


def test_a_nested_write_in_one_branch_is_not_seen_in_its_sibling_nor_before() -> None:
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> wait_a -> and2 -> done",
                "and1 -> wait_b -> and2",
                a=script("order['items'].append(2)"),
                wait_a=user(),
                wait_b=user(),
            )
        ),
        {"order": {"items": [1]}},
    )

    assert play.wait("wait_a").shown == {"order": {"items": [1, 2]}}
    assert play.wait("wait_b").shown == {"order": {"items": [1]}}


def test_nested_branches_merge_by_where_they_parted() -> None:
    """The inner branches both carry what was written between the two splits: that is no conflict."""
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> and2 -> a1 -> and3 -> and4 -> done",
                "and2 -> a2 -> and3",
                "and1 -> b -> and4",
                a=feel_script("{x: 2, y: 0}"),
                a1=feel_script("{y: 1}"),
                a2=feel_script("{z: 3}"),
                b=feel_script("{w: 4}"),
            )
        ),
        {"x": 1, "y": 9},
    )

    assert play.variables == {"x": 2, "y": 1, "z": 3, "w": 4}


def test_a_join_that_is_fed_across_two_splits_merges_each_pair_by_its_own_split() -> None:
    """A1 meets B before A2 meets both: A1 and A2 parted at the inner split, B and A2 at the outer one."""
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> and2 -> a1 -> and3 -> and4 -> done",
                "and2 -> a2 -> and4",
                "and1 -> b -> and3",
                a=feel_script("{y: 0}"),
                a1=feel_script("{y: 1}"),
                a2=user(),
                b=feel_script("{z: 3}"),
            )
        ),
        {"z": 0},
    )

    play.complete("a2", w=4)

    assert play.variables == {"y": 1, "z": 3, "w": 4}


def test_a_split_and_join_inside_a_loop_works_in_every_round() -> None:
    play = Play(
        define(
            draw(
                "start -> xor1 -> count -> and1 -> a -> and2 -> xor2",
                "and1 -> b -> and2",
                "xor2 -> xor1 if n < 50",
                "xor2 -> done else",
                count=feel_script("{n: n + 1}"),
                a=feel_script("{a: n}"),
                b=feel_script("{b: 2 * n}"),
            )
        ),
        {"n": 0},
    )

    assert play.last.is_finished
    assert play.variables == {"n": 50, "a": 50, "b": 100}
    assert play.path.count("and2") == 50


def test_a_surplus_token_stays_at_its_flow_and_counts_for_the_next_time() -> None:
    """Two tokens come by one flow before any comes by the other: the join fires once for each pair."""
    play = Play(
        define(
            draw(
                "start -> and1 -> b -> xor1 -> and2 -> last -> done",
                "and1 -> c -> xor1",
                "and1 -> d -> xor2 -> and2",
                "and1 -> e -> xor2",
                b=user(),
                c=user(),
                d=user(),
                e=user(),
                last=task(),
            )
        )
    )

    play.complete("b")
    play.complete("c")
    assert play.path.count("last") == 0
    play.complete("d")
    assert play.path.count("last") == 1
    play.complete("e")

    assert play.path.count("last") == 2
    assert play.last.is_finished


INCLUSIVE = [(5, {"a"}), (15, {"a", "b"}), (25, {"a", "b", "c"}), (0, {"other"})]


@pytest.mark.parametrize(("amount", "taken"), INCLUSIVE)
def test_an_inclusive_pair_runs_and_awaits_exactly_the_branches_that_hold(amount: int, taken: set[str]) -> None:
    play = Play(
        define(
            draw(
                "start -> or1",
                "or1 -> a if amount > 0",
                "or1 -> b if amount > 10",
                "or1 -> c if amount > 20",
                "or1 -> other else",
                "a -> or2",
                "b -> or2",
                "c -> or2",
                "other -> or2 -> last -> done",
                a=user(),
                b=user(),
                c=user(),
                other=user(),
                last=task(),
            )
        ),
        {"amount": amount},
    )

    assert set(play.waiting) == taken
    for name in sorted(taken):
        assert "last" not in play.path
        play.complete(name)

    assert play.path.count("last") == 1
    assert play.last.is_finished


def test_an_inclusive_join_does_not_wait_for_a_branch_that_ended_elsewhere() -> None:
    play = Play(
        define(
            draw(
                "start -> or1",
                "or1 -> a if true",
                "or1 -> b if true",
                "a -> or2 -> last -> done",
                "b -> xor1",
                "xor1 -> or2 if x",
                "xor1 -> end2 else",
                a=user(),
                b=user(),
                last=task(),
            )
        )
    )

    play.complete("a")
    assert "last" not in play.path
    play.complete("b", x=False)

    assert play.path.count("last") == 1
    assert play.last.is_finished


def test_an_inclusive_join_does_not_wait_for_a_token_that_could_also_come_where_one_is() -> None:
    """BPMN 2.0.2, 13.4.3: b may come by the flow that has a token, so the other flow is not waited for."""
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> xor1 -> or1 -> last -> done",
                "and1 -> b -> xor2",
                "xor2 -> xor1 if x",
                "xor2 -> or1 else",
                a=user(),
                b=user(),
                last=task(),
            )
        )
    )

    play.complete("a")

    assert play.path.count("last") == 1


def test_an_inclusive_join_waits_for_no_event_that_only_may_occur() -> None:
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> xor1 -> or1 -> last -> done",
                "and1 -> b -> xor1",
                "late -> or1",
                a=user(),
                b=user(),
                last=task(),
                late=boundary("b", after("PT1H")),
            )
        )
    )

    play.complete("a")

    assert play.path.count("last") == 1


def test_an_inclusive_join_in_a_loop_fires_once_in_each_round() -> None:
    play = Play(
        define(
            draw(
                "start -> xor1 -> count -> or1",
                "or1 -> a if true",
                "or1 -> b if odd(n)",
                "a -> or2",
                "b -> or2 -> xor2",
                "xor2 -> xor1 if n < 10",
                "xor2 -> done else",
                count=feel_script("{n: n + 1}"),
                a=task(),
                b=task(),
            )
        ),
        {"n": 0},
    )

    assert play.path.count("or2") == 10
    assert play.path.count("b") == 5


def test_a_join_whose_other_branch_ended_is_a_deadlock() -> None:
    definition = define(draw("start -> and1 -> and2 -> done", "and1 -> a -> end2", "xor -> and2", a=task()))

    with pytest.raises(Deadlock) as failed:
        Play(definition)

    assert failed.value.element_id == "and2"


def test_several_flows_out_of_a_task_are_taken_as_their_conditions_say() -> None:
    """BPMN 2.0.2, 13.3.1: an implicit split."""
    definition = define(
        draw(
            "start -> a",
            "a -> b",
            "a -> c if x > 1",
            "b -> end1",
            "c -> end2",
            a=task(),
            b=task(),
            c=task(),
        )
    )

    assert "c" in Play(definition, {"x": 2}).path
    assert "c" not in Play(definition, {"x": 1}).path


def test_a_task_with_several_incoming_flows_runs_once_for_each_token() -> None:
    play = Play(define(draw("start -> and1 -> a -> done", "and1 -> b -> a", a=task(), b=task())))

    assert play.path.count("a") == 2
    assert play.last.is_finished


def test_a_failed_advance_leaves_the_old_state_usable() -> None:
    play = Play(define(draw("start -> a -> xor", "xor -> end1 if x", "xor -> end2 else", a=user())))
    before = play.last.state

    with pytest.raises(InterpretationFailed):
        play.complete("a", x="neither")

    assert play.last.state == before
    play.complete("a", x=True)
    assert play.last.is_finished


def test_a_hundred_branches_join() -> None:
    names = [f"b{number}" for number in range(100)]
    lines = [f"and1 -> {name} -> and2" for name in names]
    definition = define(draw("start -> and1", *lines, "and2 -> done", **{name: service(result=name) for name in names}))
    play = Play(definition, {"shared": {"k": 1}})

    for name in names:
        play.succeed(name, f"result of {name}")

    assert play.last.is_finished
    assert len(play.variables) == 101
