"""Broken on purpose: the judge goes red on each defect, and stays green without it (facts: durable execution, 14).

Each defect is made from outside, by replacing one statement or one collaborator.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import Integer, String, bindparam, delete

from engine.contract.ids import IdempotencyKey, JobId
from engine.contract.keys import sent_key
from engine.identity.actor import Actor
from engine.runtime import claim
from engine.runtime.commands import ClaimedJob, JobOutcome, ModelCallRecord, RecordAnswer, Succeeded
from engine.store import Change, jobs
from engine.store.tables import job
from engine.work import Ledger, Performer, ProcessLimits, decisions, perform
from engine.work.lease import Lease
from tests.promises.dice import NoPause
from tests.promises.journeys import JOURNEYS, Journey
from tests.promises.judge import LEGAL, Kind
from tests.promises.purchase import LEASE, PurchaseStuck
from tests.promises.stage import Around, Stage, stage_on

_LOST_ANSWER = JOURNEYS["answer_lost"]
_WITHOUT_KEYS = JOURNEYS["without_keys"]


def kinds(stage: Stage) -> set[Kind]:
    """Return the kinds of what the judge finds."""
    return {each.kind for each in stage.findings()}


def play_somehow(stage: Stage, journey: Journey, around: Around = lambda ledger: ledger) -> None:
    """Play a journey that a defect may keep from its end."""
    try:
        stage.play(journey, around)
    except PurchaseStuck:
        return


@pytest.mark.parametrize("journey", [_LOST_ANSWER, _WITHOUT_KEYS], ids=lambda journey: journey.name)
def test_the_judge_is_content_with_what_is_not_broken(journey: Journey, sqlite_url: str, tmp_path: Path) -> None:
    with stage_on(sqlite_url, tmp_path, keys_on=journey.keys_on) as stage:
        assert stage.play(journey).instance["business_status"] == "SUCCEEDED"
        assert stage.findings() == ()


def test_a_fresh_key_per_attempt_is_seen(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = itertools.count()

    def fresh(key: IdempotencyKey) -> str:
        return sent_key(IdempotencyKey(f"{key}:{next(counter)}"))

    monkeypatch.setattr(perform, "sent_key", fresh)
    with stage_on(sqlite_url, tmp_path) as stage:
        play_somehow(stage, _LOST_ANSWER)
        assert kinds(stage) >= {Kind.DOUBLED, Kind.ILLEGAL}


def test_a_repeat_without_a_look_up_is_seen(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = decisions.after_call_failed

    def blind(*given: Any) -> Any:
        step = rule(*given)
        return decisions.NextStep.SEND if step is decisions.NextStep.LOOK_UP else step

    monkeypatch.setattr(perform, "after_call_failed", blind)
    with stage_on(sqlite_url, tmp_path, keys_on=False) as stage:
        play_somehow(stage, _WITHOUT_KEYS)
        assert kinds(stage) >= {Kind.DOUBLED, Kind.ILLEGAL}


def test_a_write_without_an_intent_is_seen(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_intent(*_given: Any) -> tuple[bool, tuple[()]]:
        return False, ()

    monkeypatch.setattr(claim, "intend", no_intent)
    with stage_on(sqlite_url, tmp_path) as stage:
        play_somehow(stage, JOURNEYS["one_by_one"])
        assert kinds(stage) >= {Kind.LOST, Kind.ILLEGAL}


class _Between:
    """Passes everything on to a ledger, but for what a subclass does itself."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def as_ledger(self) -> Ledger:
        """Return itself: what it does not have is the ledger's, which no type can say."""
        return cast(Ledger, self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


def _is_write(claimed: ClaimedJob) -> bool:
    return (claimed.operation or "").startswith("erp.create_requisition@")


class _DiesAtTheWrite(_Between):
    """Claims the write and forgets it, as a process does that dies right then."""

    _has_died = False

    def claim(self, actor: Actor, owner: str, job_id: JobId, lease: timedelta) -> ClaimedJob | None:
        claimed = self._ledger.claim(actor, owner, job_id, lease)
        if claimed is None or self._has_died or not _is_write(claimed):
            return claimed
        self._has_died = True
        return None


def _never_swept(*_given: Any) -> None:
    """Do nothing, like a sweeper that stopped at its first error."""


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_sweeper_that_stopped_is_seen(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_broken: bool
) -> None:
    with stage_on(sqlite_url, tmp_path) as stage:
        if is_broken:
            monkeypatch.setattr(stage.here.runtime, "sweep", _never_swept)
        play_somehow(stage, JOURNEYS["one_by_one"], lambda ledger: _DiesAtTheWrite(ledger).as_ledger())
        assert (Kind.STUCK in kinds(stage)) is is_broken


#: Removes a job without asking who did it: the fence is gone, and everything else is as in ``jobs.FINISH``.
_UNFENCED = Change(
    jobs.FINISH.name,
    "Remove a job, whoever has it.",
    delete(job).where(
        job.c.job_id == bindparam("job_id", type_=job.c.job_id.type),
        job.c.attempt >= bindparam("claim", type_=Integer),
        bindparam("by", type_=String) != "",
    ),
)


class _Replaced(_Between):
    """The worker is told that its write was refused, and loses its lease before it says so.

    Another worker has taken the write over and done it by then; it says so after the first one has spoken.
    """

    def __init__(self, ledger: Ledger, stage: Stage) -> None:
        super().__init__(ledger)
        self._stage = stage
        self._is_done = False

    def record(
        self,
        actor: Actor,
        claimed: ClaimedJob,
        outcome: JobOutcome,
        *,
        claim_next: bool = False,
        model_calls: Sequence[ModelCallRecord] = (),
    ) -> RecordAnswer:
        if self._is_done or not _is_write(claimed):
            return self._ledger.record(actor, claimed, outcome, claim_next=claim_next, model_calls=model_calls)
        self._is_done = True
        other, found = self._done_by_another(actor, JobId(claimed.job_id))
        answer = self._ledger.record(actor, claimed, outcome)
        self._ledger.record(actor, other, found)
        return answer

    def _done_by_another(self, actor: Actor, job_id: JobId) -> tuple[ClaimedJob, JobOutcome]:
        stage = self._stage
        stage.desk.switch("erp", "/behaviour/MAT-001-0001", {"answer": "normal"})
        stage.here.store.move_clock(LEASE * 2)
        stage.here.runtime.sweep(actor)
        other = self._ledger.claim(actor, "elsewhere", job_id, LEASE)
        assert other is not None
        performer = Performer(
            journal=self._ledger,
            registry=stage.here.registry,
            connections={each.system: each for each in stage.reach.connections()},
            limits=ProcessLimits(),
            actor=actor,
            dice=NoPause(),
        )
        outcome = performer.perform(other, Lease(LEASE, asked_at=performer.monotonic())).outcome
        assert isinstance(outcome, Succeeded)
        return other, outcome


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_finish_without_the_fence_is_seen(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_broken: bool
) -> None:
    if is_broken:
        monkeypatch.setattr(jobs, "FINISH", _UNFENCED)
    with stage_on(sqlite_url, tmp_path) as stage:
        stage.desk.switch("erp", "/behaviour/MAT-001-0001", {"answer": "refuse_now"})
        play_somehow(stage, JOURNEYS["one_by_one"], lambda ledger: _Replaced(ledger, stage).as_ledger())
        (case,) = stage.cases()
        assert len(stage.foreign().documents_of(case.instance["business_key"])) == 1
        assert (Kind.LOST in kinds(stage)) is is_broken
        assert (case.instance["business_status"] == "SUCCEEDED") is not is_broken


def test_the_judge_has_its_own_table_of_what_is_legal() -> None:
    assert "SUCCEEDED" not in LEGAL["WAITING_APPROVAL"]
    assert {"SUCCEEDED", "REJECTED", "CANCELLED", "COVERED"}.isdisjoint(LEGAL)
