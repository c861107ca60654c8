"""Every way a system can misbehave over HTTP ends in the class of error that says what may be done next."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from decimal import Decimal
from functools import partial

import pytest

from engine.contract import (
    BadParameters,
    BusinessRuleViolated,
    NotFound,
    NotPermitted,
    OperationError,
    OutcomeUnknown,
    RateLimited,
    Temporary,
    Unavailable,
    Unreadable,
    Values,
)
from service_tasks.http import ANSWER_LIMIT, SystemClient, correlation_headers, path
from tests.service_tasks.calls import KEY, Notebook, call, connection
from tests.service_tasks.misbehaving import Behaviour, answer, cut, misbehaving, raw


class Document(Values):
    """What the tests' system answers."""

    number: str
    amount: Decimal


class Draft(Values):
    """What the tests' system is told."""

    amount: Decimal


GOOD = b'{"number":"PR-1","amount":"920.00"}'


def problem(**members: object) -> bytes:
    inner = ",".join(f'"{name}":{value}' for name, value in members.items())
    return f"{{{inner}}}".encode()


def failure(
    behaviour: Behaviour, *, is_write: bool, seconds: float = 5, refusals: frozenset[int] = frozenset()
) -> OperationError:
    with misbehaving(behaviour) as system:
        to = connection(system.url, refusals=refusals)
        client = SystemClient(call(to, seconds=seconds))
        draft = Draft(amount=Decimal("920.00"))
        ask = partial(client.write, body=draft) if is_write else client.get
        with pytest.raises(OperationError) as raised:
            ask("/requisitions", Document)
        assert len(system.received) == 1
        to.kept_open.close()
    return raised.value


HEAD = b"HTTP/1.1 200 OK\r\n"

#: behaviour, what a read becomes, what a write becomes
FAULTS: list[tuple[str, Behaviour, type[OperationError], type[OperationError]]] = [
    ("reset after the work", cut, Temporary, OutcomeUnknown),
    ("closed without a byte", raw(b""), Temporary, OutcomeUnknown),
    ("half a status line", raw(b"HTTP/1.1 2"), Temporary, OutcomeUnknown),
    ("not HTTP", raw(b"hello\r\n\r\n"), Temporary, OutcomeUnknown),
    ("half a body", raw(HEAD + b"Content-Length: 35\r\n\r\n" + GOOD[:9]), Temporary, OutcomeUnknown),
    ("half an error", raw(b"HTTP/1.1 422 No\r\nContent-Length: 99\r\n\r\n{"), Temporary, OutcomeUnknown),
    ("not JSON", answer(200, b"<html>"), Temporary, Unreadable),
    ("JSON cut short", answer(200, GOOD[:-1]), Temporary, Unreadable),
    ("another shape", answer(200, b'{"number":7}'), Temporary, Unreadable),
    ("an empty answer", answer(200), Temporary, Unreadable),
    ("too large", answer(200, b" " * ANSWER_LIMIT + GOOD), Temporary, Unreadable),
    ("429", answer(429, Retry_After="7"), RateLimited, RateLimited),
    ("500", answer(500), Unavailable, OutcomeUnknown),
    ("500 that denies", answer(500, problem(in_doubt="false")), Unavailable, OutcomeUnknown),
    ("502", answer(502), Unavailable, OutcomeUnknown),
    ("503", answer(503, Retry_After="3"), Unavailable, OutcomeUnknown),
    ("503 that denies", answer(503, problem(in_doubt="false")), Unavailable, Unavailable),
    ("408", answer(408), Temporary, OutcomeUnknown),
    ("redirect", answer(302, Location="http://127.0.0.1:9/"), Unavailable, OutcomeUnknown),
    ("401", answer(401), NotPermitted, NotPermitted),
    ("403", answer(403, b"<html>"), NotPermitted, NotPermitted),
    ("404", answer(404), NotFound, NotFound),
    ("400", answer(400), BadParameters, BadParameters),
    ("422", answer(422), BadParameters, BadParameters),
    ("422 by a rule", answer(422, problem(code='"business_rule"')), BusinessRuleViolated, BusinessRuleViolated),
    ("409", answer(409), BusinessRuleViolated, BusinessRuleViolated),
    ("409 of bad values", answer(409, problem(code='"bad_parameters"')), BadParameters, BadParameters),
    ("409 still at work", answer(409, problem(in_doubt="true")), BusinessRuleViolated, OutcomeUnknown),
    ("409 for now", answer(409, problem(retryable="true")), Unavailable, Unavailable),
    ("423", answer(423), Temporary, Temporary),
]


@pytest.mark.parametrize(
    ("behaviour", "expected"), [(row[1], row[2]) for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_a_fault_while_reading_is_never_an_unknown_outcome(
    behaviour: Behaviour, expected: type[OperationError]
) -> None:
    assert type(failure(behaviour, is_write=False)) is expected


@pytest.mark.parametrize(
    ("behaviour", "expected"), [(row[1], row[3]) for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_a_fault_while_writing_is_unknown_unless_nothing_can_have_been_done(
    behaviour: Behaviour, expected: type[OperationError]
) -> None:
    assert type(failure(behaviour, is_write=True)) is expected


def test_a_declared_refusal_of_a_write_is_not_in_doubt() -> None:
    assert type(failure(answer(503), is_write=True, refusals=frozenset({503}))) is Unavailable
    assert type(failure(answer(500), is_write=True, refusals=frozenset({503}))) is OutcomeUnknown


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("7", 7),
        ("Tue, 01 Dec 2026 08:01:00 GMT", 60),  # the call's clock says 08:00:00
        ("Tue, 01 Dec 2026 07:00:00 GMT", 0),  # over already
        ("soon", None),
        ("9" * 40, 366 * 86400),  # at most a year
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header: str, expected: float | None) -> None:
    error = failure(answer(429, Retry_After=header), is_write=True)
    assert isinstance(error, RateLimited)
    if expected is None:
        assert error.retry_after is None
    else:
        assert error.retry_after is not None
        assert abs(error.retry_after.total_seconds() - expected) < 1


def test_the_systems_own_sentence_reaches_the_person() -> None:
    error = failure(
        answer(
            422,
            problem(title='"Budget short"', detail='"CC-10 has 12.00 left"', code='"business_rule"', rule='"budget"'),
        ),
        is_write=True,
    )
    assert error.message == "erp, asked for POST /requisitions: Budget short: CC-10 has 12.00 left"
    assert error.detail == "status 422, code business_rule, rule budget"


def test_nobody_listens_so_nothing_was_sent() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: connections are refused
        to = connection(f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(Temporary, match="no connection"):
            SystemClient(call(to)).write("/requisitions", Document, body=Draft(amount=Decimal(1)))


def test_an_unknown_host_is_temporary() -> None:
    with pytest.raises(Temporary, match="no connection"):
        SystemClient(call(connection("http://erp.invalid"))).write("/r", Document, body=Draft(amount=Decimal(1)))


def test_no_answer_in_time_is_unknown() -> None:
    waits = threading.Event()
    try:
        error = failure(lambda _: _wait(waits), is_write=True, seconds=0.2)
    finally:
        waits.set()
    assert type(error) is OutcomeUnknown
    assert "ReadTimeout" in error.message


def _wait(waits: threading.Event) -> None:
    waits.wait(10)


@pytest.mark.parametrize("where", ["head", "body"])
def test_a_system_that_answers_drop_by_drop_is_not_waited_for(where: str) -> None:
    stopped = threading.Event()

    def drip(peer: socket.socket) -> None:
        peer.sendall(HEAD + (b"" if where == "head" else b"Content-Length: 9999\r\n\r\n"))
        while not stopped.wait(0.05):  # each drop comes well within the time-out, the whole does not
            peer.sendall(b"x")

    try:
        error = failure(drip, is_write=True, seconds=0.3)
    finally:
        stopped.set()
    assert type(error) is OutcomeUnknown


def test_a_call_whose_time_is_over_sends_nothing() -> None:
    with misbehaving() as system, pytest.raises(Temporary, match="before the request was sent"):
        SystemClient(call(connection(system.url), seconds=0)).write("/r", Document, body=Draft(amount=Decimal(1)))
    assert system.received == []


def test_the_time_left_shrinks_while_the_operation_thinks() -> None:
    hands = iter([100.0, 104.9, 105.1])
    with misbehaving(answer(200, GOOD)) as system:
        to = connection(system.url)
        client = SystemClient(call(to, seconds=5), monotonic=lambda: next(hands))
        assert client.get("/r", Document).number == "PR-1"
        with pytest.raises(Temporary, match="time was over"):
            client.get("/r", Document)
        to.kept_open.close()
    assert len(system.received) == 1


def test_without_a_connection_the_system_is_not_configured() -> None:
    with pytest.raises(NotPermitted, match="no connection"):
        SystemClient(call(None))


def test_a_request_signs_in_and_carries_key_and_correlation_ids() -> None:
    with misbehaving(answer(201, GOOD)) as system:
        to = connection(system.url)
        document = SystemClient(call(to)).write("/requisitions", Document, body=Draft(amount=Decimal("920.00")))
        SystemClient(call(to)).get("/requisitions", Document, params={"material": "MAT 1&x"})
        SystemClient(call(to)).search("/search", Document, body=Draft(amount=Decimal(1)))
        to.kept_open.close()
    assert document == Document(number="PR-1", amount=Decimal("920.00"))
    write, read, search = system.received
    assert write.headers["authorization"] == "Bearer s3cret"
    assert write.headers["idempotency-key"] == call().sent_key
    assert write.headers["content-type"] == "application/json"
    assert write.body == b'{"amount":"920.00"}'
    assert (read.method, read.target) == ("GET", "/requisitions?material=MAT+1%26x")
    for reading in (read, search):
        assert "idempotency-key" not in reading.headers
    for request in system.received:
        ids = call().correlation
        assert re.fullmatch(rf"00-{ids.trace_id}-[0-9a-f]{{16}}-01", request.headers["traceparent"])
        assert request.headers["x-workflow-id"] == ids.workflow_id
        assert request.headers["x-business-key"] == "MR-2026-0001"
        assert request.headers["x-step-key"] == "Create"
        assert request.headers["x-execution-id"] == ids.execution_id
        assert request.headers["x-event-id"] == "evt-7"
        assert request.headers["x-approval-id"] == ids.approval_id


@pytest.mark.parametrize(("behaviour", "sent"), [(answer(201, GOOD), 1), (cut, 1), (answer(503), 1)])
def test_it_is_noted_that_a_request_has_left(behaviour: Behaviour, sent: int) -> None:
    notebook = Notebook()
    with misbehaving(behaviour) as system:
        to = connection(system.url)
        with suppress(OperationError):
            SystemClient(call(to, notebook=notebook)).get("/r", Document)
        to.kept_open.close()
    assert notebook.sent == sent


def test_ids_that_a_header_cannot_hold_are_quoted() -> None:
    headers = correlation_headers(call(business_key="短缺-1\r\nX-Admin: 1"))
    assert headers["X-Business-Key"] == "%E7%9F%AD%E7%BC%BA-1%0D%0AX-Admin: 1"
    assert "X-Business-Key" not in correlation_headers(call(business_key=None))


def test_the_canonical_key_stays_at_home() -> None:
    assert KEY not in "".join(correlation_headers(call()).values())


def test_sockets_are_kept_open_between_calls() -> None:
    with misbehaving(answer(200, GOOD)) as system:
        to = connection(system.url)
        for _ in range(3):
            SystemClient(call(to)).get("/r", Document)
        to.kept_open.close()
    assert len({request.peer for request in system.received}) == 1


def test_threads_share_the_pool() -> None:
    with misbehaving(answer(200, GOOD)) as system:
        to = connection(system.url)
        found: list[str] = []

        def read() -> None:
            found.extend(SystemClient(call(to)).get("/r", Document).number for _ in range(10))

        threads = [threading.Thread(target=read) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        to.kept_open.close()
    assert found == ["PR-1"] * 60


def test_find_says_none_where_there_is_nothing() -> None:
    with misbehaving(answer(404)) as system:
        to = connection(system.url)
        assert SystemClient(call(to)).find("/r", Document) is None
        to.kept_open.close()


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        (("requisitions", "PR-1"), "/requisitions/PR-1"),
        (("r", "a/../b?c#d"), "/r/a%2F..%2Fb%3Fc%23d"),
        (("料",), "/%E6%96%99"),
    ],
)
def test_a_number_cannot_lead_to_another_address(segments: tuple[str, ...], expected: str) -> None:
    assert path(*segments) == expected


@pytest.mark.parametrize("segment", ["", ".", ".."])
def test_a_segment_that_is_no_name_is_refused(segment: str) -> None:
    with pytest.raises(BadParameters):
        path("requisitions", segment)
