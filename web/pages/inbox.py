"""The inbox: what waits for the reader's decision, urgent ones first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Response, request, url_for

from engine.runtime.views import TaskSummary
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import render
from web.pages.site import Site
from web.texts.language import current_language, gettext

_ROWS = 50


@dataclass(frozen=True, kw_only=True)
class _Row:
    task: TaskSummary
    process: str
    is_overdue: bool


def inbox_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the inbox."""

    def inbox() -> Response:
        actor = reader().actor
        language = current_language()
        now = datetime.now(UTC)
        page = site.runtime.tasks(actor, cursor=request.args.get("cursor") or None, limit=_ROWS, language=language)
        titles = {
            each.workflow_type: each.title.get(language) or each.workflow_type
            for each in site.runtime.processes(actor, language=language)
        }
        rows = tuple(
            _Row(
                task=each,
                process=titles.get(each.workflow_type, each.workflow_type),
                is_overdue=each.due_at is not None and each.due_at < now,
            )
            for each in page.items
        )
        return render(
            "inbox.html",
            title=gettext("Inbox"),
            rows=rows,
            next_url=url_for("pages.inbox", cursor=page.next) if page.next else "",
        )

    return (PageRoute(path="/inbox", name="inbox", view=inbox),)
