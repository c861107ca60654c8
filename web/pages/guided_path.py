"""The five steps from a shortage to the requisition, for the welcome page of a demo: what was done, what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from flask import url_for

from engine.runtime.views import InstanceSummary
from web.texts.language import gettext


class StepState(Enum):
    """How far a step of the path is."""

    DONE = "done"
    NOW = "now"
    LATER = "later"


@dataclass(frozen=True, kw_only=True)
class GuidedStep:
    """A step of the path. ``button`` signs ``login`` in, going on at ``next_url``; ``system`` names a sandbox page."""

    title: str
    text: str
    state: StepState
    button: str = ""
    login: str = ""
    next_url: str = ""
    system: str = ""


#: How many steps are done in each status of the shipped procurement.
_DONE_IN_STATUS = {
    "CREATED": 1,
    "ANALYZING": 1,
    "VALIDATING": 1,
    "WAITING_APPROVAL": 2,
    "APPROVED": 3,
    "EXECUTING": 3,
    "SUCCEEDED": 4,
}
#: Statuses in which the purchase came to another end: all that is left is to read why.
_OTHER_ENDS = frozenset({"COVERED", "REJECTED", "CANCELLED", "FAILED", "COMPENSATING"})


def _done_count(purchase: InstanceSummary | None) -> int:
    return 0 if purchase is None else _DONE_IN_STATUS.get(purchase.business_status or "", 1)


def ended_otherwise(purchase: InstanceSummary | None) -> bool:
    """Whether the followed purchase did not go the straight way to a requisition."""
    return purchase is not None and purchase.business_status in _OTHER_ENDS


def guided_path(purchase: InstanceSummary | None, names: Mapping[str, str]) -> tuple[GuidedStep, ...]:
    """Return the five steps by the state of the purchase that is followed; None: no shortage was reported yet.

    ``names`` are those of the demo's people, by login.
    """
    planner, manager, auditor = (names.get(login, login) for login in ("lin", "wei", "zhao"))
    done = _done_count(purchase)
    instance = "" if purchase is None else url_for("pages.instance", workflow_id=purchase.workflow_id)

    def state(position: int) -> StepState:
        if position <= done:
            return StepState.DONE
        return StepState.NOW if position == done + 1 else StepState.LATER

    return (
        GuidedStep(
            title=gettext("A shortage is reported"),
            text=gettext(
                "The production system reports that a material runs short. %(name)s, the planner, can report one by "
                "hand, too.",
                name=planner,
            ),
            state=state(1),
            button=gettext("Report another shortage as %(name)s", name=planner),
            login="lin",
            next_url=url_for("pages.start"),
        ),
        GuidedStep(
            title=gettext("Facts are read, and the AI suggests"),
            text=gettext(
                "Stock, demand, open purchases and budget come from the business systems. The analysis only suggests: "
                "its pencil stays apart from the facts in ink. See how the process is drawn."
            ),
            state=state(2),
            button=gettext("See how far it is as %(name)s", name=planner),
            login="lin",
            next_url=instance,
        ),
        GuidedStep(
            title=gettext("%(name)s decides", name=manager),
            text=gettext(
                "The purchasing manager sees the facts, the suggestion and what each choice causes. Approve, reject or "
                "send back: only people put the vermilion seal."
            ),
            state=state(3),
            button=gettext("Decide as %(name)s", name=manager),
            login="wei" if state(3) is not StepState.DONE else "",
            next_url=url_for("pages.inbox"),
        ),
        GuidedStep(
            title=gettext("The requisition stands in the ERP, once"),
            text=gettext(
                "Before it writes, the process reads the facts again; afterwards it reads the document back. A lost "
                "answer is looked up, never sent again blindly. Look at the ERP's own page."
            ),
            state=state(4),
            system="erp",
        ),
        GuidedStep(
            title=gettext("%(name)s asks why", name=auditor),
            text=gettext(
                "The auditor reads the account of the purchase: why it began, what the AI saw, who approved, what the "
                "ERP answered."
            ),
            state=state(5),
            button=gettext("Read the account as %(name)s", name=auditor),
            login="zhao",
            next_url=instance,
        ),
    )
