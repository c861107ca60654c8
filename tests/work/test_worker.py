"""The loops: they find what is due, carry on, keep leases, survive errors, and stop after what they are at."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from engine.contract.ids import JobId
from engine.runtime.commands import Parked, Retried, Succeeded
from engine.work.counts import Counts
from engine.work.doorbell import CAPACITY, LocalDoorbell
from engine.work.heart import Heart
from engine.work.lease import Lease
from engine.work.limits import ProcessLimits
from engine.work.perform import Performer
from engine.work.publishing import Publisher
from engine.work.worker import StillBusy, Worker, WorkSettings, new_owner
from tests.work.erp import Erp, connection, registry_of
from tests.work.memory import Clock, MemoryLedger, Outgoing
from tests.work.test_perform import DRAFT, SERVICE, Points

SECOND = timedelta(seconds=1)


class Ticking(Clock):
    """A clock that goes with the process's own, for tests with threads."""

    def __init__(self) -> None:
        super().__init__()
        self._zero = time.monotonic()

    def monotonic(self) -> float:
        """Return the process's seconds."""
        return time.monotonic() - self._zero


class Post:
    """A publisher that keeps what it was given, and refuses as often as it is told to."""

    def __init__(self, refuses: int = 0) -> None:
        self.published: list[str] = []
        self.refuses = refuses

    def publish(self, message: object) -> None:
        """Keep it."""
        assert isinstance(message, Outgoing)
        if self.refuses:
            self.refuses -= 1
            raise ConnectionError("nobody listens")
        self.published.append(message.message_id)


class Bench:
    """A worker with its surroundings."""

    def __init__(
        self,
        erp: Erp | None = None,
        *,
        clock: Clock | None = None,
        ledger: MemoryLedger | None = None,
        publisher: Publisher | None = None,
        settings: WorkSettings | None = None,
        concurrency: int = 8,
    ) -> None:
        self.clock = clock or Clock()
        self.erp = erp or Erp()
        self.ledger = ledger or MemoryLedger(self.clock)
        self.counts = Counts()
        self.points = Points()
        self.worker = Worker(
            ledger=self.ledger,
            performer=Performer(
                journal=self.ledger,
                registry=registry_of(self.erp),
                connections={"erp": connection(concurrency=concurrency)},
                limits=ProcessLimits(self.clock.monotonic),
                actor=SERVICE,
                dice=random.Random(1),
                crash_points=self.points,
                monotonic=self.clock.monotonic,
            ),
            actor=SERVICE,
            publisher=publisher,
            settings=settings,
            meter=self.counts,
            dice=random.Random(1),
            crash_points=self.points,
            monotonic=self.clock.monotonic,
        )

    @contextmanager
    def running(self) -> Generator[None]:
        self.worker.start()
        try:
            yield
        finally:
            assert self.worker.stop(10 * SECOND)


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread brings about."""
    ended = time.monotonic() + 10
    turn = threading.Event()
    while not condition():
        assert time.monotonic() < ended, "it did not come about"
        turn.wait(0.005)


# --- in the calling thread ---------------------------------------------------------------------------------------


def test_everything_due_is_done_and_what_is_due_later_stays() -> None:
    bench = Bench()
    now = [bench.ledger.add("rules.double@1", f'{{"value":{n}}}') for n in range(3)]
    later = bench.ledger.add("rules.double@1", '{"value":9}', later=1)
    assert bench.worker.run_until_idle() == 3
    assert [job.outcomes for job in now] == [[Succeeded(result=f'{{"value":{2 * n}}}')] for n in range(3)]
    assert later.status == "ready"
    bench.clock.seconds += 1
    assert bench.worker.run_until_idle() == 1
    assert bench.counts.of("jobs", outcome="succeeded", operation="rules.double@1") == 4


def test_a_temporary_failure_is_done_again_when_its_pause_is_over() -> None:
    bench = Bench(Erp(faults=["busy", "busy"]))
    job = bench.ledger.add("erp.create@1", DRAFT)
    for _ in range(3):
        bench.worker.run_until_idle()
        bench.clock.seconds += 5
    assert [type(outcome) for outcome in job.outcomes] == [Retried, Retried, Succeeded]
    assert len(bench.erp.documents) == 1


def test_a_worker_carries_on_with_the_job_that_its_end_opened() -> None:
    bench = Bench(settings=WorkSettings(carry_on=3))
    third = bench.ledger.build("rules.double@1", '{"value":3}')
    second = bench.ledger.build("rules.double@1", '{"value":2}', then=third)
    first = bench.ledger.add("rules.double@1", '{"value":1}', then=second)
    assert bench.worker.work_on(first.job_id) == 3
    assert bench.ledger.calls.count("claim") == 1


def test_it_lets_others_have_their_turn() -> None:
    bench = Bench(settings=WorkSettings(carry_on=2))
    jobs = [bench.ledger.build("rules.double@1", '{"value":1}')]
    for _ in range(4):
        jobs.append(bench.ledger.build("rules.double@1", '{"value":1}', then=jobs[-1]))
    first = bench.ledger.add("rules.double@1", '{"value":1}', then=jobs[-1])
    assert bench.worker.work_on(first.job_id) == 2
    assert bench.worker.run_until_idle() == 4


def test_work_without_end_is_noticed() -> None:
    bench = Bench()
    bench.ledger.timers = [bench.clock()] * 250  # each brings a job
    with pytest.raises(StillBusy):
        bench.worker.run_until_idle(most=150)


def test_a_job_that_somebody_else_has_is_left_alone() -> None:
    bench = Bench()
    job = bench.ledger.add("erp.create@1", DRAFT)
    assert bench.ledger.claim(SERVICE, "another", job.job_id, 30 * SECOND) is not None
    assert bench.worker.work_on(job.job_id) == 0
    assert bench.erp.calls == []


def test_a_late_result_changes_nothing() -> None:
    bench = Bench()
    job = bench.ledger.add("erp.create@1", DRAFT)
    bench.erp.on_write = lambda: setattr(job, "attempt", job.attempt + 1)  # somebody else claimed it meanwhile
    bench.worker.work_on(job.job_id)
    assert job.outcomes == []
    assert [job_id for job_id, _ in bench.ledger.late] == [job.job_id]
    assert bench.counts.of("jobs", outcome="late") == 1


def test_after_a_lost_worker_another_one_looks_up_and_adopts() -> None:
    bench = Bench()
    job = bench.ledger.add("erp.create@1", DRAFT)
    lost = Bench(bench.erp, clock=bench.clock, ledger=bench.ledger, settings=WorkSettings(record_again=()))
    bench.ledger.fail_next("record", MemoryError())
    with pytest.raises(MemoryError):
        lost.worker.work_on(job.job_id)  # booked, and gone before it could say so
    bench.clock.seconds += 31
    bench.ledger.sweep(SERVICE)
    assert bench.worker.run_until_idle() == 1
    assert len(bench.erp.documents) == 1
    assert job.outcomes == [Succeeded(result=bench.erp.documents[0].model_dump_json(), was_found=True)]


def test_an_outcome_that_could_not_be_recorded_is_recorded_again() -> None:
    bench = Bench()
    job = bench.ledger.add("erp.create@1", DRAFT)
    bench.ledger.fail_next("record", ConnectionError("away"))
    assert bench.worker.work_on(job.job_id) == 1
    assert len(job.outcomes) == 1
    assert len(bench.erp.calls) == 1
    assert bench.counts.of("loop_errors", loop="record") == 1


def test_what_was_asked_of_models_is_recorded_with_the_outcome() -> None:
    bench = Bench()
    job = bench.ledger.add("ai.suggest@1", '{"value":2}')
    bench.worker.run_until_idle()
    assert [record.prompt_tokens for record in job.model_calls] == [2]


# --- the outbox --------------------------------------------------------------------------------------------------


def test_messages_are_published_once() -> None:
    post = Post()
    bench = Bench(publisher=post)
    bench.ledger.outbox = [Outgoing(message_id=str(n)) for n in range(30)]
    bench.worker.run_until_idle()
    bench.clock.seconds += 60
    bench.worker.run_until_idle()
    assert post.published == [str(n) for n in range(30)]
    assert bench.points.passed[:2] == ["outbox:before_publish", "outbox:after_publish"]


def test_a_message_that_nobody_takes_waits_longer_each_time() -> None:
    post = Post(refuses=3)
    bench = Bench(publisher=post)
    message = Outgoing(message_id="m")
    bench.ledger.outbox = [message]
    for failures in (1, 2, 3):
        bench.worker.run_until_idle()
        assert message.failure_count == failures
        assert message.next_at is not None
        assert message.next_at - bench.clock() <= timedelta(seconds=2 ** (failures - 1))
        bench.clock.seconds += 10
    bench.worker.run_until_idle()
    assert post.published == ["m"]


def test_a_message_whose_mark_was_lost_is_published_again_under_the_same_id() -> None:
    post = Post()
    bench = Bench(publisher=post)
    bench.ledger.outbox = [Outgoing(message_id="m")]
    bench.ledger.fail_next("mark_sent", ConnectionError("away"))
    with pytest.raises(ConnectionError):
        bench.worker.run_until_idle()
    bench.clock.seconds += 31
    bench.worker.run_until_idle()
    assert post.published == ["m", "m"]


# --- leases ------------------------------------------------------------------------------------------------------


def heart_of(bench: Bench) -> Heart:
    return Heart(bench.ledger, SERVICE, 30 * SECOND, bench.counts, monotonic=bench.clock.monotonic)


def test_a_beat_keeps_the_lease_of_a_job_that_is_being_done() -> None:
    bench = Bench()
    heart, job = heart_of(bench), bench.ledger.add("erp.create@1", DRAFT)
    claimed = bench.ledger.claim(SERVICE, "me", job.job_id, 30 * SECOND)
    assert claimed is not None
    lease = Lease(30 * SECOND, asked_at=0, monotonic=bench.clock.monotonic)
    with heart.keeping(claimed, lease, 40 * SECOND):
        for _ in range(4):
            bench.clock.seconds += 10
            heart.beat()
        assert lease.is_held
        assert job.lease_until == bench.clock() + 30 * SECOND
        bench.clock.seconds += 10  # 50: the job's own time was 40
        heart.beat()
        assert job.lease_until == bench.clock() + 20 * SECOND
    heart.beat()
    assert bench.ledger.calls.count("heartbeat") == 4


def test_a_beat_that_finds_another_owner_ends_the_lease() -> None:
    bench = Bench()
    heart, job = heart_of(bench), bench.ledger.add("erp.create@1", DRAFT)
    claimed = bench.ledger.claim(SERVICE, "me", job.job_id, 30 * SECOND)
    assert claimed is not None
    job.attempt += 1
    lease = Lease(30 * SECOND, asked_at=0, monotonic=bench.clock.monotonic)
    with heart.keeping(claimed, lease, 40 * SECOND):
        heart.beat()
    assert not lease.is_held


def test_a_beat_that_fails_is_counted_and_the_next_one_may_succeed() -> None:
    bench = Bench()
    heart, job = heart_of(bench), bench.ledger.add("erp.create@1", DRAFT)
    claimed = bench.ledger.claim(SERVICE, "me", job.job_id, 30 * SECOND)
    assert claimed is not None
    lease = Lease(30 * SECOND, asked_at=0, monotonic=bench.clock.monotonic)
    bench.ledger.fail_next("heartbeat", ConnectionError("away"))
    bench.clock.seconds += 10
    with heart.keeping(claimed, lease, 40 * SECOND):
        heart.beat()
        heart.beat()
    assert bench.counts.of("loop_errors", loop="heartbeat") == 1
    bench.clock.seconds += 20
    assert lease.is_held


# --- in threads --------------------------------------------------------------------------------------------------


def patient() -> WorkSettings:
    """Scans so seldom that only a ring can wake it within a test."""
    return WorkSettings(threads=2, scan_every=timedelta(minutes=10))


def test_a_ring_is_answered_at_once() -> None:
    bench = Bench(clock=Ticking(), settings=patient())
    with bench.running():
        until(lambda: bench.worker.health().scanned is not None and "due_in" in bench.ledger.calls)
        job = bench.ledger.add("rules.double@1", '{"value":1}')
        bench.worker.bell.ring([job.job_id])
        until(lambda: job.status == "done")
    assert bench.counts.of("jobs") == 1


def test_without_a_ring_the_scan_finds_the_job() -> None:
    bench = Bench(clock=Ticking(), settings=WorkSettings(threads=2, scan_every=timedelta(milliseconds=20)))
    with bench.running():
        job = bench.ledger.add("rules.double@1", '{"value":1}')
        until(lambda: job.status == "done")


def test_the_next_due_time_ends_the_pause_and_wakes_nobody_before() -> None:
    bench = Bench(clock=Ticking(), settings=patient())
    job = bench.ledger.add("rules.double@1", '{"value":1}', later=0.3)
    with bench.running():
        until(lambda: job.status == "done")
        assert bench.ledger.calls.count("due_jobs") <= 4


def test_messages_are_published_while_more_jobs_are_due_than_a_scan_finds() -> None:
    post = Post()
    settings = WorkSettings(threads=1, scan_every=timedelta(milliseconds=20), scan_limit=2)
    bench = Bench(clock=Ticking(), publisher=post, settings=settings)
    begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        may_end.wait(10)

    bench.erp.on_write = hold
    for _ in range(5):
        bench.ledger.add("erp.create@1", DRAFT)
    with bench.running():
        assert begun.wait(10)
        rounds = bench.ledger.calls.count("take_outbox")
        until(lambda: bench.ledger.calls.count("take_outbox") > rounds)
        bench.ledger.outbox.append(Outgoing(message_id="m"))
        until(lambda: post.published == ["m"])
        may_end.set()


def test_timers_are_fired_and_messages_published() -> None:
    post = Post()
    bench = Bench(clock=Ticking(), publisher=post, settings=WorkSettings(scan_every=timedelta(milliseconds=20)))
    with bench.running():
        bench.ledger.timers.append(bench.clock())
        bench.ledger.outbox.append(Outgoing(message_id="m"))
        until(lambda: post.published == ["m"] and bench.counts.of("jobs") == 1)


def test_an_error_in_a_loop_never_ends_it() -> None:
    post = Post()
    bench = Bench(clock=Ticking(), publisher=post, settings=WorkSettings(scan_every=timedelta(milliseconds=10)))
    loops = ("due_jobs", "fire_due", "sweep", "due_in", "claim", "take_outbox")
    for method in loops:
        bench.ledger.fail_next(method, ConnectionError("away"), KeyError("defect"))
    job = bench.ledger.add("erp.create@1", DRAFT)
    bench.ledger.outbox.append(Outgoing(message_id="m"))
    with bench.running():
        until(lambda: job.status == "done" and post.published == ["m"])
    for loop, errors in (("scan", 2), ("timers", 2), ("due_in", 2), ("work", 2), ("publish", 2)):
        assert bench.counts.of("loop_errors", loop=loop) == errors
    assert len(bench.erp.documents) == 1


def test_the_sweep_goes_on_after_errors_for_ever() -> None:
    settings = WorkSettings(lease=timedelta(milliseconds=30), scan_every=timedelta(milliseconds=5))
    bench = Bench(clock=Ticking(), settings=settings)
    bench.ledger.fail_next("sweep", *[ConnectionError("away")] * 3)
    job = bench.ledger.add("erp.create@1", DRAFT)
    assert bench.ledger.claim(SERVICE, "dead", job.job_id, timedelta(milliseconds=30)) is not None
    with bench.running():
        until(lambda: job.status == "done")
    assert bench.counts.of("loop_errors", loop="sweep") == 3


def test_jobs_run_side_by_side() -> None:
    bench = Bench(clock=Ticking(), settings=WorkSettings(threads=3, scan_every=timedelta(milliseconds=20)))
    together = threading.Barrier(3, timeout=5)

    def meet() -> None:
        together.wait()

    bench.erp.on_write = meet
    jobs = [bench.ledger.add("erp.create@1", DRAFT) for _ in range(3)]
    with bench.running():
        until(lambda: all(job.status == "done" for job in jobs))


def test_two_workers_and_one_job_make_one_call() -> None:
    clock = Ticking()
    settings = WorkSettings(threads=2, scan_every=timedelta(milliseconds=5))
    one = Bench(clock=clock, settings=settings)
    two = Bench(one.erp, clock=clock, ledger=one.ledger, settings=settings)
    jobs = [one.ledger.add("erp.create@1", DRAFT) for _ in range(40)]
    with one.running(), two.running():
        for bench in (one, two):
            bench.worker.bell.ring(job.job_id for job in jobs)
        until(lambda: all(job.status == "done" for job in jobs))
    assert len(one.erp.calls) == 40


def test_stopping_ends_what_runs_and_takes_nothing_new() -> None:
    bench = Bench(clock=Ticking(), settings=WorkSettings(threads=1, scan_every=timedelta(milliseconds=20)))
    begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        may_end.wait(10)

    bench.erp.on_write = hold
    after = bench.ledger.build("erp.create@1", DRAFT)
    first = bench.ledger.add("erp.create@1", DRAFT, then=after)
    second = bench.ledger.add("erp.create@1", DRAFT)
    bench.worker.start()
    assert begun.wait(10)
    assert not bench.worker.stop(timedelta(milliseconds=50))  # it is still at it
    may_end.set()
    assert bench.worker.stop(10 * SECOND)
    assert first.status == "done"
    assert len(first.outcomes) == 1
    assert second.status == "ready"
    assert bench.ledger.jobs[after.job_id].status == "ready"
    assert bench.worker.health().threads_alive == 0


def test_a_lease_is_kept_while_a_stop_waits_for_its_job() -> None:
    settings = WorkSettings(threads=1, lease=timedelta(milliseconds=90), scan_every=timedelta(milliseconds=5))
    bench = Bench(clock=Ticking(), settings=settings)
    begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        may_end.wait(10)

    bench.erp.on_write = hold
    job = bench.ledger.add("erp.create@1", DRAFT)
    bench.worker.start()
    assert begun.wait(10)
    stopping = threading.Thread(target=lambda: bench.worker.stop(10 * SECOND))
    stopping.start()
    beats = bench.ledger.calls.count("heartbeat")
    until(lambda: bench.ledger.calls.count("heartbeat") >= beats + 4)  # longer than one lease
    may_end.set()
    stopping.join()
    assert job.status == "done"
    assert bench.ledger.late == []


def test_health_tells_what_was_done_and_when() -> None:
    bench = Bench(clock=Ticking(), settings=WorkSettings(threads=2, scan_every=timedelta(milliseconds=10)))
    before = bench.worker.health()
    assert (before.scanned, before.swept, before.threads_wanted) == (None, None, 0)
    with bench.running():
        until(lambda: bench.worker.health().swept is not None)
        health = bench.worker.health()
        assert health.threads_alive == health.threads_wanted == 5
        assert health.scanned is not None
        assert health.scanned < 5


# --- small parts -------------------------------------------------------------------------------------------------


def test_every_start_of_a_process_is_somebody_else() -> None:
    assert new_owner() != new_owner()
    assert len(new_owner()) <= 80  # the column


def test_a_job_rings_once_while_it_waits() -> None:
    points = Points()
    bell = LocalDoorbell(points)
    bell.ring(["a", "b", "a"])
    assert points.passed == ["ring:before", "ring:after"]
    assert [bell.take(), bell.take()] == ["a", "b"]
    bell.ring(["a"])
    assert bell.take() == "a"
    assert bell.is_drained(0)


def test_rings_beyond_the_capacity_are_left_to_the_scan() -> None:
    bell = LocalDoorbell()
    bell.ring(str(n) for n in range(CAPACITY + 5))
    taken = [bell.take() for _ in range(CAPACITY)]
    assert len(taken) == CAPACITY
    assert bell.is_drained(0)


def test_a_closed_bell_lets_everybody_go() -> None:
    bell = LocalDoorbell()
    bell.ring([JobId("a")])
    bell.close()
    assert bell.take() is None
    assert bell.is_drained(10)


def test_a_parked_job_is_not_done_again() -> None:
    bench = Bench(Erp(faults=["broken"]))
    job = bench.ledger.add("erp.create@1", DRAFT)
    bench.worker.run_until_idle()
    bench.clock.seconds += 10_000
    assert bench.worker.run_until_idle() == 0
    assert [type(outcome) for outcome in job.outcomes] == [Parked]
