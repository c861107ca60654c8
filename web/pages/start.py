"""Starting a process by hand: which ones the reader may start, and the form of one."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from http import HTTPStatus

from flask import Response, request, url_for

from engine.contract.ids import WorkflowType
from engine.runtime.commands import RequestKey, StartRequest
from engine.runtime.errors import InvalidValues, KeyReused, StartRefused
from engine.runtime.views import ProcessView
from web.addresses import is_id
from web.forms import field_errors, render_form, submitted_values
from web.pages import notices
from web.pages.kept_form import is_restored
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import render, see
from web.pages.site import Site
from web.problems import status_of
from web.texts.language import current_language, gettext
from web.texts.refusals import sentence

#: Hidden field: the id of this very start, so that a double click starts once.
REQUEST = "_request"
_RANDOM_BYTES = 16


def start_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the list of what can be started, and the page that starts one."""

    def startable() -> Response:
        found = site.runtime.processes(reader().actor, language=current_language())
        return render(
            "start.html",
            title=gettext("Start"),
            processes=tuple((each, title_of(each)) for each in found if each.may_start),
        )

    def show_or_start(workflow_type: str) -> Response:
        process = site.runtime.process(reader().actor, WorkflowType(workflow_type), language=current_language())
        if request.method != "POST":
            return _page(process)
        values = submitted_values(process.start_form, request.form)
        if is_restored():
            return _page(process, values=values)
        return start(process, values)

    def start(process: ProcessView, values: Mapping[str, str | bool]) -> Response:
        key = request.form.get(REQUEST, "")
        asked = StartRequest(
            workflow_type=process.workflow_type,
            variables=values,
            request_key=RequestKey(key=f"page:{key}", fingerprint=_fingerprint(process, values))
            if is_id(key)
            else None,
        )
        try:
            answer = site.runtime.start(reader().actor, asked)
        except InvalidValues as refused:
            errors = field_errors(process.start_form, refused.problems) or {"": sentence(refused)}
            return _page(process, values=values, errors=errors, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        except KeyReused:
            again = gettext("This page started something else before. What you typed is kept: send it again.")
            return _page(process, values=values, errors={"": again}, status=HTTPStatus.CONFLICT)
        except StartRefused as refused:
            return _page(process, values=values, errors={"": sentence(refused)}, status=status_of(refused))
        said = (
            gettext("Started. The systems are asked now; whoever has to decide finds it in their inbox.")
            if answer.is_new
            else gettext("This number had been used before: here is what it started.")
        )
        there = url_for("pages.instance", workflow_id=answer.workflow_id)
        return notices.carry(see(there), site.settings, said)

    return (
        PageRoute(path="/start", name="start", view=startable),
        PageRoute(
            path="/start/<type:workflow_type>", name="start_process", view=show_or_start, methods=("GET", "POST")
        ),
    )


def title_of(process: ProcessView) -> str:
    """Return what a process is called in the language of the page."""
    return process.title.get(current_language()) or process.workflow_type


def _fingerprint(process: ProcessView, values: Mapping[str, str | bool]) -> str:
    content = repr((process.workflow_type, sorted(values.items())))
    return hashlib.sha256(content.encode()).hexdigest()


def _page(
    process: ProcessView,
    *,
    values: Mapping[str, str | bool] | None = None,
    errors: Mapping[str, str] | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    form = process.start_form
    rendered = (
        render_form(form, scope={}, values=values, errors=errors, submit=gettext("Start")) if form is not None else None
    )
    general = (errors or {}).get("")
    return render(
        "start_process.html",
        status=status,
        title=rendered.title if rendered is not None and rendered.title else title_of(process),
        process=process,
        form=rendered,
        errors=(*(rendered.errors if rendered is not None else ()), *((("", general),) if general else ())),
        request_field=REQUEST,
        request_id=secrets.token_hex(_RANDOM_BYTES),
    )
