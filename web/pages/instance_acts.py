"""What may be done about an instance: cancel it, mend it, move it by hand."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response, request, url_for

from engine.runtime.commands import CancelRequest, RepairRequest
from engine.runtime.errors import CannotCancel, CannotRepair
from engine.runtime.views import InstanceView
from web.addresses import id_of
from web.pages import notices
from web.pages.instance import read_instance
from web.pages.instance_shown import instance_page
from web.pages.kept_form import is_restored
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import see
from web.pages.site import Site
from web.texts.language import gettext
from web.texts.refusals import sentence

_RESOLUTIONS = ("found", "absent")


def instance_act_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return what the forms on the page of an instance send to."""

    def done(view: InstanceView, said: str) -> Response:
        return notices.carry(see(url_for("pages.instance", workflow_id=view.workflow_id)), site.settings, said)

    def cancel(workflow_id: str) -> Response:
        view = read_instance(site, workflow_id)
        if is_restored():
            return instance_page(site, view)
        asked = CancelRequest(workflow_id=view.workflow_id, reason=request.form.get("reason", ""))
        try:
            site.runtime.cancel(reader().actor, asked)
        except CannotCancel as refused:
            return instance_page(site, view, refusal=sentence(refused), status=HTTPStatus.CONFLICT)
        return done(view, gettext("The cancellation is on its way; what stands in other systems is undone first."))

    def repair(workflow_id: str) -> Response:
        view = read_instance(site, workflow_id)
        if is_restored():
            return instance_page(site, view)
        sent = request.form
        resolution = sent.get("resolution", "")
        asked = RepairRequest(
            workflow_id=view.workflow_id,
            incident_id=id_of(sent["incident"]) if sent.get("incident") else None,
            resolution=resolution if resolution in _RESOLUTIONS else None,
            document=sent.get("document") or None,
            status=sent.get("status") or None,
            reason=sent.get("reason", ""),
        )
        try:
            site.runtime.repair(reader().actor, asked)
        except CannotRepair as refused:
            return instance_page(site, view, refusal=sentence(refused), status=HTTPStatus.CONFLICT)
        return done(
            view, gettext("Done. The process goes on by itself; if the cause is still there, it stops here again.")
        )

    root = "/work/<hex:workflow_id>"
    return (
        PageRoute(path=f"{root}/cancel", name="cancel_instance", view=cancel, methods=("POST",)),
        PageRoute(path=f"{root}/repair", name="repair_instance", view=repair, methods=("POST",)),
    )
