"""The list of instances, with its filters in the address, and the operator's list of incidents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Response, request, url_for

from engine.runtime import InstanceFilter
from engine.runtime.commands import ExecutionState
from engine.runtime.views import OpenIncidentView, ProcessView
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import render
from web.pages.site import Site
from web.pages.start import title_of
from web.texts.causes import cause_word
from web.texts.language import current_language, gettext
from web.texts.words import standing_word

_ROWS = 50


@dataclass(frozen=True, kw_only=True)
class _Choice:
    value: str
    label: str
    is_chosen: bool


def work_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the list of instances and that of incidents."""

    def work() -> Response:
        actor = reader().actor
        language = current_language()
        given = _given(request.args)
        processes = site.runtime.processes(actor, language=language)
        if (given["status"] or given["key"]) and not given["process"] and len(processes) == 1:
            given["process"] = processes[0].workflow_type
        wanted = InstanceFilter(
            workflow_type=given["process"] or None,
            business_status=given["status"] or None,
            execution_state=given["state"] or None,
            business_key=given["key"] or None,
        )
        page = site.runtime.instances(
            actor, wanted, cursor=request.args.get("cursor") or None, limit=_ROWS, language=language
        )
        following = urlencode({**{name: value for name, value in given.items() if value}, "cursor": page.next or ""})
        return render(
            "work.html",
            title=gettext("Work"),
            page=page,
            given=given,
            processes=_processes(processes, given["process"]),
            states=_states(given["state"]),
            is_filtered=any(given.values()),
            standing_word=standing_word,
            next_url=f"{url_for('pages.work')}?{following}" if page.next else "",
        )

    def incidents() -> Response:
        queue = site.runtime.queue(reader().actor, language=current_language())
        return render(
            "incidents.html",
            title=gettext("For an operator"),
            groups=_by_cause(queue.incidents),
            has_more=queue.has_more,
            cause_word=cause_word,
        )

    return (
        PageRoute(path="/work", name="work", view=work),
        PageRoute(path="/work/incidents", name="incidents", view=incidents),
    )


def _given(arguments: Mapping[str, str]) -> dict[str, str]:
    return {name: arguments.get(name, "").strip()[:200] for name in ("process", "status", "state", "key")}


def _processes(processes: tuple[ProcessView, ...], chosen: str) -> tuple[_Choice, ...]:
    return tuple(
        _Choice(value=each.workflow_type, label=title_of(each), is_chosen=each.workflow_type == chosen)
        for each in processes
    )


def _states(chosen: str) -> tuple[_Choice, ...]:
    words = {
        ExecutionState.WAITING: gettext("waiting"),
        ExecutionState.RUNNING: gettext("running"),
        ExecutionState.INCIDENT: gettext("needs an operator"),
        ExecutionState.FINISHED: gettext("ended"),
    }
    return tuple(
        _Choice(value=state.value, label=label, is_chosen=state.value == chosen) for state, label in words.items()
    )


def _by_cause(incidents: tuple[OpenIncidentView, ...]) -> Mapping[str, list[OpenIncidentView]]:
    groups: dict[str, list[OpenIncidentView]] = {}
    for each in incidents:
        groups.setdefault(each.code, []).append(each)
    return groups
