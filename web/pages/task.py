"""A task: facts, suggestion and consequences apart, and the form that decides it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from http import HTTPStatus

from flask import Response, request, url_for

from engine.contract.ids import EventId, TaskId, WorkflowId
from engine.interpreter.values import Value
from engine.model.forms import Form
from engine.runtime.commands import DecideRequest
from engine.runtime.errors import AlreadyDecided, FactsChanged, InvalidValues
from engine.runtime.views import TaskView
from web.addresses import is_id
from web.forms import RenderedForm, field_errors, render_form, submitted_values
from web.forms.decided import decision_texts
from web.pages import notices
from web.pages.kept_form import is_restored
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import render, see
from web.pages.site import Site
from web.texts.language import current_language, gettext
from web.texts.origins import engine_of, source_names
from web.texts.refusals import sentence

#: Hidden fields: what was shown, and the id of this very decision, so that a double click decides once.
SHOWN, DECISION = "_shown", "_decision"
_RANDOM_BYTES = 16


def task_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the page of a task, which shows it and takes the decision."""

    def read(task_id: str) -> TaskView:
        return site.runtime.task(reader().actor, TaskId(task_id), language=current_language())

    def show_or_decide(task_id: str) -> Response:
        task = read(task_id)
        if request.method != "POST":
            return _page(task)
        values = submitted_values(task.form, request.form)
        if is_restored():
            return _page(task, values=values)
        if task.why_not is not None and task.decision is None:
            return _page(task, values=values, status=HTTPStatus.FORBIDDEN)
        return decide(task, values)

    def decide(task: TaskView, values: Mapping[str, str | bool]) -> Response:
        decision = request.form.get(DECISION, "")
        asked = DecideRequest(
            task_id=task.task_id,
            values=values,
            bound_digest=request.form.get(SHOWN, ""),
            workflow_id=WorkflowId(task.workflow_id),
            event_id=EventId(decision) if is_id(decision) else None,
        )
        try:
            site.runtime.decide(reader().actor, asked)
        except InvalidValues as refused:
            errors = field_errors(task.form, refused.problems) or {"": sentence(refused)}
            return _page(task, values=values, errors=errors, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        except FactsChanged as refused:
            return _page(read(task.task_id), values=values, changed=sentence(refused), status=HTTPStatus.CONFLICT)
        except AlreadyDecided as refused:
            return _page(read(task.task_id), values=values, changed=sentence(refused), status=HTTPStatus.CONFLICT)
        done = gettext(
            "You decided “%(choice)s”: %(task)s, %(key)s. The process goes on by itself.",
            choice=_verdict(task.form, values),
            task=task.label,
            key=task.business_key or "–",
        )
        return notices.carry(see(url_for("pages.inbox")), site.settings, done)

    return (PageRoute(path="/tasks/<hex:task_id>", name="task", view=show_or_decide, methods=("GET", "POST")),)


def _page(
    task: TaskView,
    *,
    values: Mapping[str, str | bool] | None = None,
    errors: Mapping[str, str] | None = None,
    changed: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    form = _rendered(task, values, errors)
    decided = task.decision.values if task.decision is not None else None
    return render(
        "task.html",
        status=status,
        title=task.label,
        task=task,
        form=form,
        errors=_summary(form, errors),
        changed=changed,
        engine=engine_of(task.suggestions),
        sources=source_names(task.sources),
        shown_field=SHOWN,
        decision_field=DECISION,
        decision_id=secrets.token_hex(_RANDOM_BYTES),
        verdict=_verdict(task.form, decided or {}),
        chosen=decision_texts(task.form, decided or {}),
        typed=decision_texts(task.form, values or {}) if decided is not None else (),
    )


def _rendered(
    task: TaskView, values: Mapping[str, str | bool] | None, errors: Mapping[str, str] | None
) -> RenderedForm | None:
    if task.form is None:
        return None
    scope: dict[str, Value] = {**task.facts, **task.suggestions}
    return render_form(task.form, scope=scope, values=values, errors=errors, submit=gettext("Decide as chosen"))


def _summary(form: RenderedForm | None, errors: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    general = (errors or {}).get("")
    return (*(form.errors if form is not None else ()), *((("", general),) if general else ()))


def _verdict(form: Form | None, values: Mapping[str, Value]) -> str:
    """Return what was decided in the words of the form: the label of what was chosen first."""
    for component in form.components if form is not None else ():
        for option in component.options:
            if values.get(component.key) == option.value:
                return option.label
    return gettext("Decided")
