"""An instance: its page, and what the drawing on it loads."""

from __future__ import annotations

from flask import Response

from engine.contract.ids import WorkflowId
from engine.runtime.views import InstanceView
from web.answers import json_answer
from web.pages.drawing import drawing_page
from web.pages.instance_shown import definition_of, instance_page, marks_of
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.site import Site
from web.texts.language import current_language


def read_instance(site: Site, workflow_id: str) -> InstanceView:
    """Return an instance as the reader may see it. Raises PermissionDenied, UnknownInstance."""
    return site.runtime.instance(reader().actor, WorkflowId(workflow_id), language=current_language())


def instance_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the page of an instance, and what its drawing loads."""

    def show(workflow_id: str) -> Response:
        return instance_page(site, read_instance(site, workflow_id))

    def drawing(workflow_id: str) -> Response:
        return drawing_page(definition_of(site, read_instance(site, workflow_id)), current_language())

    def marks(workflow_id: str) -> Response:
        return json_answer({"elements": marks_of(read_instance(site, workflow_id))})

    root = "/work/<hex:workflow_id>"
    return (
        PageRoute(path=root, name="instance", view=show),
        PageRoute(path=f"{root}/drawing", name="instance_drawing", view=drawing),
        PageRoute(path=f"{root}/marks", name="instance_marks", view=marks),
    )
