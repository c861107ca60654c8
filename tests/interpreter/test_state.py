"""The stored state: every kind of value, hostile keys, formats of old, sizes, and that nothing grows with history."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from engine.interpreter import Interpreter, Limits
from engine.interpreter.failures import StateUnreadable, UnstorableValue
from engine.interpreter.tagging import tagged, untagged
from engine.interpreter.values import Value
from engine.interpreter.variables import storable
from engine.model.definition import Definition
from tests.interpreter.drawing import (
    after,
    boundary,
    catch,
    define,
    draw,
    each,
    event_gateway,
    feel_script,
    message,
    service,
    sub_process,
    task,
    user,
    while_loop,
)
from tests.interpreter.playing import PlainScripts, Play

VALUES: list[Value] = [
    None,
    True,
    0,
    2**53,
    2**53 + 1,
    -(2**200),
    Decimal("1.10"),
    Decimal("-0"),
    Decimal("1E+30"),
    "",
    "text with \x1f and \x00",
    "\x1fn1",
    "\x1f",
    "采购",
    date(2026, 3, 2),
    time(9, 30, tzinfo=UTC),
    time(9, 30),
    datetime(2026, 3, 2, 9, 0, 0, 1, tzinfo=timezone(timedelta(hours=8))),
    timedelta(days=-3, microseconds=1),
    [],
    {},
    [1, [Decimal("2.5"), {"a": [date(2026, 1, 1)]}]],
    {"typename": "Task", "typename ": 1, "\x1ft": "x", "__class__": "os", "f": 1, "": 0, "$": [1]},
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_comes_back_as_it_was(value: Value) -> None:
    play = Play(define(draw("start -> a -> done", a=user())), {"x": value})

    kept = play.interpreter.variables(play.definition, play.last.state)["x"]

    assert kept == value
    assert type(kept) is type(value)
    play.complete("a")
    assert play.interpreter.variables(play.definition, play.last.state)["x"] == value


HOSTILE_NAMES = ["typename", "data", "\x1ft", "__proto__", "workflow", "s", "v", "loopCounter "]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_variables_name_means_nothing_to_the_state(name: str) -> None:
    play = Play(define(draw("start -> a -> done", a=user())), {name: {name: "Task"}})

    play.complete("a")

    assert play.variables == {name: {name: "Task"}}


UNSTORABLE = [
    {1, 2},
    b"bytes",
    object(),
    {1: 2},
    float("nan"),
    Decimal("Infinity"),
    datetime(2026, 1, 1),  # noqa: DTZ001 - the point
    "\ud800",
    {"\ud800": 1},
    Decimal("1e6145"),
    Decimal("1e-6145"),
    10**5000,
]


@pytest.mark.parametrize(
    "value", UNSTORABLE, ids=lambda value: ascii(value)[:20] if not isinstance(value, int) else "long"
)
def test_a_value_of_another_kind_is_refused(value: Any) -> None:
    play = Play(define(draw("start -> a -> done", a=service())))

    with pytest.raises(UnstorableValue):
        play.succeed("a", value)

    assert play.waiting == ["a"]


def test_a_value_nested_too_deep_is_refused() -> None:
    value: Value = 1
    for _ in range(300):
        value = [value]

    with pytest.raises(UnstorableValue, match="nested"):
        storable(value)


@pytest.mark.parametrize("part", [[], {}, "x" * 1_000], ids=["lists", "contexts", "texts"])
def test_a_small_value_that_stands_for_more_than_any_memory_is_refused(part: Value) -> None:
    value: Value = part
    for _ in range(100):
        value = [value, value]

    with pytest.raises(UnstorableValue, match="8,000,000 bytes"):
        storable(value)


def test_a_binary_float_becomes_the_number_as_it_is_written() -> None:
    assert storable(0.1) == (Decimal("0.1"), False)


_KEYS = st.text(max_size=8)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.dates()
    | st.datetimes(timezones=st.just(UTC))
    | st.timedeltas()
)
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4))


@given(_VALUES)
def test_tagging_loses_nothing(value: Value) -> None:
    kept, is_exact_json = storable(value)

    assert untagged(json.loads(json.dumps(tagged(kept)))) == value
    if is_exact_json:
        assert json.loads(json.dumps(kept)) == value


def test_what_a_caller_changes_afterwards_is_not_seen() -> None:
    given_value: dict[str, Value] = {"items": [1]}
    play = Play(define(draw("start -> a -> done", a=service(result="x"))))
    play.succeed("a", given_value)
    given_value["items"] = []

    assert play.variables == {"x": {"items": [1]}}


# --- formats ---

FIXTURES = Path(__file__).parent / "states"


def _rich_definition() -> Definition:
    inner = draw(
        "start1 -> ask -> end1", ask=service(result="r", loop=each("[1, 2]", item="j", output="rs", output_item="r"))
    )
    return define(
        draw(
            "start -> and1 -> sub -> and2 -> done",
            "and1 -> gateway -> told -> and2",
            "gateway -> late -> end2",
            "and1 -> prepared -> and2",
            "told2 -> end4",
            "slow -> end3",
            sub=sub_process(inner),
            gateway=event_gateway(),
            told=catch(message("told", correlation="order.id", result="news")),
            late=catch(after("PT2H")),
            prepared=feel_script("{prepared: 1.50}"),
            slow=boundary("sub", after("P1D")),
            told2=boundary("sub", message("note"), is_interrupting=False),
        ),
        digest="rich",
    )


def _rich_play() -> Play:
    return Play(
        _rich_definition(), {"order": {"id": "PO-1", "total": Decimal("9.90"), "day": date(2026, 3, 2)}, "n": 2**60}
    )


@pytest.mark.parametrize("file", sorted(FIXTURES.glob("format_*.json")), ids=lambda file: file.stem)
def test_a_state_of_each_format_goes_on(file: Path) -> None:
    """Stored once by the version that introduced the format; never written again (P8)."""
    kept = json.loads(file.read_text())
    play = _rich_play()
    state = base64.b64decode(kept["state"])

    waits = play.interpreter.open_waits(play.definition, state)
    assert {wait.wait_id: wait for wait in waits} == play.waits
    assert play.interpreter.variables(play.definition, state) == play.variables
    play.last = type(play.last)(state=state, state_format=kept["state_format"], is_finished=False)
    for answer in (1, 2):
        play.succeed("ask", answer)
    play.receive("told", "yes")

    assert play.last.is_finished
    assert play.variables["rs"] == [1, 2]
    assert play.variables["prepared"] == Decimal("1.50")


def test_there_is_a_fixture_for_the_format_that_is_written() -> None:
    assert (FIXTURES / f"format_{_rich_play().last.state_format}.json").exists()


DAMAGED: list[Callable[[bytes], bytes]] = [
    lambda state: b"",
    lambda state: state[:-5],
    lambda state: zstandard.compress(b"[]"),
    lambda state: zstandard.compress(b'{"f": 999}'),
    lambda state: zstandard.compress(b"{"),
]


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_state_that_cannot_be_read_is_refused(damage: Callable[[bytes], bytes]) -> None:
    play = Play(define(draw("start -> a -> done", a=user())))

    with pytest.raises(StateUnreadable):
        play.interpreter.variables(play.definition, damage(play.last.state))


# --- size ---


def test_a_finished_state_is_small() -> None:
    play = Play(
        define(draw("start -> prepare -> review -> done", prepare=task(), review=user(result="review"))),
        {
            "order": {
                "ref": "0198a5d3e0f07c2c8d3e4f5a6b7c8d9e",
                "customer": "Example",
                "items": [
                    {"sku": "A-1", "quantity": 2, "price": Decimal("9.90")},
                    {"sku": "B-2", "quantity": 1, "price": Decimal(4)},
                ],
                "total": Decimal("23.80"),
            },
            "large": False,
        },
    )
    waiting = len(play.last.state)

    play.complete("review", approved=True, comment="looks fine, instance 12", discount=5)

    assert waiting < 700
    assert len(play.last.state) < 500


def _rounds(rounds: int) -> Play:
    return Play(
        define(
            draw(
                "start -> xor -> count -> again -> xor2",
                "xor2 -> xor if n < rounds",
                "xor2 -> done else",
                count=feel_script("{n: n + 1}"),
                again=user(),
            )
        ),
        {"n": 0, "rounds": rounds},
    )


def test_the_state_of_a_loop_stays_flat() -> None:
    play = _rounds(300)
    sizes: list[int] = []

    for _ in range(300):
        play.complete("again")
        sizes.append(len(play.last.state))

    assert play.last.is_finished
    assert max(sizes[100:]) <= max(sizes[:100]) + 10


def test_a_loop_that_forks_off_a_branch_each_round_stays_flat() -> None:
    """Every round splits; one branch ends, the other goes on: the forks that nobody can join again are forgotten."""
    inner = draw(
        "start1 -> xor -> count -> and1 -> note -> end1",
        "and1 -> again -> xor2",
        "xor2 -> xor if n < 100",
        "xor2 -> end2 else",
        count=feel_script("{n: n + 1}"),
        note=feel_script("{noted: true}"),
        again=user(),
    )
    play = Play(define(draw("start -> sub -> done", sub=sub_process(inner))), {"n": 0})
    sizes: list[int] = []

    for _ in range(100):
        play.complete("again")
        sizes.append(len(play.last.state))

    assert play.last.is_finished
    assert play.variables == {"n": 100, "noted": True}
    assert max(sizes[50:-1]) <= max(sizes[:50]) + 10


def test_ten_thousand_rounds_of_automatic_steps_neither_recurse_nor_grow() -> None:
    play = Play(
        define(
            draw(
                "start -> xor -> count -> xor2",
                "xor2 -> xor if n < 10000",
                "xor2 -> done else",
                count=feel_script("{n: n + 1}"),
            )
        ),
        {"n": 0},
        limits=Limits(steps_per_advance=7_000),
    )
    advances = 1
    while play.last.is_capped:
        assert len(play.last.state) < 300
        play.go_on()
        advances += 1

    assert play.last.is_finished
    assert play.variables == {"n": 10_000}
    assert advances == 5


def test_a_standard_loop_of_two_thousand_rounds_does_not_recurse() -> None:
    loop = while_loop("n < 2000")
    play = Play(define(draw("start -> a -> done", a=feel_script("{n: n + 1}", loop=loop))), {"n": 0})
    while play.last.is_capped:
        play.go_on()

    assert play.variables == {"n": 2_000}


def test_a_hundred_waiting_branches_store_their_common_variables_once() -> None:
    names = [f"b{number}" for number in range(100)]
    definition = define(
        draw(
            "start -> and1",
            *(f"and1 -> {name} -> and2" for name in names),
            "and2 -> done",
            **{name: user() for name in names},
        )
    )

    play = Play(definition, {"text": "".join(f"{number:x}" for number in range(3_000))})

    assert len(play.last.state) < 12_000


# --- specifications are shared, results repeat ---


def test_the_same_happenings_give_the_same_states() -> None:
    first, second = _rich_play(), _rich_play()

    for play in (first, second):
        play.succeed("ask", "x")
        play.receive("told2")
        play.receive("told")

    assert [advance.state for advance in first.all] == [advance.state for advance in second.all]


def test_threads_share_specifications() -> None:
    interpreter = Interpreter(PlainScripts())
    definition = define(
        draw(
            "start -> xor -> a -> b -> xor2",
            "xor2 -> xor if n < 5",
            "xor2 -> done else",
            a=user(),
            b=feel_script("{n: n + 1}"),
        )
    )

    def run(seed: int) -> Value:
        play = Play(definition, {"n": 0, "seed": seed}, interpreter=interpreter)
        while not play.last.is_finished:
            play.complete("a")
        return [play.variables["n"], play.variables["seed"]]

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(run, range(30))) == [[5, seed] for seed in range(30)]
