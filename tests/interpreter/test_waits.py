"""What an instance waits for, and what happens when it comes. Every state goes through its stored bytes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from engine.contract.origin import Origin
from engine.interpreter.failures import ExpressionFailed, InterpretationFailed, WaitGone
from engine.interpreter.messages import (
    JobSucceeded,
    JobWait,
    MessageReceived,
    MessageWait,
    StatusEntered,
    StepOutcome,
    TaskCompleted,
    TaskWait,
    TimerFired,
    TimerWait,
)
from engine.model.graph import NodeKind
from tests.interpreter.drawing import (
    after,
    at,
    boundary,
    catch,
    define,
    draw,
    end,
    event_gateway,
    every,
    feel_script,
    message,
    node,
    service,
    sub_process,
    task,
    throw,
    user,
)
from tests.interpreter.playing import NOW, Play, execution

# --- jobs ---

JOB_KINDS = [NodeKind.SERVICE_TASK, NodeKind.SEND_TASK, NodeKind.BUSINESS_RULE_TASK]


@pytest.mark.parametrize("kind", JOB_KINDS)
def test_a_task_with_an_operation_opens_a_job_with_evaluated_arguments(kind: NodeKind) -> None:
    work = service("erp.create@1", kind=kind, inputs={"quantity": "order.quantity * 2", "note": '"new"'})
    play = Play(define(draw("start -> work -> done", work=work)), {"order": {"quantity": Decimal("1.5")}})

    wait = play.wait("work")

    assert isinstance(wait, JobWait)
    assert wait.reference == "erp.create@1"
    assert wait.arguments == {"quantity": Decimal(3), "note": "new"}
    assert (wait.intent, wait.iteration) == (1, "0")


def test_a_job_result_becomes_its_variable_with_its_origin() -> None:
    play = Play(define(draw("start -> work -> done", work=service(result="stock"))))

    play.succeed("work", {"available": Decimal("12.50")})

    assert play.last.is_finished
    assert play.variables == {"stock": {"available": Decimal("12.50")}}
    assert play.interpreter.origins(play.definition, play.last.state)["stock"] == (Origin.SYSTEM, "work")


def test_the_intent_counts_executions_unless_one_is_drawn() -> None:
    lines = ("start -> xor -> work -> again", "again -> xor if not(ok)", "again -> done else")
    again = node(NodeKind.EXCLUSIVE_GATEWAY)
    counted = Play(define(draw(*lines, work=service(result="ok"), again=again)), {"ok": False})
    drawn = Play(define(draw(*lines, work=service(result="ok", intent="n + 6"), again=again)), {"n": 1, "ok": False})

    assert [counted.wait("work").intent, drawn.wait("work").intent] == [1, 7]
    counted.succeed("work", False)
    drawn.succeed("work", False)

    assert [counted.wait("work").intent, drawn.wait("work").intent] == [2, 7]


@pytest.mark.parametrize("intent", ["1.5", '"one"', "null", "-1"])
def test_an_intent_that_is_no_whole_number_is_a_failure(intent: str) -> None:
    with pytest.raises(ExpressionFailed):
        Play(define(draw("start -> work -> done", work=service(intent=intent))))


def test_an_abstract_task_passes_and_a_manual_task_waits_for_a_person() -> None:
    play = Play(define(draw("start -> a -> b -> done", a=task(), b=node(NodeKind.MANUAL_TASK))))

    assert play.waiting == ["b"]
    play.complete("b")
    assert play.last.is_finished


# --- tasks ---


def test_a_user_task_shows_variables_and_binds_and_excludes_persons() -> None:
    approve = user(result="decision", binds="order.total", excluded=("requester", "[second, null]"))
    variables = {"order": {"total": 5}, "requester": "ann", "second": "bob"}
    play = Play(define(draw("start -> approve -> done", approve=approve)), variables)

    wait = play.wait("approve")

    assert isinstance(wait, TaskWait)
    assert wait.shown == variables
    assert wait.bound == 5
    assert wait.excluded == ("ann", "bob")
    play.complete("approve", approved=True)
    assert play.variables["decision"] == {"approved": True}
    assert play.origin("decision") is Origin.PERSON


def test_a_form_without_a_result_merges_its_fields() -> None:
    play = Play(define(draw("start -> a -> done", a=user())), {"x": 1})

    play.complete("a", x=2, y=3)

    assert play.variables == {"x": 2, "y": 3}
    assert play.origin("x") is Origin.PERSON


# --- steps, statuses and the path ---


def test_steps_tell_when_something_was_entered_and_left() -> None:
    play = Play(define(draw("start -> a -> b -> done", a=feel_script("{x: 1}"), b=user())))

    assert [(step.element_id, step.outcome) for step in play.last.steps] == [
        ("a", StepOutcome.COMPLETED),
        ("b", StepOutcome.ENTERED),
    ]
    wait_id = play.wait("b").wait_id
    play.complete("b")
    assert [(step.element_id, step.outcome, step.execution_id) for step in play.last.steps] == [
        ("b", StepOutcome.COMPLETED, wait_id)
    ]


def test_steps_stand_in_the_order_in_which_they_were_done() -> None:
    inner = draw("start1 -> a -> end1", a=task())
    play = Play(define(draw("start -> sub -> b -> done", sub=sub_process(inner), b=task())))

    assert [step.element_id for step in play.last.steps] == ["a", "sub", "b"]


def test_executions_of_one_element_are_numbered() -> None:
    play = Play(
        define(draw("start -> xor -> a -> xor2", "xor2 -> xor if n < 3", "xor2 -> done else", a=user())), {"n": 0}
    )

    for n in range(1, 4):
        play.complete("a", n=n)

    numbers = [step.execution_number for advance in play.all for step in advance.steps]
    assert numbers == [1, 1, 2, 2, 3, 3]


def test_statuses_are_entered_in_order_also_at_joins_and_catches() -> None:
    play = Play(
        define(
            draw(
                "start -> and1 -> a -> and2 -> wait -> done",
                "and1 -> b -> and2",
                and2=node(NodeKind.PARALLEL_GATEWAY, status="VALIDATING"),
                a=task(status="ANALYZING"),
                b=task(),
                wait=catch(message("go"), status="EXECUTING"),
                done=end(status="SUCCEEDED"),
            )
        )
    )

    assert play.last.statuses == (
        StatusEntered(element_id=play.definition.node("a").element_id, status="ANALYZING"),
        StatusEntered(element_id=play.definition.node("and2").element_id, status="VALIDATING"),
        StatusEntered(element_id=play.definition.node("wait").element_id, status="EXECUTING"),
    )
    play.receive("wait")
    assert [entered.status for entered in play.last.statuses] == ["SUCCEEDED"]


# --- timers ---

# The timer, and when it is due after Monday 2026-03-02 09:00 UTC. Working days are Monday to Friday, 9 to 17.
TIMERS = [
    (after("PT30M"), NOW + timedelta(minutes=30)),
    (after("P2W"), NOW + timedelta(weeks=2)),
    (at("2026-03-05T12:00:00+08:00"), datetime(2026, 3, 5, 4, tzinfo=UTC)),
    (at("=date and time(day)"), datetime(2026, 3, 9, 10, tzinfo=UTC)),
    (after('=duration("PT1H")'), NOW + timedelta(hours=1)),
    (after("=pause"), NOW + timedelta(hours=2)),
    (after("PT10H", in_working_time=True), datetime(2026, 3, 3, 11, tzinfo=UTC)),
    (after("P5D", in_working_time=True), datetime(2026, 3, 9, 9, tzinfo=UTC)),
    (every("R3/PT10M"), NOW + timedelta(minutes=10)),
    (every("R/2026-03-03T00:00:00Z/P1D"), datetime(2026, 3, 3, tzinfo=UTC)),
]


@pytest.mark.parametrize(("event", "due_at"), TIMERS)
def test_a_timer_is_due_as_drawn(event: object, due_at: datetime) -> None:
    definition = define(draw("start -> wait -> done", wait=catch(event)))  # pyright: ignore[reportArgumentType]
    play = Play(definition, {"day": "2026-03-09T10:00:00Z", "pause": "PT2H"})

    wait = play.wait("wait")

    assert isinstance(wait, TimerWait)
    assert wait.due_at == due_at
    assert wait.due_at.utcoffset() == timedelta(0)
    play.fire("wait")
    assert play.last.is_finished


BAD_TIMERS = ["PT", "P1M", "-PT1H", "=null", "=3", '=duration("-PT1H")', '=duration("P1M")', "=[1]"]


@pytest.mark.parametrize("text", BAD_TIMERS)
def test_a_timer_that_cannot_be_computed_is_a_failure(text: str) -> None:
    with pytest.raises(ExpressionFailed) as failed:
        Play(define(draw("start -> wait -> done", wait=catch(after(text)))))

    assert failed.value.element_id == "wait"


def test_the_due_time_is_fixed_when_the_timer_starts() -> None:
    play = Play(
        define(
            draw("start -> and1 -> wait -> end1", "and1 -> b -> c -> end2", wait=catch(after("=p")), b=user(), c=user())
        ),
        {"p": "PT1H"},
    )
    due_at = play.wait("wait").due_at

    play.now += timedelta(minutes=10)
    play.complete("b", p="PT9H")

    assert play.wait("wait").due_at == due_at
    waits = play.interpreter.open_waits(play.definition, play.last.state)
    assert play.wait("wait") in waits


# --- messages ---

KEYS = [(None, None), ("order.id", "PO-1"), ('" " + order.id', "PO-1"), ("7", "7"), ("1.50", "1.5")]


@pytest.mark.parametrize(("correlation", "key"), KEYS)
@pytest.mark.parametrize("kind", [NodeKind.INTERMEDIATE_CATCH_EVENT, NodeKind.RECEIVE_TASK])
def test_a_message_wait_has_its_key_and_keeps_the_payload(
    kind: NodeKind, correlation: str | None, key: str | None
) -> None:
    event = message("confirmed", correlation=correlation, result="answer")
    play = Play(define(draw("start -> wait -> done", wait=node(kind, event=event))), {"order": {"id": "PO-1"}})

    wait = play.wait("wait")
    assert isinstance(wait, MessageWait)
    assert (wait.message_name, wait.correlation_key) == ("confirmed", key)

    play.receive("wait", {"number": 5})

    assert play.last.is_finished
    assert play.variables["answer"] == {"number": 5}


@pytest.mark.parametrize("correlation", ["null", "true", "[1]", "missing.id", '""'])
def test_a_key_that_is_neither_text_nor_number_is_a_failure(correlation: str) -> None:
    with pytest.raises(ExpressionFailed):
        Play(define(draw("start -> wait -> done", wait=catch(message("m", correlation=correlation)))))


def test_a_payload_without_a_variable_is_discarded() -> None:
    play = Play(define(draw("start -> wait -> done", wait=catch(message("m")))))

    play.receive("wait", {"x": 1})

    assert play.variables == {}


def test_messages_are_thrown_with_their_payload() -> None:
    thrown = message("told", payload={"total": "x * 2"})
    play = Play(
        define(
            draw(
                "start -> tell -> send -> done",
                tell=throw(thrown),
                send=node(NodeKind.SEND_TASK, event=thrown),
                done=end(thrown),
            )
        ),
        {"x": 4},
    )

    assert [(each.element_id, each.message_name, each.payload) for each in play.last.messages] == [
        (name, "told", {"total": 8}) for name in ("tell", "send", "done")
    ]


# --- event-based gateways ---


def _deadline() -> Play:
    return Play(
        define(
            draw(
                "start -> gateway -> answered -> end1",
                "gateway -> late -> end2",
                "gateway -> later -> end3",
                gateway=event_gateway(),
                answered=node(NodeKind.RECEIVE_TASK, event=message("answer", result="answer")),
                late=catch(after("PT2H"), status="LATE"),
                later=catch(after("PT1H")),
            )
        )
    )


FIRST = ["answered", "late", "later"]


@pytest.mark.parametrize("first", FIRST)
def test_the_first_event_behind_a_gateway_wins_and_the_others_are_withdrawn(first: str) -> None:
    play = _deadline()
    assert play.waiting == sorted(FIRST)
    assert play.last.statuses == ()
    waits = {name: play.wait(name).wait_id for name in FIRST}

    play.receive(first, 1) if first == "answered" else play.fire(first)

    assert play.last.is_finished
    assert play.last.path[:2] == ("gateway", first)
    assert {closed.wait_id: closed.is_withdrawn for closed in play.last.closed} == {
        wait_id: name != first for name, wait_id in waits.items()
    }
    assert [(step.element_id, step.outcome) for step in play.last.steps] == [(first, StepOutcome.COMPLETED)]
    assert [entered.status for entered in play.last.statuses] == (["LATE"] if first == "late" else [])


def test_two_timers_behind_a_gateway_are_due_each_at_its_own_time() -> None:
    play = _deadline()

    assert play.wait("late").due_at - play.wait("later").due_at == timedelta(hours=1)


# --- waits that are gone ---


def test_a_happening_on_a_wait_that_is_not_open_changes_nothing() -> None:
    play = Play(define(draw("start -> work -> approve -> done", work=service(), approve=user())))
    gone = play.wait("work").wait_id
    play.succeed("work")
    state = play.last.state
    open_wait = play.wait("approve").wait_id

    for happening in (
        JobSucceeded(wait_id=gone, result=1, origin=Origin.SYSTEM, source="x"),
        TimerFired(wait_id=gone),
        TaskCompleted(wait_id=execution(12345), values={}, source="x"),
        JobSucceeded(wait_id=open_wait, result=1, origin=Origin.SYSTEM, source="x"),
        TimerFired(wait_id=open_wait),
        MessageReceived(wait_id=open_wait, payload=None, source="x"),
    ):
        with pytest.raises(WaitGone):
            play.happens(happening)

    assert play.last.state == state


def test_a_finished_instance_has_no_open_wait() -> None:
    play = Play(define(draw("start -> a -> done", a=user())))
    wait_id = play.wait("a").wait_id
    play.complete("a")

    with pytest.raises(WaitGone):
        play.happens(TaskCompleted(wait_id=wait_id, values={}, source="x"))


def test_a_boundary_event_is_no_event_of_the_task_that_carries_it() -> None:
    play = Play(define(draw("start -> a -> done", "late -> end2", a=user(), late=boundary("a", after("PT1H")))))

    with pytest.raises(InterpretationFailed):
        play.happens(TaskCompleted(wait_id=play.wait("late").wait_id, values={}, source="x"))
