"""The catalogue of processes: drawing, statuses, roles and version of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Response

from engine.contract.ids import DefinitionId, WorkflowType
from engine.model.definition import Definition
from engine.model.graph import NodeKind
from engine.runtime.views import ProcessView
from web.pages.drawing import drawing_page
from web.pages.page_route import PageRoute
from web.pages.reader import reader
from web.pages.render import render
from web.pages.site import Site
from web.pages.start import title_of
from web.texts.language import current_language, gettext

_GATEWAYS = (
    NodeKind.EXCLUSIVE_GATEWAY,
    NodeKind.PARALLEL_GATEWAY,
    NodeKind.INCLUSIVE_GATEWAY,
    NodeKind.EVENT_BASED_GATEWAY,
)


@dataclass(frozen=True, kw_only=True)
class _Status:
    title: str
    leads_to: tuple[str, ...]
    by_operator: tuple[str, ...]
    is_final: bool


def process_pages(site: Site) -> tuple[PageRoute, ...]:
    """Return the catalogue, the page of a process, and its drawing."""

    def read(workflow_type: str) -> ProcessView:
        return site.runtime.process(reader().actor, WorkflowType(workflow_type), language=current_language())

    def definition_of(process: ProcessView) -> Definition:
        return site.runtime.definition(reader().actor.tenant_id, DefinitionId(process.definition_id))

    def catalogue() -> Response:
        found = site.runtime.processes(reader().actor, language=current_language())
        return render(
            "processes.html", title=gettext("Processes"), processes=tuple((each, title_of(each)) for each in found)
        )

    def show(workflow_type: str) -> Response:
        process = read(workflow_type)
        definition = definition_of(process)
        language = "zh" if current_language() == "zh" else "en"
        roles = {each.name: each.title.get(language) or each.name for each in definition.settings.roles}
        return render(
            "process.html",
            title=title_of(process),
            process=process,
            owner=roles.get(process.owner, process.owner),
            roles=tuple((title, _groups(definition, name)) for name, title in roles.items()),
            statuses=_statuses(definition, language),
            outline=_outline(definition),
        )

    def drawing(workflow_type: str) -> Response:
        return drawing_page(definition_of(read(workflow_type)), current_language())

    root = "/processes/<type:workflow_type>"
    return (
        PageRoute(path="/processes", name="processes", view=catalogue),
        PageRoute(path=root, name="process", view=show),
        PageRoute(path=f"{root}/drawing", name="process_drawing", view=drawing),
    )


def _groups(definition: Definition, role: str) -> str:
    return ", ".join(next(each.groups for each in definition.settings.roles if each.name == role))


def _statuses(definition: Definition, language: str) -> tuple[_Status, ...]:
    declared = definition.settings.statuses
    key = "zh" if language == "zh" else "en"
    titles: Mapping[str, str] = {each.name: each.title.get(key) or each.name for each in declared}
    return tuple(
        _Status(
            title=titles[each.name],
            leads_to=tuple(titles.get(name, name) for name in each.to),
            by_operator=tuple(titles.get(name, name) for name in each.operator_only),
            is_final=each.is_final,
        )
        for each in declared
    )


def _outline(definition: Definition) -> tuple[Mapping[str, str], ...]:
    language = current_language()
    return tuple(
        {"label": definition.label(key, language)}
        for key, node in definition.nodes.items()
        if node.name and node.kind not in _GATEWAYS and node.drawn_id in ("", key)
    )
