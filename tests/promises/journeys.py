"""Ways through a purchase, so that between them every named point of a purchase is passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: What the world does, once, when the write passes a point: see ``Purchase``.
Deed = Literal["lose_request_and_search", "confirm_early", "take_over"]


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a process is killed: the ``number``-th time it passes ``point``; of the write alone if ``at_write``."""

    point: str
    number: int = 1
    at_write: bool = False


@dataclass(frozen=True, kw_only=True)
class Journey:
    """One way.

    Attributes
    ----------
    starts
        By the MES's event, or by a planner's form.
    faults
        Operation, fault and count, armed before the start; ``seconds`` of a delay are the journey's.
    deeds
        What happens when the write passes a point.
    confirms
        Whether the ERP confirms and tells it, confirms and its event is lost, or never confirms.
    is_cancelled
        Whether the planner cancels while the ERP's confirmation is waited for.
    carry_on
        How many jobs the worker does in a row because each opened the next; see ``WorkSettings``.
    has_threads
        Whether the first process works with its real threads; else everything is done in one thread and order.
    deploys
        Whether the purchase begins with the deployment of the process.
    killed_before
        Where a process before the one that is looked at is killed.
    marks
        The points that this journey is there for.
    only_marks
        Whether nothing else is looked at here, and at most two passings: threads do not count alike each time.
    ends
        The business status at the end.
    """

    name: str
    starts: Literal["event", "form"] = "event"
    keys_on: bool = True
    faults: tuple[tuple[str, str, int], ...] = ()
    seconds: float = 0.0
    deeds: Mapping[str, Deed] = field(default_factory=dict[str, Deed])
    confirms: Literal["told", "untold", "never"] = "told"
    is_cancelled: bool = False
    carry_on: int = 20
    has_threads: bool = False
    deploys: bool = False
    killed_before: Target | None = None
    marks: frozenset[str] = frozenset()
    only_marks: bool = False
    ends: str = "SUCCEEDED"

    @property
    def document_statuses(self) -> tuple[str, ...]:
        """How the documents in the ERP stand at the end."""
        return ("cancelled",) if self.is_cancelled else ("confirmed",)


_WRITE = "create_requisition"


def _commits(*names: str) -> frozenset[str]:
    return frozenset(f"{name}.commit:{side}" for name in names for side in ("before", "after"))


_PLAIN = _commits("inbox", "decision", "claim", "result", "outbox_take", "outbox_mark") | {
    "ring:before",
    "ring:after",
    "call:before_send",
    "call:after_send",
    "call:after_answer",
    "outbox:before_publish",
    "outbox:after_publish",
}
_LOOK_UP = frozenset({"lookup:before_send", "lookup:after_answer"})

#: The plain one first: everything else differs from it in what its name says.
JOURNEYS: Mapping[str, Journey] = {
    each.name: each
    for each in (
        Journey(name="plain", marks=_PLAIN),
        Journey(name="one_by_one", carry_on=1, marks=_commits("intent")),
        Journey(
            name="deployed_and_by_form",
            deploys=True,
            starts="form",
            marks=_commits("deploy", "start"),
            only_marks=True,
        ),
        Journey(name="answer_lost", faults=((_WRITE, "cut_after", 1),), marks=_LOOK_UP),
        Journey(
            name="search_lost",
            faults=(("read_stock", "unavailable", 1),),
            deeds={"call:before_send": "lose_request_and_search"},
            marks=_LOOK_UP | _commits("retry", "unknown", "intent"),
        ),
        Journey(name="event_lost", confirms="untold", marks=_commits("timer")),
        Journey(name="event_early", deeds={"call:after_answer": "confirm_early"}, marks=_commits("correlate")),
        Journey(name="lease_lost", deeds={"call:after_answer": "take_over"}, marks=_commits("late", "sweep", "intent")),
        Journey(
            name="left_to_a_person",
            keys_on=False,
            faults=((_WRITE, "cut_before", 2),),
            marks=_LOOK_UP | _commits("park", "repair"),
        ),
        Journey(
            name="without_keys",
            keys_on=False,
            faults=((_WRITE, "cut_after", 1),),
            carry_on=1,
            marks=_LOOK_UP | _commits("intent"),
        ),
        Journey(name="undone", is_cancelled=True, ends="CANCELLED", marks=_commits("cancel")),
        Journey(
            name="killed_twice",
            killed_before=Target(point="call:after_send", at_write=True),
            marks=_LOOK_UP | _commits("sweep", "intent"),
        ),
        Journey(
            name="slow",
            faults=((_WRITE, "delay", 1),),
            seconds=1.2,
            has_threads=True,
            marks=_commits("heartbeat"),
            only_marks=True,
        ),
    )
}

#: Every point that the journeys must pass between them; one that none passes is a hole in the proof. ``outbox_take`` is
#: the claim of messages to publish, ``late`` the journal of a result that came after the lease was lost.
COMMITS = (
    "deploy",
    "inbox",
    "start",
    "correlate",
    "decision",
    "cancel",
    "timer",
    "claim",
    "intent",
    "result",
    "retry",
    "unknown",
    "park",
    "repair",
    "late",
    "heartbeat",
    "sweep",
    "outbox_take",
    "outbox_mark",
)
POINTS = (
    *(f"{each}.commit:{side}" for each in COMMITS for side in ("before", "after")),
    "ring:before",
    "ring:after",
    "call:before_send",
    "call:after_send",
    "call:after_answer",
    "lookup:before_send",
    "lookup:after_answer",
    "outbox:before_publish",
    "outbox:after_publish",
)
