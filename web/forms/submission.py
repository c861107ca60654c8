"""What a person sent with a form, and what is wrong with it as sentences beside the fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from werkzeug.datastructures import MultiDict

from engine.model.forms import ComponentKind, Form, Problem, ProblemKind
from web.pages import request_forgery
from web.texts.language import gettext

#: What pages send beside the fields of a form begins like this.
_OWN = "_"


def submitted_values(form: Form | None, sent: MultiDict[str, str]) -> dict[str, str | bool]:
    """Return the values of a form as they were sent, texts for all but check boxes.

    What the form does not have stays in, so that the check refuses it; line breaks are single characters.
    """
    values: dict[str, str | bool] = {
        name: value.replace("\r\n", "\n")
        for name, value in sent.items()
        if not name.startswith(_OWN) and name != request_forgery.FIELD
    }
    for component in form.components if form is not None else ():
        if component.kind is ComponentKind.CHECKBOX and component.key in values:
            values[component.key] = values[component.key] in ("true", "on")
    return values


def field_errors(form: Form | None, problems: Sequence[Problem]) -> Mapping[str, str]:
    """Return what is wrong, by the key of the field; under ``""`` what belongs to no field of the form."""
    found: dict[str, str] = {}
    keys = {each.key for each in form.components if each.key} if form is not None else set[str]()
    wrong = {each.key for each in problems}
    for problem in problems:
        if form is not None and problem.kind is ProblemKind.REQUIRED and _hangs_on(form, problem.key) & wrong:
            continue
        key = problem.key if problem.key in keys else ""
        found.setdefault(key, _sentence(form, problem))
    return found


def _hangs_on(form: Form, key: str) -> set[str]:
    """Return the fields that say whether a field is asked for at all: while they are wrong, nobody knows."""
    return {term.key for each in form.components if each.key == key for term in each.hidden_when}


def _sentence(form: Form | None, problem: Problem) -> str:
    name = problem.label or problem.key
    limit = problem.limit
    match problem.kind:
        case ProblemKind.REQUIRED:
            return gettext("%(name)s: fill this in.", name=name)
        case ProblemKind.NOT_A_NUMBER:
            return gettext("%(name)s: write a number, such as 12.5.", name=name)
        case ProblemKind.TOO_MANY_DECIMALS:
            return gettext("%(name)s: at most %(limit)s digits after the point.", name=name, limit=limit)
        case ProblemKind.BELOW_MINIMUM:
            return gettext("%(name)s: at least %(limit)s.", name=name, limit=limit)
        case ProblemKind.ABOVE_MAXIMUM:
            return gettext("%(name)s: at most %(limit)s.", name=name, limit=limit)
        case ProblemKind.TOO_SHORT:
            return gettext("%(name)s: at least %(limit)s characters.", name=name, limit=limit)
        case ProblemKind.TOO_LONG:
            return gettext("%(name)s: at most %(limit)s characters; shorten it.", name=name, limit=limit)
        case ProblemKind.NOT_OFFERED:
            return gettext("%(name)s: choose one of %(choices)s.", name=name, choices=_choices(form, problem.key))
        case ProblemKind.UNKNOWN_FIELD:
            return gettext("The field “%(name)s” does not belong to this form. Open the page again.", name=name[:60])
        case _:
            return _form_of(problem.kind, name)


def _form_of(kind: ProblemKind, name: str) -> str:
    match kind:
        case ProblemKind.EMAIL:
            return gettext("%(name)s: write an e-mail address, such as name@example.com.", name=name)
        case ProblemKind.PHONE:
            return gettext("%(name)s: write a telephone number.", name=name)
        case ProblemKind.NOT_A_DATE:
            return gettext("%(name)s: write a date, such as 2026-03-31.", name=name)
        case ProblemKind.NOT_A_TIME:
            return gettext("%(name)s: write a time, such as 08:30.", name=name)
        case ProblemKind.NOT_AN_INSTANT:
            return gettext("%(name)s: write date, time and zone, such as 2026-03-31T08:30+08:00.", name=name)
        case ProblemKind.NOT_YES_OR_NO:
            return gettext("%(name)s: yes or no.", name=name)
        case ProblemKind.NOT_A_TEXT:
            return gettext("%(name)s: write a text.", name=name)
        case _:
            return gettext("%(name)s: it does not have the form that is asked for; look at the hint.", name=name)


def _choices(form: Form | None, key: str) -> str:
    if form is None:
        return ""
    return ", ".join(option.label for option in form.component(key).options)
