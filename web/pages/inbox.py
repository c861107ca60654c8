"""The inbox: what waits for the reader's decision, urgent ones first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from flask import Response, request, url_for

from engine.runtime.views import TaskFilter, TaskSummary
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import render
from web.pages.site import Site
from web.pages.start import title_of
from web.texts.language import current_language, gettext

_ROWS = 50
_LONGEST = 200


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
        given = {name: request.args.get(name, "").strip()[:_LONGEST] for name in ("process", "key", "overdue")}
        wanted = TaskFilter(
            workflow_type=given["process"] or None,
            business_key=given["key"] or None,
            is_overdue=bool(given["overdue"]),
        )
        is_filtered = any(given.values())
        page = site.runtime.tasks(
            actor,
            wanted if is_filtered else None,
            cursor=request.args.get("cursor") or None,
            limit=_ROWS,
            language=language,
        )
        titles = {each.workflow_type: title_of(each) for each in site.runtime.processes(actor, language=language)}
        rows = tuple(
            _Row(
                task=each,
                process=titles.get(each.workflow_type, each.workflow_type),
                is_overdue=each.due_at is not None and each.due_at < now,
            )
            for each in page.items
        )
        following = urlencode({**{name: value for name, value in given.items() if value}, "cursor": page.next or ""})
        return render(
            "inbox.html",
            title=gettext("Inbox"),
            rows=rows,
            given=given,
            titles=titles,
            is_filtered=is_filtered,
            next_url=f"{url_for('pages.inbox')}?{following}" if page.next else "",
        )

    return (PageRoute(path="/inbox", name="inbox", view=inbox),)
