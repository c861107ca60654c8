"""What the page of an instance shows, made ready for its template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from flask import Response, request

from engine.contract.ids import DefinitionId
from engine.model.definition import Definition
from engine.model.graph import NodeKind
from engine.runtime.views import Act, DecisionView, InstanceView
from web.forms.decided import decision_texts
from web.pages.render import render
from web.pages.site import Site
from web.pages.troubles import troubles_of
from web.texts.account import account_of
from web.texts.language import current_language, gettext
from web.texts.origins import engine_of, system_name
from web.texts.timeline import story
from web.texts.words import call_word, document_word, standing_word, step_word

#: Operations in which an AI suggests begin like this.
_AI = "ai."
#: What the drawing shows for the status of a step.
_MARKS = {
    "succeeded": "done",
    "failed": "failed",
    "running": "running",
    "pending": "waiting",
    "retry_wait": "retrying",
    "unknown": "unknown",
}
_NO_STEPS = (NodeKind.EXCLUSIVE_GATEWAY, NodeKind.PARALLEL_GATEWAY, NodeKind.INCLUSIVE_GATEWAY)


@dataclass(frozen=True, kw_only=True)
class _OutlineStep:
    label: str
    status: str
    kind: str
    depth: int = 0


@dataclass(frozen=True, kw_only=True)
class _ShownDecision:
    """A decision with the name of its step, and what was chosen as labels and texts."""

    made: DecisionView
    step: str
    chosen: tuple[tuple[str, str], ...]


def definition_of(site: Site, view: InstanceView) -> Definition:
    """Return the version that an instance runs on."""
    return site.runtime.definition(view.tenant_id, DefinitionId(view.definition_id))


def instance_page(site: Site, view: InstanceView, *, refusal: str = "", status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return the page of an instance; ``refusal`` is why what was just asked for was not done."""
    definition = definition_of(site, view)
    titles = _status_titles(definition)

    def status_title(code: str) -> str:
        return titles.get(code, code)

    decisions = tuple(_decision(each, definition) for each in view.decisions)
    models = frozenset(key for key in definition.nodes if _is_ai(definition, key))
    moves = [(each.status, status_title(each.status)) for each in view.possible if each.status is not None]
    return render(
        "instance.html",
        status=status,
        title=view.business_key or view.process_title,
        view=view,
        refusal=refusal,
        now_at=_now_at(view),
        story=story(view, status_title, models, _said(decisions)),
        troubles=troubles_of(view),
        account=account_of(view, definition, status_title, _said(decisions)),
        outline=_outline(view, definition),
        acts={act.value: any(each.act is act for each in view.possible) for act in Act},
        statuses=moves,
        decisions=decisions,
        suggestion=_suggestion(view),
        sandbox=site.settings.demo.sandbox if site.settings.demo is not None else {},
        typed=request.form,
        **_WORDS,
    )


_WORDS = {
    "standing_word": standing_word,
    "step_word": step_word,
    "document_word": document_word,
    "call_word": call_word,
    "system_name": system_name,
}


def _status_titles(definition: Definition) -> Mapping[str, str]:
    language = "zh" if current_language() == "zh" else "en"
    return {each.name: each.title.get(language) or each.name for each in definition.settings.statuses}


def _is_ai(definition: Definition, key: str) -> bool:
    node = definition.nodes[key]
    return node.operation is not None and node.operation.reference.startswith(_AI)


def marks_of(view: InstanceView) -> Mapping[str, Mapping[str, object]]:
    """Return how each element stands, by its id, as the drawing marks it."""
    found: dict[str, dict[str, object]] = {}
    for step in view.steps:
        before = found.get(step.step_key)
        count = int(str(before["count"])) + 1 if before is not None else 1
        found[step.step_key] = {"mark": _MARKS.get(step.status, "done"), "count": count}
    for wait in view.waits:
        entry = found.setdefault(wait.step_key, {"mark": "waiting", "count": 1})
        if entry["mark"] in ("running", "waiting") and wait.kind != "job":
            entry["mark"] = "waiting"
    return found


def _outline(view: InstanceView, definition: Definition) -> tuple[_OutlineStep, ...]:
    """Return the steps that have a name, in the order of the drawing's file, with how each stands."""
    latest = {each.step_key: each for each in view.steps}
    steps: list[_OutlineStep] = []
    for key, node in definition.nodes.items():
        if not node.name or node.kind in _NO_STEPS or node.drawn_id not in ("", key):
            continue
        step = latest.get(node.element_id)
        kind, word = step_word(step.status) if step is not None else ("", "")
        steps.append(_OutlineStep(label=definition.label(key, current_language()), status=word, kind=kind))
    return tuple(steps)


def _now_at(view: InstanceView) -> str:
    """Return the step that matters most to somebody who asks where it stands: a person's, then work, then a wait."""
    urgency = ("task", "job", "timer", "message")
    ordered = sorted(view.waits, key=lambda each: urgency.index(each.kind))
    return ordered[0].label if ordered else ""


def _decision(decision: DecisionView, definition: Definition) -> _ShownDecision:
    language = current_language()
    node = definition.nodes.get(decision.step_key)
    binding = node.task.form if node is not None and node.task is not None else None
    form = definition.form(binding.key, language) if binding is not None else None
    chosen = decision_texts(form, decision.values)
    return _ShownDecision(made=decision, step=definition.label(decision.step_key, language), chosen=chosen)


def _said(decisions: Sequence[_ShownDecision]) -> Mapping[str, str]:
    """Return what each decision says, by its id: the choice, and the reason given for it."""
    return {each.made.approval_id: "; ".join(text for _, text in each.chosen) for each in decisions}


def _suggestion(view: InstanceView) -> tuple[str, tuple[tuple[str, object], ...]] | None:
    """Return which engine suggested, and what it suggested, out of the variables that nobody has accepted."""
    suggested = {name: value for name, value in view.variables.items() if view.origins.get(name) == "model"}
    for value in suggested.values():
        if isinstance(value, Mapping):
            shown = [
                (gettext("Suggestion"), value.get("summary")),
                (gettext("Recommended"), value.get("recommended_action")),
            ]
            return engine_of(suggested), tuple((label, text) for label, text in shown if text)
    return None
