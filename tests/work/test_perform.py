"""One claimed job: whatever the system does, at most one document, and never a blind repeat (P6, W9, W10)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from engine.contract import Connection, NotPermitted, RepeatRecognition, Temporary, idempotency_key, sent_key
from engine.contract.ids import IdempotencyKey, PersonId, TenantId, WorkflowId
from engine.identity.actor import Actor
from engine.runtime.commands import (
    ClaimedJob,
    Deferred,
    EarlierIntent,
    Failed,
    JobKind,
    JobOutcome,
    Parked,
    Retried,
    Succeeded,
)
from engine.work.lease import Lease
from engine.work.limits import ProcessLimits
from engine.work.perform import Performed, Performer
from tests.work.erp import Document, Erp, connection, registry_of
from tests.work.memory import Clock, Job, MemoryLedger

DRAFT = '{"material":"MAT-001"}'
SERVICE = Actor(
    tenant_id=TenantId("main"),
    person_id=PersonId("c" * 32),
    name="worker",
    permissions=frozenset({"requisition:create"}),
    groups=frozenset(),
    is_service=True,
)
KEYED = connection()
UNIQUE = connection(RepeatRecognition.UNIQUE_FIELD)
BY_SEARCH = connection(RepeatRecognition.SEARCH_ONLY, search_is_complete=True)
BY_POOR_SEARCH = connection(RepeatRecognition.SEARCH_ONLY)


class Points:
    """Notes the crash points that are passed."""

    def __init__(self) -> None:
        self.passed: list[str] = []

    def reached(self, point: str) -> None:
        """Note it."""
        self.passed.append(point)


class Bench:
    """A performer with its surroundings."""

    def __init__(self, erp: Erp | None = None, to: Connection | None = KEYED, actor: Actor = SERVICE) -> None:
        self.clock = Clock()
        self.erp = erp or Erp()
        self.ledger = MemoryLedger(self.clock)
        self.points = Points()
        self.performer = Performer(
            journal=self.ledger,
            registry=registry_of(self.erp),
            connections={} if to is None else {"erp": to},
            limits=ProcessLimits(self.clock.monotonic),
            actor=actor,
            dice=random.Random(1),
            crash_points=self.points,
            monotonic=self.clock.monotonic,
        )

    def claim(self, job: Job) -> tuple[ClaimedJob, Lease]:
        length = timedelta(seconds=30)
        claimed = self.ledger.claim(SERVICE, "owner", job.job_id, length)
        assert claimed is not None
        return claimed, Lease(length, asked_at=self.clock.seconds, monotonic=self.clock.monotonic)

    def perform(self, operation: str | None = "erp.create@1", arguments: str = DRAFT, **changes: object) -> Performed:
        claimed, lease = self.claim(self.ledger.add(operation, arguments))
        return self.performer.perform(replace(claimed, **changes), lease)  # pyright: ignore


def short(outcome: JobOutcome) -> str:
    match outcome:
        case Succeeded(was_found=was_found):
            return "found" if was_found else "done"
        case Retried(is_unknown=is_unknown):
            return "retry, unknown" if is_unknown else "retry"
        case Parked(is_unknown=is_unknown):
            return "person, unknown" if is_unknown else "person"
        case Failed():
            return "failed"
        case Deferred():
            return "deferred"


#: connection, faults in turn, outcome, requests sent, documents there
WRITES: list[tuple[str, Connection, list[str], str, int, int]] = [
    ("nothing happens", KEYED, [], "done", 1, 1),
    ("answer lost", KEYED, ["cut_after"], "found", 1, 1),
    ("answer unreadable", KEYED, ["unreadable"], "found", 1, 1),
    ("request lost", KEYED, ["cut_before"], "done", 2, 1),
    ("request lost twice", KEYED, ["cut_before", "cut_before"], "retry, unknown", 2, 0),
    ("request, then answer lost", KEYED, ["cut_before", "cut_after"], "found", 2, 1),
    ("request overtaken by the second", KEYED, ["late"], "done", 2, 1),
    ("not sent", KEYED, ["busy"], "retry", 1, 0),
    ("not sent after a lost request", KEYED, ["cut_before", "busy"], "retry, unknown", 2, 0),
    ("limited", KEYED, ["limited"], "retry", 1, 0),
    ("refused", KEYED, ["refused"], "failed", 1, 0),
    ("refused after a lost request", KEYED, ["cut_before", "refused"], "failed", 2, 0),
    ("its own first request refuses the second", UNIQUE, ["late", "duplicate"], "found", 2, 1),
    ("search: answer lost", BY_SEARCH, ["cut_after"], "found", 1, 1),
    ("search: request lost", BY_SEARCH, ["cut_before"], "done", 2, 1),
    ("search: request lost twice", BY_SEARCH, ["cut_before", "cut_before"], "person, unknown", 2, 0),
    ("search: not sent after a lost request", BY_SEARCH, ["cut_before", "busy"], "retry, unknown", 2, 0),
    ("poor search: answer lost", BY_POOR_SEARCH, ["cut_after"], "found", 1, 1),
    ("poor search: request lost", BY_POOR_SEARCH, ["cut_before"], "person, unknown", 1, 0),
    ("a defect after the work", KEYED, ["broken"], "person, unknown", 1, 1),
]


@pytest.mark.parametrize(
    ("to", "faults", "expected", "sent", "documents"), [row[1:] for row in WRITES], ids=[row[0] for row in WRITES]
)
def test_a_write_makes_at_most_one_document(
    to: Connection, faults: list[str], expected: str, sent: int, documents: int
) -> None:
    bench = Bench(Erp(recognises=to.recognition is not RepeatRecognition.SEARCH_ONLY, faults=list(faults)), to)
    outcome = bench.perform().outcome
    assert short(outcome) == expected
    assert len(bench.erp.calls) == sent
    assert len(bench.erp.documents) == documents
    assert len({call.sent_key for call in bench.erp.calls}) == 1
    if isinstance(outcome, Succeeded):
        assert Document.model_validate_json(outcome.result) == bench.erp.documents[0]


#: connection, whether the document is there already, outcome, requests sent
IN_DOUBT: list[tuple[str, Connection, bool, str, int]] = [
    ("keyed, there", KEYED, True, "found", 0),
    ("keyed, not there", KEYED, False, "done", 1),
    ("search, there", BY_SEARCH, True, "found", 0),
    ("search, not there", BY_SEARCH, False, "person, unknown", 0),
]


@pytest.mark.parametrize(
    ("to", "is_there", "expected", "sent"), [row[1:] for row in IN_DOUBT], ids=[row[0] for row in IN_DOUBT]
)
def test_a_write_that_an_earlier_claim_may_have_done_is_looked_up_first(
    to: Connection, is_there: bool, expected: str, sent: int
) -> None:
    bench = Bench(to=to)
    job = bench.ledger.add("erp.create@1", DRAFT)
    job.is_unknown = True
    claimed, lease = bench.claim(job)
    if is_there:
        bench.erp.documents.append(Document(number="PR-7", key=sent_key(claimed.idempotency_key)))
    assert short(bench.performer.perform(claimed, lease).outcome) == expected
    assert [lookup.sent_key for lookup in bench.erp.lookups] == [sent_key(claimed.idempotency_key)]
    assert bench.erp.lookups[0].arguments == DRAFT
    assert len(bench.erp.calls) == sent


def test_a_look_up_that_fails_sends_nothing() -> None:
    bench = Bench(Erp(lookup_faults=[Temporary("away")]))
    outcome = bench.perform(must_look_up=True).outcome
    assert short(outcome) == "retry, unknown"
    assert bench.erp.calls == []


def test_a_look_up_that_fails_for_good_is_a_persons() -> None:
    bench = Bench(Erp(lookup_faults=[NotPermitted("no")]))
    assert short(bench.perform(must_look_up=True, failure_count=4).outcome) == "person, unknown"
    assert bench.erp.calls == []


def test_not_found_that_proves_nothing_is_a_persons() -> None:
    bench = Bench(Erp(search_is_certain=False, faults=["cut_before"]))
    assert short(bench.perform().outcome) == "person, unknown"
    assert len(bench.erp.calls) == 1


def test_a_second_request_is_written_down_before_it_leaves() -> None:
    bench = Bench(Erp(faults=["cut_before"]))
    written: list[int] = []
    bench.erp.on_write = lambda: written.append(len(bench.ledger.intents))
    bench.perform()
    assert written == [0, 1]  # the first intent was the claim's


def test_nothing_is_sent_when_the_lease_is_over() -> None:
    bench = Bench()
    claimed, lease = bench.claim(bench.ledger.add("erp.create@1", DRAFT))
    bench.clock.seconds += 27.5  # the last tenth of 30 seconds
    assert short(bench.performer.perform(claimed, lease).outcome) == "retry"
    assert bench.erp.calls == []


def test_nothing_is_sent_a_second_time_when_the_lease_went_over_meanwhile() -> None:
    bench = Bench(Erp(faults=["cut_before"]))
    bench.erp.on_write = lambda: setattr(bench.clock, "seconds", 28.0)
    assert short(bench.perform().outcome) == "retry, unknown"
    assert len(bench.erp.calls) == 1


def test_nothing_is_sent_a_second_time_when_somebody_else_has_the_job() -> None:
    bench = Bench(Erp(faults=["cut_before"]))
    job = bench.ledger.add("erp.create@1", DRAFT)
    claimed, lease = bench.claim(job)
    bench.erp.on_write = lambda: setattr(job, "attempt", 2)
    assert short(bench.performer.perform(claimed, lease).outcome) == "retry, unknown"
    assert len(bench.erp.calls) == 1


EARLIER_KEY = idempotency_key(TenantId("main"), WorkflowId("a" * 32), "Create", "0", 1)
EARLIER = EarlierIntent(intent=1, idempotency_key=EARLIER_KEY, operation="erp.create@1", arguments=DRAFT)


def test_an_earlier_version_that_is_surely_absent_is_settled_before_the_new_one_is_sent() -> None:
    bench = Bench()
    settled: list[Sequence[object]] = []
    bench.erp.on_write = lambda: settled.append(tuple(bench.ledger.settled))
    assert short(bench.perform(unsettled=(EARLIER,)).outcome) == "done"
    assert settled == [((1, None),)]
    assert [lookup.sent_key for lookup in bench.erp.lookups] == [sent_key(EARLIER_KEY)]


def test_an_earlier_version_that_was_carried_out_stops_the_new_one() -> None:
    bench = Bench(Erp(documents=[Document(number="PR-1", key=sent_key(EARLIER_KEY))]))
    outcome = bench.perform(unsettled=(EARLIER,)).outcome
    assert isinstance(outcome, Parked)
    assert outcome.error_code == "earlier_stands"
    assert bench.erp.calls == []
    assert bench.ledger.settled == [(1, bench.erp.documents[0].model_dump_json())]


def test_an_earlier_version_that_stands_no_longer_lets_the_new_one_go() -> None:
    bench = Bench(Erp(documents=[Document(number="PR-1", key=sent_key(EARLIER_KEY))], is_void=True))
    assert short(bench.perform(unsettled=(EARLIER,)).outcome) == "done"
    assert bench.erp.documents[0].key == sent_key(EARLIER_KEY)
    assert len(bench.erp.calls) == 1


@pytest.mark.parametrize(
    ("erp", "expected"),
    [(Erp(search_is_certain=False), "person"), (Erp(lookup_faults=[Temporary("away")]), "retry, unknown")],
)
def test_an_earlier_version_that_cannot_be_settled_stops_the_new_one(erp: Erp, expected: str) -> None:
    bench = Bench(erp)
    assert short(bench.perform(unsettled=(EARLIER,)).outcome) == expected
    assert erp.calls == []
    assert bench.ledger.settled == []


def test_without_the_permission_nothing_is_sent() -> None:
    bench = Bench(actor=replace(SERVICE, permissions=frozenset()))
    outcome = bench.perform().outcome
    assert isinstance(outcome, Parked)
    assert outcome.error_code == "not_permitted"
    assert "requisition:create" in outcome.message
    assert bench.erp.calls == []


@pytest.mark.parametrize("is_in_doubt", [False, True])
def test_an_operation_that_is_not_installed_is_an_operators(is_in_doubt: bool) -> None:
    outcome = Bench().perform("erp.drop@1", must_look_up=is_in_doubt).outcome
    assert isinstance(outcome, Parked)
    assert (outcome.error_code, outcome.is_unknown) == ("operation_missing", is_in_doubt)


@pytest.mark.parametrize("arguments", ["{}", '{"material":7}', '{"material":"M","approved":true}', "[]", "{"])
def test_inputs_that_do_not_fit_never_reach_the_system(arguments: str) -> None:
    bench = Bench()
    outcome = bench.perform(arguments=arguments).outcome
    assert isinstance(outcome, Failed)
    assert outcome.error_code == "bad_parameters"
    assert short(bench.perform(arguments=arguments, must_look_up=True).outcome) == "person, unknown"
    assert bench.erp.calls == []


def test_a_system_at_its_limit_defers_the_job_and_counts_no_failure() -> None:
    bench = Bench(to=connection(concurrency=1))
    inner: list[Performed] = []
    bench.erp.on_write = lambda: inner.append(bench.perform())
    assert short(bench.perform().outcome) == "done"
    bench.erp.on_write = lambda: None
    assert [short(each.outcome) for each in inner] == ["deferred"]
    assert short(bench.perform().outcome) == "done"  # the place was given back


def test_a_place_is_given_back_after_a_defect() -> None:
    bench = Bench(Erp(faults=["broken"]), connection(concurrency=1))
    assert short(bench.perform().outcome) == "person, unknown"
    assert short(bench.perform().outcome) == "done"


def test_without_a_connection_a_lost_answer_is_a_persons() -> None:
    bench = Bench(Erp(faults=["cut_before"]), to=None)
    assert short(bench.perform().outcome) == "person, unknown"


@pytest.mark.parametrize("operation", ["rules.fail@1", "rules.lie@1"])
def test_a_defect_of_an_operation_is_an_operators(operation: str) -> None:
    outcome = Bench().perform(operation, '{"value":1}').outcome
    assert isinstance(outcome, Parked)
    assert (outcome.error_code, outcome.is_unknown) == ("operation_broken", False)


def test_a_rule_is_computed() -> None:
    assert Bench().perform("rules.double@1", '{"value":21}').outcome == Succeeded(result='{"value":42}')


def test_a_capped_advance_goes_on() -> None:
    assert isinstance(Bench().perform(None, "{}", kind=JobKind.CONTINUE).outcome, Succeeded)


@pytest.mark.parametrize(("value", "expected"), [(2, "done"), (3, "retry")])
def test_what_was_asked_of_a_model_is_recorded_whatever_came_of_it(value: int, expected: str) -> None:
    performed = Bench().perform("ai.suggest@1", f'{{"value":{value}}}')
    assert short(performed.outcome) == expected
    assert [record.prompt_tokens for record in performed.model_calls] == [value]


def test_the_operation_learns_its_deadline_and_its_last_attempt() -> None:
    bench = Bench()
    bench.perform()
    bench.perform(failure_count=3, timeout=timedelta(seconds=3))
    bench.perform(failure_count=4)
    bench.perform(failure_count=1, retry_attempts=2)
    calls = bench.erp.calls
    assert [call.is_last_attempt for call in calls] == [False, False, True, True]
    assert [call.deadline - call.now for call in calls] == [timedelta(seconds=n) for n in (10, 3, 10, 10)]
    assert calls[0].now == bench.clock()
    assert calls[0].connection == KEYED


def test_the_time_of_a_second_request_counts_from_its_own_start() -> None:
    bench = Bench(Erp(faults=["cut_before"]))
    bench.erp.on_write = lambda: setattr(bench.clock, "seconds", bench.clock.seconds + 4)
    bench.perform()
    first, second = bench.erp.calls
    assert second.now - first.now == timedelta(seconds=4)
    assert second.deadline - second.now == timedelta(seconds=10)


POINTS: list[tuple[list[str], list[str]]] = [
    ([], ["call:before_send", "call:after_send", "call:after_answer"]),
    (["busy"], ["call:before_send"]),
    (["cut_after"], ["call:before_send", "call:after_send", "lookup:before_send", "lookup:after_answer"]),
]


@pytest.mark.parametrize(("faults", "passed"), POINTS)
def test_the_named_points_are_passed_in_order(faults: list[str], passed: list[str]) -> None:
    bench = Bench(Erp(faults=faults))
    bench.perform()
    assert bench.points.passed == passed


def test_every_line_of_the_log_carries_the_ids_and_no_secret() -> None:
    bench = Bench(Erp(faults=["busy"]))
    with capture_logs() as lines:
        bench.perform()
    (line,) = [each for each in lines if each["event"] == "call.failed"]
    assert line["workflow_id"] == "a" * 32
    assert line["trace_id"] == "b" * 32
    assert (line["business_key"], line["step_key"], line["error_code"]) == ("MR-1", "Create", "temporary")
    assert "s3cret" not in repr(lines)
    assert "event_id" not in line


def test_a_job_may_keep_its_lease_for_two_calls_and_their_look_ups() -> None:
    bench = Bench()
    claimed, _ = bench.claim(bench.ledger.add("erp.create@1", DRAFT))
    assert bench.performer.longest(claimed) == timedelta(seconds=40)  # 2 * (10 + 10)
    earlier = replace(claimed, unsettled=(EARLIER,), timeout=timedelta(seconds=5))
    assert bench.performer.longest(earlier) == timedelta(seconds=45)  # 3 * (5 + 10)
    assert bench.performer.longest(replace(claimed, operation=None)) == timedelta(0)


def test_the_key_sent_is_the_hash_of_the_canonical_one() -> None:
    bench = Bench()
    bench.perform()
    (call,) = bench.erp.calls
    assert call.sent_key == sent_key(IdempotencyKey(call.idempotency_key))
