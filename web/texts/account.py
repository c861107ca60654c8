"""The account of an instance (W24): the questions an auditor asks, each answered from what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from engine.model.definition import Definition
from engine.model.graph import NodeKind
from engine.runtime.views import InstanceView, StepView
from web.texts.causes import broken_rules
from web.texts.language import gettext, ngettext
from web.texts.moments import exact, lasting
from web.texts.origins import system_name
from web.texts.timeline import StatusTitle
from web.texts.words import document_word

#: The purpose of a call that comes with a claim; another one is a second sending under it. After an outcome that
#: nobody knows, it begins with a look-up by key.
_CALL = "call"
_DOUBTFUL = ("unknown", None)
#: What became of a call whose document was found by its key.
_FOUND = "found"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One question with its answers, each a sentence."""

    question: str
    answers: tuple[str, ...]


def account_of(
    view: InstanceView, definition: Definition, status_title: StatusTitle, said: Mapping[str, str]
) -> tuple[Answer, ...]:
    """Return every question of W24 with its answer; "nothing" is an answer, too.

    Parameters
    ----------
    said
        What each decision says, by its approval id.
    """
    return (
        Answer(question=gettext("Why was it created?"), answers=_why_created(view)),
        Answer(question=gettext("What did the AI see?"), answers=_what_ai_saw(view, definition)),
        Answer(question=gettext("Which step took longest?"), answers=_slowest(view)),
        Answer(question=gettext("Why did it need approval?"), answers=_why_approval(view, definition, status_title)),
        Answer(question=gettext("Who decided?"), answers=_who_decided(view, said)),
        Answer(question=gettext("Was anything tried again?"), answers=_retries(view)),
        Answer(question=gettext("Was a request sent twice?"), answers=_repeats(view)),
        Answer(question=gettext("What did the other systems answer?"), answers=_documents(view)),
        Answer(question=gettext("Why did it stop or fail?"), answers=_why_stopped(view, status_title, said)),
    )


def _why_created(view: InstanceView) -> tuple[str, ...]:
    first = next((each for each in view.timeline if each.event == "started"), None)
    source = first.detail.get("source") if first is not None else None
    if source:
        return (
            gettext(
                "An event from %(source)s reported it on %(at)s, with the business key %(key)s.",
                source=source,
                at=exact(view.created_at),
                key=view.business_key or "–",
            ),
        )
    name = view.names.get(view.started_by, gettext("the engine"))
    return (gettext("%(name)s started it on %(at)s.", name=name, at=exact(view.created_at)),)


def _what_ai_saw(view: InstanceView, definition: Definition) -> tuple[str, ...]:
    seen: list[str] = []
    for step in view.steps:
        node = definition.nodes.get(step.step_key)
        if node is None or node.operation is None or not node.operation.reference.startswith("ai."):
            continue
        given = cast("Mapping[str, object]", step.input_summary or {})
        names = ", ".join(name.replace("_", " ") for name in given) or "–"
        seen.append(gettext("%(step)s was given: %(names)s.", step=step.label, names=names))
    seen.extend(
        gettext(
            "%(model)s of %(provider)s was asked: %(read)s tokens read, %(written)s written.",
            model=call.model,
            provider=call.provider,
            read=call.prompt_tokens,
            written=call.completion_tokens,
        )
        for call in view.model_calls
        if call.prompt_tokens
    )
    if seen and not any(call.prompt_tokens for call in view.model_calls):
        seen.append(gettext("No language model was used; the suggestion comes from written rules."))
    return tuple(seen) or (gettext("No step of it asks an AI."),)


def _duration(step: StepView) -> timedelta:
    return step.ended_at - step.started_at if step.ended_at is not None else timedelta()


def _slowest(view: InstanceView) -> tuple[str, ...]:
    ended = [each for each in view.steps if each.ended_at is not None and each.label]
    if not ended:
        return (gettext("No step has ended yet."),)
    slowest = max(ended, key=_duration)
    return (gettext("%(step)s: %(time)s.", step=slowest.label, time=lasting(_duration(slowest))),)


def _why_approval(view: InstanceView, definition: Definition, status_title: StatusTitle) -> tuple[str, ...]:
    by_rule = [
        gettext(
            "The rule %(rule)s put it to “%(status)s”.",
            rule=each.actor.removeprefix("rule:").replace("_", " "),
            status=status_title(str(each.detail.get("after"))),
        )
        for each in view.timeline
        if each.event == "status" and each.actor.startswith("rule:") and _asks(definition, each.step_key)
    ]
    return tuple(dict.fromkeys(by_rule)) or (
        (gettext("The process asks a person at this place."),) if view.decisions else (gettext("It did not."),)
    )


def _asks(definition: Definition, step_key: str | None) -> bool:
    node = definition.nodes.get(step_key or "")
    return node is not None and node.kind in (NodeKind.USER_TASK, NodeKind.SUB_PROCESS)


def _who_decided(view: InstanceView, said: Mapping[str, str]) -> tuple[str, ...]:
    labels = {each.step_key: each.label for each in view.steps}
    return tuple(
        gettext(
            "%(name)s, on %(at)s: %(step)s: %(choice)s.",
            name=each.name,
            at=exact(each.decided_at),
            step=labels.get(each.step_key, each.step_key),
            choice=said.get(each.approval_id) or "–",
        )
        for each in view.decisions
    ) or (gettext("Nobody yet."),)


def _retries(view: InstanceView) -> tuple[str, ...]:
    return tuple(
        ngettext(
            "%(step)s: %(num)s failed attempt.",
            "%(step)s: %(num)s failed attempts.",
            each.failure_count,
            step=each.label,
        )
        for each in view.steps
        if each.failure_count
    ) or (gettext("No."),)


def _repeats(view: InstanceView) -> tuple[str, ...]:
    sent: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    in_doubt: set[str] = set()
    for each in sorted((call for call in view.calls if call.sent_key), key=lambda call: call.began_at):
        if each.purpose == _CALL and each.sent_key in in_doubt:
            asked[each.sent_key] += 1
        else:
            sent[each.sent_key] += 1
        if each.outcome in _DOUBTFUL:
            in_doubt.add(each.sent_key)
        else:
            in_doubt.discard(each.sent_key)
    told = [
        gettext("Yes: %(count)s times under the same key %(key)s, so that it counts once.", count=count, key=key)
        for key, count in sent.items()
        if count > 1
    ] or [gettext("No.")]
    told += [
        ngettext(
            "The document with the key %(key)s was looked up %(num)s time before anything could be sent again.",
            "The document with the key %(key)s was looked up %(num)s times before anything could be sent again.",
            count,
            key=key,
        )
        for key, count in asked.items()
    ]
    told += [
        gettext("The answer was lost; the document was found by its key %(key)s.", key=each.sent_key)
        for each in view.calls
        if each.outcome == _FOUND
    ]
    return tuple(told)


def _documents(view: InstanceView) -> tuple[str, ...]:
    return tuple(
        gettext(
            "%(system)s: %(number)s, %(status)s.",
            system=system_name(each.operation),
            number=result.get("number", "–"),
            status=result.get("status") or document_word(each.state)[1],
        )
        for each in view.documents
        for result in (cast("Mapping[str, object]", each.result or {}),)
    ) or (gettext("No document was created."),)


def _why_stopped(view: InstanceView, status_title: StatusTitle, said: Mapping[str, str]) -> tuple[str, ...]:
    found = [gettext("Cancelled: %(reason)s", reason=view.cancel_reason)] if view.cancel_reason else []
    if view.finished_at is not None:
        found += _ending(view, status_title, said)
    rules = broken_rules(view)
    found += rules
    of_steps = {each.error_message for each in view.steps}
    found += [
        each.message
        for each in view.incidents
        if each.message not in of_steps and not (rules and each.code == "rule_broken")
    ]
    found += [
        gettext("%(step)s: %(message)s", step=each.label, message=each.error_message)
        for each in view.steps
        if each.error_message
    ]
    if found:
        return tuple(dict.fromkeys(found))
    return (gettext("It did not."),)


def _ending(view: InstanceView, status_title: StatusTitle, said: Mapping[str, str]) -> list[str]:
    """Return as what it ended, and who or what brought that about."""
    last = next((each for each in reversed(view.timeline) if each.event == "status"), None)
    if last is None:
        return []
    status = status_title(str(last.detail.get("after") or ""))
    name = view.names.get(last.actor)
    if name is None:
        return [gettext("It ended as “%(status)s”, as the process provides.", status=status)]
    by_decision = next((each for each in view.decisions if each.decided_at == last.at), None)
    choice = said.get(by_decision.approval_id) if by_decision is not None else None
    if not choice:
        return [gettext("It ended as “%(status)s”: %(name)s did that.", status=status, name=name)]
    return [
        gettext("It ended as “%(status)s”: %(name)s decided “%(choice)s”.", status=status, name=name, choice=choice)
    ]
