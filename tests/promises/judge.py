"""Says what is wrong with purchases: it joins the ERP's ledger with our rows, and believes neither alone.

The rules are written here once more, from PROCUREMENT.md and facts/durable.md 12 (I1 to I5), and not taken from the
product, so that a defect in the product's own table is seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from engine.contract.ids import IdempotencyKey
from engine.contract.keys import sent_key
from tests.promises.books import Case, Foreign, Row


class Kind(StrEnum):
    """What can be wrong."""

    #: A document that should stand does not, or stands unknown to us (I1).
    LOST = "lost"
    #: More than one document for one purchase or one intent (I1).
    DOUBLED = "doubled"
    #: Neither final nor with a named role; or something is left that nobody will ever do (I3, I5).
    STUCK = "stuck"
    #: A way through the statuses, or a write, that is not allowed (I2, I4, P6).
    ILLEGAL = "illegal"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong with one instance."""

    kind: Kind
    business_key: str
    what: str


FINAL = frozenset({"SUCCEEDED", "REJECTED", "CANCELLED", "COVERED"})
#: PROCUREMENT.md, Legal transitions.
LEGAL: dict[str | None, frozenset[str]] = {
    None: frozenset({"CREATED"}),
    "CREATED": frozenset({"ANALYZING", "CANCELLED"}),
    "ANALYZING": frozenset({"VALIDATING", "COVERED", "FAILED", "CANCELLED"}),
    "VALIDATING": frozenset({"WAITING_APPROVAL", "FAILED", "CANCELLED"}),
    "WAITING_APPROVAL": frozenset({"APPROVED", "REJECTED", "CANCELLED", "ANALYZING"}),
    "APPROVED": frozenset({"EXECUTING", "COVERED", "CANCELLED", "ANALYZING"}),
    "EXECUTING": frozenset({"SUCCEEDED", "COMPENSATING", "FAILED", "ANALYZING"}),
    "COMPENSATING": frozenset({"CANCELLED", "FAILED", "EXECUTING"}),
    "FAILED": frozenset({"CANCELLED", "ANALYZING"}),
}
#: Statuses of a requisition that stands.
LIVE = frozenset({"accepted", "confirmed", "ordered"})
_WRITE = "create_requisition"
_LOOK_UP = "find_requisition"
#: Answers that surely did nothing: a repeat after them needs no look-up.
_REFUSALS = frozenset({400, 401, 403, 404, 409, 422, 429, 503})
_ENDED = frozenset({"succeeded", "failed", "skipped"})


def judge(cases: Iterable[Case], foreign: Foreign) -> tuple[Finding, ...]:
    """Return everything that is wrong with purchases at rest: all work done, every message sent."""
    return tuple(
        Finding(kind=kind, business_key=case.instance["business_key"], what=what)
        for case in cases
        for rule in _RULES
        for kind, what in rule(case, foreign)
    )


Found = Iterator[tuple[Kind, str]]


def _documents(case: Case, foreign: Foreign) -> Found:
    """I1, I2, W4: exactly one document stands behind SUCCEEDED, none behind another end, never two of one version."""
    key, status = case.instance["business_key"], case.instance["business_status"]
    documents = foreign.documents_of(key)
    live = [each["number"] for each in documents if each["status"] in LIVE]
    if len(live) > 1:
        yield Kind.DOUBLED, f"{', '.join(live)} stand in the ERP"
    for reference, count in Counter(each["reference"] for each in documents).items():
        if count > 1:
            yield Kind.DOUBLED, f"{count} documents were made for {reference}"
    if status == "SUCCEEDED" and not live:
        yield Kind.LOST, "SUCCEEDED, and no document stands in the ERP"
    if status in FINAL - {"SUCCEEDED"} and live:
        yield Kind.ILLEGAL, f"{status}, and {', '.join(live)} stands in the ERP"
    if documents and "APPROVED" not in {after for _, after, _ in case.transitions}:
        yield Kind.ILLEGAL, "a document without an approval"


def _known(case: Case, foreign: Foreign) -> Found:
    """I1, both ways: each document is the result of one intent of ours, and each result is a document."""
    written = [each for each in case.effect if each["operation"].startswith(f"erp.{_WRITE}@")]
    by_number = {each["number"]: each for each in foreign.documents_of(case.instance["business_key"])}
    references = {each["reference"] for each in by_number.values()}
    known: set[str] = set()
    for effect in written:
        if effect["state"] in ("done", "compensated"):
            number = next((n for n in by_number if f'"{n}"'.encode() in (effect["result"] or b"")), None)
            if number is None:
                yield Kind.LOST, f"version {effect['intent']} counts as done, and its document is not in the ERP"
                continue
            known.add(number)
            key = by_number[number]["key"]
            if key is not None and key != _sent(effect):
                yield Kind.ILLEGAL, f"{number} bears a key that is not that of version {effect['intent']}"
        elif effect["state"] == "absent" and _reference(case, effect) in references:
            yield Kind.LOST, f"version {effect['intent']} counts as absent, and its document stands in the ERP"
        elif _is_at_rest(case) and effect["state"] != "absent":
            yield Kind.STUCK, f"what became of version {effect['intent']} is {effect['state']}"
    if _is_at_rest(case):
        for number in by_number.keys() - known:
            yield Kind.LOST, f"{number} stands in the ERP unknown to us"


def _is_at_rest(case: Case) -> bool:
    """Whether nothing of the case waits for a person either."""
    return case.instance["business_status"] in FINAL


def _reference(case: Case, effect: Row) -> str:
    return f"{case.instance['business_key']}/v{effect['intent']}"


def _sent(effect: Row) -> str:
    return sent_key(IdempotencyKey(effect["idempotency_key"]))


def _calls(case: Case, foreign: Foreign) -> Found:
    """P6: an intent stands before the first byte, one key per version, and a look-up before every repeat."""
    intended = {each["sent_key"] for each in case.attempt}
    keys = {_sent(each) for each in case.effect}
    calls = foreign.calls_of(case.instance["workflow_id"])
    sent = [call for call in calls if call["operation"] == _WRITE]
    for call in sent:
        if call["key"] is not None and call["key"] not in intended & keys:
            yield Kind.ILLEGAL, f"a write was sent under the key {call['key']}, which no intent has"
    if sent and not intended & keys:
        yield Kind.ILLEGAL, "a write was sent without an intent"
    for earlier, later in pairwise(sent):
        between = (call for call in calls if earlier["id"] < call["id"] < later["id"])
        has_looked = any(call["operation"] == _LOOK_UP for call in between)
        is_same = earlier["key"] == later["key"]
        if is_same and earlier["status"] not in _REFUSALS and not has_looked:
            yield Kind.ILLEGAL, "a write was sent again without a look-up"


def _way(case: Case, foreign: Foreign) -> Found:
    """W3, I4: the statuses follow each other without a gap, only as the table allows, once each decision."""
    del foreign
    present: str | None = None
    for before, after, element in case.transitions:
        if before != present:
            yield Kind.ILLEGAL, f"{element} went from {before}, and the status was {present}"
        if after not in LEGAL.get(before, frozenset()):
            yield Kind.ILLEGAL, f"{element} went from {before} to {after}"
        present = after
    if present != case.instance["business_status"]:
        yield Kind.ILLEGAL, f"the status is {case.instance['business_status']}, the audit ends with {present}"
    decided = Counter(row["detail"]["approval_id"] for row in case.audit if row["event"] == "decided")
    if decided != Counter(row["approval_id"] for row in case.approval):
        yield Kind.ILLEGAL, "decisions and approvals are not the same"


def _rest(case: Case, foreign: Foreign) -> Found:
    """I3, I5: who has not ended waits for a named role, and nothing is left that runs."""
    del foreign
    instance = case.instance
    is_ended = instance["execution_state"] == "finished"
    asked = [each["role"] for each in (*case.task, *case.open_incidents)]
    if not is_ended and not any(asked):
        yield Kind.STUCK, f"{instance['business_status']}, and nobody is asked"
    if is_ended and instance["business_status"] not in FINAL:
        yield Kind.STUCK, f"it has ended in {instance['business_status']}"
    for job in case.job:
        if job["status"] != "parked" or is_ended:
            yield Kind.STUCK, f"the job of {job['step_key']} is {job['status']}"
    if is_ended and case.task:
        yield Kind.STUCK, "a task is open after the end"
    unsent = [each["topic"] for each in case.outbox if each["sent_at"] is None]
    if unsent:
        yield Kind.STUCK, f"never told: {', '.join(unsent)}"
    for each in case.attempt:
        if each["outcome"] is None:
            yield Kind.STUCK, f"attempt {each['attempt']} of {each['operation']} has no outcome"


def _steps(case: Case, foreign: Foreign) -> Found:
    """W8, W9: one row per execution, numbered without gaps, ended if and only if it is over."""
    del foreign
    numbers: dict[str, list[int]] = {}
    waits = {each["job_id"] for each in case.job} | {each["task_id"] for each in case.task}
    is_ended = case.instance["execution_state"] == "finished"
    for row in case.step:
        numbers.setdefault(row["step_key"], []).append(row["number"])
        if (row["ended_at"] is not None) != (row["status"] in _ENDED):
            yield Kind.ILLEGAL, f"{row['step_key']} is {row['status']} and ended at {row['ended_at']}"
        if row["ended_at"] is None and is_ended:
            yield Kind.STUCK, f"{row['step_key']} is {row['status']} after the end"
        if row["status"] == "running" and row["execution_id"] not in waits:
            yield Kind.STUCK, f"{row['step_key']} runs, and no job does it"
    for step_key, found in numbers.items():
        if sorted(found) != list(range(1, len(found) + 1)):
            yield Kind.ILLEGAL, f"the executions of {step_key} are numbered {sorted(found)}"
    keys = Counter(row["idempotency_key"] for row in case.step if row["idempotency_key"])
    for key, count in keys.items():
        if count > 1:
            yield Kind.DOUBLED, f"{count} executions have the key {key}"


_RULES = (_documents, _known, _calls, _way, _rest, _steps)
