"""The first page of a demo: who can sign in, what waits, and the way from a shortage to the requisition."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from flask import Response, abort

from engine.identity import Permission
from engine.runtime import InstanceFilter
from engine.runtime.views import InstanceSummary
from web.pages.guided_path import ended_otherwise, guided_path
from web.pages.page_route import PageRoute
from web.pages.render import render
from web.pages.site import Demo, DemoPerson, Site
from web.texts.language import current_language, gettext

_MOST_COUNTED = 20


def _duty(login: str) -> str:
    """Return what one of the demo company's people does."""
    duties = {
        "lin": gettext("Planner. Reports shortages, and corrects an order that was sent back."),
        "wei": gettext("Purchasing manager. Approves purchases."),
        "mara": gettext("Head of purchasing. Approves what is large, late or unusual."),
        "anna": gettext("Finance. Approves what goes beyond the budget."),
        "omar": gettext("Operator. Looks after what failed or is unknown."),
        "zhao": gettext("Auditor. Reads everything, changes nothing."),
        "ines": gettext("Analyst and owner of the process."),
        "adam": gettext("Administrator. People, roles and tokens."),
    }
    return duties.get(login, "")


@dataclass(frozen=True, kw_only=True)
class _PersonCard:
    login: str
    name: str
    password: str
    duty: str
    waiting_count: int | None
    has_more: bool


def _card(site: Site, person: DemoPerson) -> _PersonCard:
    actor = person.actor
    decides = Permission.DECIDE in actor.permissions
    waiting = site.runtime.tasks(actor, limit=_MOST_COUNTED) if decides else None
    return _PersonCard(
        login=person.login,
        name=actor.name,
        password=person.password,
        duty=_duty(person.login),
        waiting_count=len(waiting.items) if waiting is not None else None,
        has_more=waiting is not None and waiting.next is not None,
    )


def _followed(site: Site, demo: Demo) -> InstanceSummary | None:
    newest = site.runtime.instances(
        demo.watcher, InstanceFilter(workflow_type=demo.process), limit=1, language=current_language()
    )
    return newest.items[0] if newest.items else None


def welcome_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the welcome page; it answers only in a demo."""

    def welcome() -> Response:
        demo = site.settings.demo
        if demo is None:
            abort(HTTPStatus.NOT_FOUND)
        purchase = _followed(site, demo)
        return render(
            "welcome.html",
            title=gettext("Welcome to Vermilion"),
            people=tuple(_card(site, person) for person in demo.people),
            passwords={person.login: person.password for person in demo.people},
            steps=guided_path(purchase, {person.login: person.actor.name for person in demo.people}),
            purchase=purchase,
            ended_otherwise=ended_otherwise(purchase),
            sandbox=demo.sandbox,
        )

    return (PageRoute(path="/welcome", name="welcome", view=welcome, is_public=True),)
